package transport

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
)

// defaultPort is that of --http HOST, unless BLUE_MCP_PORT names another.
const defaultPort = 7865

// Address is the host and port on which a server listens.
type Address struct {
	Host string // without brackets
	Port int    // 0 takes a free one
}

// ParseAddress parses HOST:PORT, HOST, :PORT or PORT. The port of a HOST alone is other, the
// value of BLUE_MCP_PORT, or the default.
func ParseAddress(value, other string) (a Address, err error) {
	whole := value
	if value != "" && strings.Trim(value, "0123456789") == "" { // no host is a number
		whole = ":" + value
	}
	host, port, err := net.SplitHostPort(whole)
	if err != nil { // no port
		host, port = strings.TrimSuffix(strings.TrimPrefix(value, "["), "]"), ""
		if host == "" || strings.Contains(host, ":") && net.ParseIP(host) == nil {
			return a, errors.BadAddress(value, "that is neither HOST:PORT nor HOST nor PORT")
		}
	} else if port == "" {
		return a, errors.BadAddress(value, "the port is missing")
	}
	if a.Host = host; host == "" {
		a.Host = "127.0.0.1"
	}
	if net.ParseIP(a.Host) == nil && !hostName.MatchString(a.Host) {
		return a, errors.BadAddress(value, "the host is neither a name nor an address")
	}
	if port != "" {
		if a.Port, err = portNumber(port); err != nil {
			return a, errors.BadAddress(value, "the port is no number from 0 to 65535")
		}
		return a, nil
	}
	if a.Port = defaultPort; other != "" {
		if a.Port, err = portNumber(other); err != nil {
			return a, errors.E(errors.Invalid, "\"BLUE_MCP_PORT\" cannot be %s", errors.Quote(other)).
				Hint("", "", "set it to a number from 0 to 65535, or name the port: --http HOST:PORT")
		}
	}
	return a, nil
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)

func portNumber(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	return int(n), err
}

// CheckHostNames returns an error for the first invalid name of --host-name.
func CheckHostNames(names []string) error {
	for _, name := range names {
		host, port := splitHost(name)
		if _, err := portNumber(port); port != "" && err != nil || !hostName.MatchString(host) {
			return errors.E(errors.Invalid, "--host-name cannot be %s", errors.Quote(name)).
				Hint("mcp", "--http 0.0.0.0:7865 --host-name notes.example --allow-root DIR",
					"give NAME or NAME:PORT, as clients spell it")
		}
	}
	return nil
}

const wsaAddrInUse = syscall.Errno(10048) // EADDRINUSE on Windows

// Listen opens the address.
func (a Address) Listen() (net.Listener, error) {
	at := net.JoinHostPort(a.Host, strconv.Itoa(a.Port))
	listener, err := net.Listen("tcp", at)
	switch {
	case errors.Is(err, syscall.EADDRINUSE), errors.Is(err, wsaAddrInUse):
		return nil, errors.E(errors.Busy, "port %d is already in use", a.Port).
			Hint("", "", fmt.Sprintf("take another one: blue mcp --http 127.0.0.1:%d", a.Port%65535+1)).
			Hint("", "", "or let the system choose: blue mcp --http 127.0.0.1:0")
	case err != nil:
		return nil, errors.E(errors.Invalid, "listening on %s: %w", errors.Quote(at), err).
			Hint("mcp", "--http 127.0.0.1:7865", "take an address of this machine")
	}
	return listener, nil
}

// URL returns the URL for clients: with the address if that is of this machine, else with the
// first of the names.
func (a Address) URL(names []string) string {
	host, port := a.Host, strconv.Itoa(a.Port)
	if !a.Loopback() {
		name, own := splitHost(names[0])
		if host = name; own != "" {
			port = own
		}
	}
	return fmt.Sprintf("http://%s%s", net.JoinHostPort(host, port), mcpPath)
}

// Loopback reports whether only this machine reaches the address.
func (a Address) Loopback() bool {
	ip := net.ParseIP(a.Host)
	return strings.EqualFold(a.Host, "localhost") || ip != nil && ip.IsLoopback()
}

// hosts are the names by which clients may reach a server. A request under any other name may
// come from a page of a foreign site (DNS rebinding).
type hosts struct {
	port  string            // bound
	names map[string]string // of --host-name, in lower case, and their ports; empty: the bound one or none
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

// allows reports whether the values of a header Origin are allowed: none, or one origin of
// this server. An origin without port is port 80, which is another server.
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

// Routes of every server.
const (
	mcpPath    = "/mcp"
	healthPath = "/health"
	ssePath    = "/sse"
)

const (
	maxBody       = 1 << 20
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"

	needID     = "Bad Request: No session ID provided"
	otherToken = "Forbidden: the session belongs to another token"
)

// repeatedHeader returns the name of a checked header that came more than once: a proxy may
// have checked another of its values than the one read here.
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

// plainName decodes a Base64 header value (2026-07-28, "=?base64?…?="), which the SDK does not.
func plainName(value string) string {
	inner, begins := strings.CutPrefix(value, "=?base64?")
	inner, ends := strings.CutSuffix(inner, "?=")
	if name, err := base64.StdEncoding.DecodeString(inner); begins && ends && err == nil {
		return string(name)
	}
	return value
}

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
