package mcp

//lint:file-ignore SA1019 roots are deprecated, and still what most clients have

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
	"blue/errors"
	"blue/marker"
	"blue/mcp/internal/transport"
)

// session is what a door remembers of a client that opened with `initialize`: the only
// state it holds. It ends with the session.
type session struct {
	mu          sync.Mutex
	use         string             // directory that blue_use set, as it was given
	initialized atomic.Bool        // notifications/initialized came
	surveyed    atomic.Bool        // the sources below the winner were looked at once
	led         map[string]string  // what the client said of its roots → root of the project that it led to
	ledRoots    string             // the last of them that roots/list led to
	answer      *answer            // the last roots/list, nil when the client must be asked
	late        context.CancelFunc // ends the wait for its answer, which may be late
}

// session is the state of a session, made when it is first needed and given up when the
// session ends.
func (d *door) session(ss *mcp.ServerSession) *session {
	s, known := d.sessions.LoadOrStore(ss, new(session))
	if !known {
		go func() {
			_ = ss.Wait() // how it ended does not matter
			d.sessionLog(ss).Debug("session ended")
			d.sessions.Delete(ss)
			if d.web != nil {
				d.web.Sessions.Drop(ss)
			}
		}()
	}
	return s.(*session)
}

// closeSession ends a session. The SDK would wait for an answer of the client.
func (d *door) closeSession(ss *mcp.ServerSession) error {
	d.stopWaiting(ss)
	return ss.Close()
}

// stopWaiting gives up the wait for the roots of a client that leaves.
func (d *door) stopWaiting(ss *mcp.ServerSession) {
	s := d.session(ss)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.late != nil {
		s.late()
	}
}

func (d *door) initialized(_ context.Context, req *mcp.InitializedRequest) {
	d.session(req.Session).initialized.Store(true)
}

func (d *door) rootsChanged(_ context.Context, req *mcp.RootsListChangedRequest) {
	s := d.session(req.Session)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer != nil && s.answer.candidates == nil {
		s.answer.stale = true
	} else {
		s.answer = nil
	}
	d.sessionLog(req.Session).Debug("roots/list_changed")
}

// logOpening registers the sessions that open over HTTP, and logs what a client sent with
// initialize: the fields of the schema, and those outside of it that clients send to name
// their directory, which is the session's mcp_root.
func (d *door) logOpening(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		init, ok := req.GetParams().(*mcp.InitializeParams)
		if ok && init != nil { // kept as long as the session
			init.Meta, _ = compact(map[string]any(init.Meta)).(map[string]any)
		}
		r, err := next(ctx, method, req)
		if ss, known := req.GetSession().(*mcp.ServerSession); ok && known && init != nil {
			if d.web != nil && err == nil {
				d.web.Sessions.Add(ss, req.GetExtra())
				d.session(ss) // its end takes it off the registry
			}
			client := cmp.Or(init.ClientInfo, &mcp.Implementation{})
			d.sessionLog(ss).DebugContext(ctx, "initialize",
				"client", errors.Short(client.Name+"/"+client.Version, 100),
				"protocol", errors.Cut(init.ProtocolVersion, 40),
				"capabilities", sentByClient(init.Meta[transport.DeclaredKey]),
				"mcp_root", sentByClient(init.Meta[transport.CaptureKey]),
				"failed", err != nil)
		}
		return r, err
	}
}

// compact copies the objects of decoded JSON: the SDK's decoder makes each with room for 64
// members.
func compact(value any) any {
	object, ok := value.(map[string]any)
	if !ok || object == nil {
		return value
	}
	small := make(map[string]any, len(object))
	for name, member := range object {
		small[name] = compact(member)
	}
	return small
}

// logLimit is how many bytes of what a client sent stand in one line of the log.
const logLimit = 2 << 10

// sentByClient is what a client sent, as the log shows it.
func sentByClient(value any) string {
	if value == nil {
		return ""
	}
	data, _ := json.Marshal(value) // it was decoded from JSON
	return errors.Short(string(data), logLimit)
}

// sessionLog is the log of what concerns a session and no call.
func (d *door) sessionLog(ss *mcp.ServerSession) *slog.Logger {
	return d.o.Log.With("transport", d.transport(), "session", errors.Cut(ss.ID(), 12))
}

// open opens the project of this call, and remembers which root of the client led to it.
func (c *call) open(ctx context.Context, cwd *string) (*blue.Project, error) {
	if cwd == nil && transport.UseFailed(ctx) {
		return nil, errors.E(errors.Conflict,
			"the blue_use that was sent before this call has failed, so that nobody knows which project the call means").
			Hint("", "", "nothing was done; send the call again with cwd, or after a blue_use that succeeds")
	}
	if c.d.o.Host != nil {
		return c.openHosted(ctx, cwd)
	}
	p, err := c.d.o.Blue.Open(ctx, c.about(cwd))
	if err == nil {
		c.remember(p.Heard())
	}
	return p, err
}

// openPersonal opens the project of the notes about the user, whatever the call says of
// another one.
func (c *call) openPersonal(ctx context.Context, _ *string) (*blue.Project, error) {
	if c.d.o.Host != nil {
		return nil, errors.BadValue("personal", "true", "private instead: a server keeps a note for you alone in the project")
	}
	return c.d.o.Blue.OpenPersonal(ctx, blue.Call{
		Cwd: c.d.o.Dir, Allowed: c.d.allowed, Client: c.name, Serving: true, Log: c.log,
	})
}

// maxLed is how many values of roots a session remembers.
const maxLed = 100

// remember keeps which root of the client led to which project: when it does so no more, a
// change must not go to another project.
func (c *call) remember(source marker.Source, value, root string) {
	if c.session == nil || source != marker.Roots && source != marker.Initialize {
		return
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	if c.session.led == nil || len(c.session.led) >= maxLed {
		c.session.led = map[string]string{}
	}
	c.session.led[value] = root
	if source == marker.Roots {
		c.session.ledRoots = root
	}
}

// root is what the client says of its roots, for the advice to leave out a bad cwd. A
// client of a session is asked when that is not known yet.
func (c *call) root(ctx context.Context) (all []marker.Candidate) {
	for _, candidate := range slices.Concat(c.roots(), c.candidates(marker.Initialize, nil)) {
		switch {
		case candidate.Ask == nil:
			all = append(all, candidate)
		case c.session != nil:
			if roots, err := candidate.Ask(ctx); err == nil {
				all = append(all, roots...)
			}
		}
	}
	return all
}

// markLed marks the candidates that led to a project before in this session.
func (c *call) markLed(candidates []marker.Candidate) []marker.Candidate {
	if c.session == nil {
		return candidates
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	marked := slices.Clone(candidates)
	for i, candidate := range marked {
		marked[i].Led = c.session.led[candidate.Value]
		if candidate.Outcome == marker.NoAnswer || candidate.Outcome == marker.Empty {
			marked[i].Led = c.session.ledRoots
		}
	}
	return marked
}
