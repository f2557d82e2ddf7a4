package transport

import (
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Headers between the transport and the calls of a request. Context values would be those of
// the first request of a session.
const (
	internalHeaders = "Blue-Internal-"
	queryHeader     = internalHeaders + "Query"
	projectHeader   = "Blue-Project"
)

// Said is what an HTTP request says of its project, undecoded: a query that does not decode
// must fail the calls that need a project, and only those.
type Said struct {
	Query  string   // the part of the URL after the question mark
	Header []string // values of the header Blue-Project
}

// withQuery returns a copy of the request whose headers hold its query, and no internal header
// that a client sent.
func withQuery(r *http.Request) *http.Request {
	r = r.WithContext(r.Context()) // a copy
	r.Header = r.Header.Clone()
	for name := range r.Header {
		if strings.HasPrefix(http.CanonicalHeaderKey(name), internalHeaders) {
			delete(r.Header, name)
		}
	}
	if r.URL.RawQuery != "" {
		r.Header.Set(queryHeader, r.URL.RawQuery)
	}
	return r
}

// saidIn returns what the headers of a request of [withQuery] say of the project.
func saidIn(h http.Header) Said { return Said{h.Get(queryHeader), h.Values(projectHeader)} }

// SaidInRequest returns what the URL and the headers of a request say of the project.
func SaidInRequest(r *http.Request) Said { return Said{r.URL.RawQuery, r.Header.Values(projectHeader)} }

// SaidOf returns what the HTTP request of a call says of the project; on the 2024-11-05
// transport it is the one that opened the stream.
func SaidOf(extra *mcp.RequestExtra) Said {
	if extra == nil {
		return Said{}
	}
	return saidIn(extra.Header)
}
