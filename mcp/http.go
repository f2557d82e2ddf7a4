package mcp

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
	"blue/errors"
	"blue/marker"
	"blue/mcp/internal/transport"
)

// HTTP configures `blue mcp --http`.
type HTTP struct {
	Addr           string        // HOST:PORT, HOST or :PORT
	HostNames      []string      // more names of the server, with or without a port
	AllowRoots     []string      // the only directories to serve
	NoAuth         bool          // require no token; allowed on loopback only
	SessionTimeout time.Duration // how long an idle session is kept; zero is 24 hours
}

// sessionTime is how long an idle session is kept.
const sessionTime = 24 * time.Hour

// ServeHTTP serves the protocol on HTTP until ctx ends, and then gives running calls 10 s to
// finish. It writes one line with its URL to note. If the settings in h are invalid the error
// has the kind Invalid.
func ServeHTTP(ctx context.Context, o Options, h HTTP, note io.Writer) error {
	at, err := h.check(o)
	if err != nil {
		return err
	}
	tokens, err := h.tokens(o)
	if err != nil {
		return err
	}
	listener, err := at.Listen()
	if err != nil {
		return err
	}
	at.Port = listener.Addr().(*net.TCPAddr).Port
	d, _ := newHTTPDoor(o, h, at, tokens)
	url := at.URL(h.HostNames)
	forget, err := transport.Announce(filepath.Join(o.Blue.Directory("state"), "http"), url)
	if err != nil {
		d.o.Log.Warn("blue doctor cannot see this server", "err", err)
	}
	defer forget()
	if tokens == nil {
		d.o.Log.Warn("--no-auth: every program on this machine can read and change the notes")
		fmt.Fprintf(note, "Blue MCP on %s, without a token\n", url)
	} else {
		fmt.Fprintf(note, "Blue MCP on %s, token in %s\n", url, tilde(tokens.Path, o.Blue.Home()))
	}
	return d.run(ctx, func(ctx context.Context) error { return d.web.Run(ctx, listener) })
}

// tokens opens the tokens that clients must present; nil means that none is required.
func (h HTTP) tokens(o Options) (*transport.Tokens, error) {
	if h.NoAuth {
		return nil, nil
	}
	return transport.OpenTokens(o.Blue.TokenFile(), blue.ReadTokens, o.Log)
}

func tilde(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return filepath.Join("~", rest)
	}
	return path
}

func newHTTPDoor(o Options, h HTTP, at transport.Address, tokens *transport.Tokens) (*door, *mcp.Server) {
	o.Dir = marker.NotOverHTTP
	d := newDoor(o)
	d.allowed, d.restart = h.allowed(o, at), h.flags()
	server := d.openWeb(at, transport.Options{
		HostNames: h.HostNames, Tokens: tokens, SessionTimeout: cmp.Or(h.SessionTimeout, sessionTime),
	})
	return d, server
}

// openWeb creates the HTTP server of a door. It completes the options with what the local and
// the hosted server have in common.
func (d *door) openWeb(at transport.Address, o transport.Options) *mcp.Server {
	d.calls = newSemaphore(atOnce, waiting, 0)
	if d.counts != nil {
		d.o.Host.LimitFiles(int(min(transport.OpenFiles()/2, math.MaxInt32))) // the other half is for connections
		d.calls = newSemaphore(atOnce, hostedWaiting, hostedPatience)
	}
	o.Server, o.Version, o.Log = d.server(), d.o.Version, d.o.Log
	o.Port, o.Turns, o.LostTurn = at.Port, &d.turns, lostTurn
	o.Close, o.Leave = d.closeSession, d.stopWaiting
	o.Busy = func() bool { return len(d.calls.queued)+d.turns.Waiting() > 0 }
	d.memory.Shared = true
	d.web = transport.New(o)
	return o.Server
}

// lostTurn is when a turn is given up whose call never reached the server: the SDK rejected it.
const lostTurn = callTime + 5*time.Second

// check returns the address to listen on, or the first fault of h. It neither listens nor
// writes files.
func (h HTTP) check(o Options) (at transport.Address, err error) {
	if at, err = transport.ParseAddress(h.Addr, o.Env("BLUE_MCP_PORT")); err != nil {
		return at, err
	}
	if err := transport.CheckHostNames(h.HostNames); err != nil {
		return at, err
	}
	for _, dir := range h.AllowRoots {
		path, err := marker.Parse(dir)
		if err != nil {
			return at, err
		}
		if reason := marker.Unservable(path); reason != "" {
			return at, errors.E(errors.Invalid, "--allow-root cannot be %s: it %s", errors.Quote(dir), reason).
				Hint("mcp", "--http "+errors.Argument(h.Addr)+" --allow-root DIR", "name a directory that exists")
		}
	}
	if h.SessionTimeout < 0 {
		return at, errors.BadTimeout(h.SessionTimeout)
	}
	if faults := h.missing(); !at.Loopback() && len(faults) > 0 {
		return at, errors.E(errors.Invalid, "a server on %s %s", errors.Quote(at.Host), strings.Join(faults, " and ")).
			Hint("mcp", "--http "+errors.Argument(at.Host)+":7865 --host-name NAME --allow-root DIR",
				"name what it serves, and keep the token").
			Hint("mcp", "--http 127.0.0.1:7865", "or serve this machine alone")
	}
	if len(h.allowed(o, at)) == 0 {
		return at, errors.E(errors.Invalid, "the home directory is unknown, so there is nothing to serve").
			Hint("", "", "set HOME to your home directory and run the same command again").
			Hint("mcp", "--http "+errors.Argument(h.Addr)+" --allow-root DIR", "or name the directory to serve")
	}
	return at, nil
}

// missing returns the reasons why h must not serve clients on other machines.
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

func (h HTTP) allowed(o Options, at transport.Address) (dirs []string) {
	for _, dir := range h.AllowRoots {
		path, _ := marker.Parse(dir) // checked
		dirs = append(dirs, path)
	}
	if len(dirs) == 0 && at.Loopback() && o.Blue.Home() != "" {
		dirs = append(dirs, o.Blue.Home())
	}
	if o.Project != nil {
		if path, err := marker.Parse(*o.Project); err == nil && !slices.Contains(dirs, path) {
			dirs = append(dirs, path)
		}
	}
	return dirs
}

// flags returns the flags of `blue mcp` that start this server, without the directories that it
// serves.
func (h HTTP) flags() string {
	text := "--http " + h.Addr
	for _, name := range h.HostNames {
		text += " --host-name " + name
	}
	if h.NoAuth {
		text += " --no-auth"
	}
	if h.SessionTimeout != 0 && h.SessionTimeout != sessionTime {
		text += " --session-timeout " + h.SessionTimeout.String()
	}
	return text
}
