package mcp

import (
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"blue/errors"
	"blue/marker"
)

// defaultPort is that of --http HOST, unless BLUE_MCP_PORT names another.
const defaultPort = 7865

// address is where a server listens.
type address struct {
	host string // without brackets
	port int    // 0 takes a free one
}

// parseAddress completes HOST, :PORT and PORT.
func parseAddress(value string, env func(string) string) (a address, err error) {
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
	if a.host = host; host == "" {
		a.host = "127.0.0.1"
	}
	if net.ParseIP(a.host) == nil && !hostName.MatchString(a.host) {
		return a, errors.BadAddress(value, "the host is neither a name nor an address")
	}
	if port != "" {
		if a.port, err = portNumber(port); err != nil {
			return a, errors.BadAddress(value, "the port is no number from 0 to 65535")
		}
		return a, nil
	}
	if a.port = defaultPort; env("BLUE_MCP_PORT") != "" {
		if a.port, err = portNumber(env("BLUE_MCP_PORT")); err != nil {
			return a, errors.BadPort("BLUE_MCP_PORT", env("BLUE_MCP_PORT"))
		}
	}
	return a, nil
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)

func portNumber(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	return int(n), err
}

// check says where to listen, or what of h cannot be. Nothing is listening, and no
// file written, when it fails.
func (h HTTP) check(o Options) (a address, err error) {
	if a, err = parseAddress(h.Addr, o.Env); err != nil {
		return a, err
	}
	for _, name := range h.HostNames {
		host, port := splitHost(name)
		if _, err := portNumber(port); port != "" && err != nil || !hostName.MatchString(host) {
			return a, errors.BadHostName(name)
		}
	}
	for _, dir := range h.AllowRoots {
		path, err := marker.Parse(dir)
		if err != nil {
			return a, err
		}
		if reason := marker.Unservable(path); reason != "" {
			return a, errors.BadRoot(h.Addr, dir, reason)
		}
	}
	if h.SessionTimeout < 0 {
		return a, errors.BadTimeout(h.SessionTimeout)
	}
	if faults := h.missing(); !loopback(a.host) && len(faults) > 0 {
		return a, errors.OpenToOthers(a.host, faults...)
	}
	if len(h.allowed(o, a)) == 0 {
		return a, errors.NothingToServe(h.Addr)
	}
	return a, nil
}

// missing is what keeps h from serving others than this machine.
func (h HTTP) missing() (faults []string) {
	if h.NoAuth {
		faults = append(faults, "must not have --no-auth")
	}
	if len(h.HostNames) == 0 {
		faults = append(faults, "needs --host-name")
	}
	if len(h.AllowRoots) == 0 {
		faults = append(faults, "needs --allow-root")
	}
	return faults
}

// allowed are the directories to serve.
func (h HTTP) allowed(o Options, at address) (dirs []string) {
	for _, dir := range h.AllowRoots {
		path, _ := marker.Parse(dir) // checked
		dirs = append(dirs, path)
	}
	if len(dirs) == 0 && loopback(at.host) && o.Blue.Home() != "" {
		dirs = append(dirs, o.Blue.Home())
	}
	if o.Project != nil {
		if path, err := marker.Parse(*o.Project); err == nil && !slices.Contains(dirs, path) {
			dirs = append(dirs, path)
		}
	}
	return dirs
}

// flags are those of `blue mcp` by which the server was started, without the directories
// that it serves.
func (h HTTP) flags() string {
	text := "--http " + h.Addr
	for _, name := range h.HostNames {
		text += " --host-name " + name
	}
	if h.NoAuth {
		text += " --no-auth"
	}
	if h.SSE {
		text += " --sse"
	}
	if h.SessionTimeout != 0 && h.SessionTimeout != sessionTime {
		text += " --session-timeout " + h.SessionTimeout.String()
	}
	return text
}

const wsaAddrInUse = syscall.Errno(10048) // what Windows says for EADDRINUSE

func (a address) listen() (net.Listener, error) {
	at := net.JoinHostPort(a.host, strconv.Itoa(a.port))
	listener, err := net.Listen("tcp", at)
	switch {
	case errors.Is(err, syscall.EADDRINUSE), errors.Is(err, wsaAddrInUse):
		return nil, errors.PortInUse(a.port)
	case err != nil:
		return nil, errors.NoListener(at, err)
	}
	return listener, nil
}

// url is how clients reach the server: by its address on this machine, else by its
// first name.
func (a address) url(names []string) string {
	host, port := a.host, strconv.Itoa(a.port)
	if !loopback(host) {
		name, own := splitHost(names[0])
		if host = name; own != "" {
			port = own
		}
	}
	return fmt.Sprintf("http://%s%s", net.JoinHostPort(host, port), mcpPath)
}
