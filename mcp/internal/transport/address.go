package transport

import (
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"blue/errors"
)

// defaultPort is the port of --http HOST unless BLUE_MCP_PORT names another.
const defaultPort = 7865

// Address is the host and port on which a server listens.
type Address struct {
	Host string // without brackets
	Port int    // 0 takes a free one
}

// ParseAddress parses HOST:PORT, HOST, :PORT or PORT. If value has no port it uses other, the
// value of BLUE_MCP_PORT, or the default.
func ParseAddress(value, other string) (a Address, err error) {
	whole := value
	if value != "" && strings.Trim(value, "0123456789") == "" { // a number is no host
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

// URL returns the URL for clients. It has the address if that is a loopback address, and the
// first of the names otherwise.
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

// Routes of every server.
const (
	mcpPath    = "/mcp"
	healthPath = "/health"
)
