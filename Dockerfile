# docker build -t blue .
# docker run -i --rm --user "$(id -u):$(id -g)" -v "$PWD:/project" blue
#
# The second serves MCP on standard input and output for the project in the working
# directory. Any other verb can follow: docker run … blue search deploy
FROM golang:1.26.8 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -tags=nethttpomithttp2,nopgxregisterdefaulttypes -ldflags="-s -w" -o /image/blue . \
    && mkdir -p /image/home /image/project /image/tmp \
    && chmod 1777 /image/home /image/tmp

FROM scratch
COPY --from=build /image/ /
ENV HOME=/home
USER 65532:65532
WORKDIR /project
ENTRYPOINT ["/blue"]
CMD ["mcp"]
