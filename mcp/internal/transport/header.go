package transport

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// hosts holds the names by which clients may reach a server. A request under any other name may
// come from a page of a foreign site (DNS rebinding).
type hosts struct {
	port  string            // the bound port
	names map[string]string // lower-case --host-name → its port; empty: the bound one or none
}

func newHosts(port int, names []string) hosts {
	h := hosts{strconv.Itoa(port), map[string]string{}}
	for _, name := range names {
		host, own := splitHost(name)
		h.names[strings.ToLower(host)] = own
	}
	return h
}

// splitHost splits a host and its port, if any. An IPv6 address keeps its brackets.
func splitHost(host string) (name, port string) {
	at := strings.LastIndexByte(host, ':')
	if at < 0 || strings.HasSuffix(host, "]") {
		return host, ""
	}
	return host[:at], host[at+1:]
}

// serves reports whether the header Host of a request is allowed.
func (h hosts) serves(host string) bool {
	name, port := splitHost(host)
	if strings.HasSuffix(host, ":") {
		return false
	}
	own, public := h.names[strings.ToLower(name)]
	switch {
	case public && own != "":
		return port == own
	case public, slices.Contains([]string{"localhost", "127.0.0.1", "[::1]"}, strings.ToLower(name)):
		return port == "" || port == h.port
	}
	return false
}

// allows reports whether the values of the Origin header are allowed: none, or one origin of
// this server. An origin without a port means port 80, which is another server.
func (h hosts) allows(origins []string) bool {
	if len(origins) == 0 {
		return true
	}
	scheme, host, ok := strings.Cut(origins[0], "://")
	if len(origins) > 1 || !ok || !h.serves(host) {
		return false
	}
	name, port := splitHost(host)
	_, public := h.names[strings.ToLower(name)]
	switch scheme {
	case "https":
		return public
	case "http":
		return public || port == h.port || h.port == "80"
	}
	return false
}

const (
	maxBody       = 1 << 20
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"

	needID     = "Bad Request: No session ID provided"
	otherToken = "Forbidden: the session belongs to another token"
)

// repeatedHeader returns the name of a security-relevant header that occurs more than once: a
// proxy may have checked a different value than the one read here.
func repeatedHeader(h http.Header) string {
	for _, name := range [...]string{
		"Authorization", sessionHeader, versionHeader, "Content-Type", "Mcp-Method", "Mcp-Name", projectHeader,
	} {
		if len(h[name]) > 1 {
			return name
		}
	}
	return ""
}

// plainName decodes a Base64 header value (2026-07-28, "=?base64?…?="); the SDK does not.
func plainName(value string) string {
	inner, begins := strings.CutPrefix(value, "=?base64?")
	inner, ends := strings.CutSuffix(inner, "?=")
	if name, err := base64.StdEncoding.DecodeString(inner); begins && ends && err == nil {
		return string(name)
	}
	return value
}

// Headers that carry values from the transport to the calls of a request. Context values would
// be those of the first request of a session.
const (
	internalHeaders = "Blue-Internal-"
	queryHeader     = internalHeaders + "Query"
	projectHeader   = "Blue-Project"
)

// Said is what an HTTP request says of its project, not yet decoded: an invalid query must fail
// the calls that need a project, and only those.
type Said struct {
	Query  string   // the part of the URL after the question mark
	Header []string // values of the header Blue-Project
}

// withQuery returns a copy of the request whose headers hold its query. It removes internal
// headers that the client sent.
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

// SaidOf returns what the HTTP request of a call says of the project.
func SaidOf(extra *mcp.RequestExtra) Said {
	if extra == nil {
		return Said{}
	}
	return saidIn(extra.Header)
}
