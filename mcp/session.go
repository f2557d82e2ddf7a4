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

// session is the state of a client that opened with `initialize`. It is the only state that a
// door keeps for a client, and it ends with the session.
type session struct {
	mu          sync.Mutex
	use         string             // directory or project that blue_use set, as it was given
	initialized atomic.Bool        // notifications/initialized came
	memory      marker.Memory      // the projects that its sources led to
	answer      *answer            // the last roots/list, nil when the client must be asked
	late        context.CancelFunc // cancels the wait for a late answer
}

// session returns the state of ss. It creates the state on first use and deletes it when ss
// ends.
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

// closeSession ends a session. Without stopWaiting the SDK would wait for the client's answer.
func (d *door) closeSession(ss *mcp.ServerSession) error {
	d.stopWaiting(ss)
	return ss.Close()
}

// stopWaiting cancels a pending request for the roots of a client that leaves.
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

// logOpening registers sessions that open over HTTP, and logs what a client sent with
// initialize: the fields of the schema, and those outside it in which some clients send their
// directory, logged as mcp_root.
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
				d.session(ss) // removes it from the registry when it ends
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

// compact copies the objects of decoded JSON into maps of their size, because the SDK's decoder
// allocates each with room for 64 members.
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

// logLimit is how many bytes of a client's data one line of the log shows.
const logLimit = 2 << 10

// sentByClient formats a client's data for the log.
func sentByClient(value any) string {
	if value == nil {
		return ""
	}
	data, _ := json.Marshal(value) // it was decoded from JSON
	return errors.Short(string(data), logLimit)
}

// sessionLog returns a logger for events that concern a session but no call.
func (d *door) sessionLog(ss *mcp.ServerSession) *slog.Logger {
	return d.o.Log.With("transport", d.transport(), "session", errors.Cut(ss.ID(), 12))
}

// open opens the project of this call.
func (c *call) open(ctx context.Context, cwd *string) (*blue.Project, error) {
	if cwd == nil && transport.UseFailed(ctx) {
		return nil, errors.E(errors.Conflict,
			"the blue_use that was sent before this call has failed, so that nobody knows which project the call means").
			Hint("", "", "nothing was done; send the call again with cwd, or after a blue_use that succeeds")
	}
	if c.d.o.Host != nil {
		return c.openHosted(ctx, cwd)
	}
	return c.d.o.Blue.Open(ctx, c.about(cwd))
}

// openPersonal opens the project of notes about the user, whatever project the call names.
func (c *call) openPersonal(ctx context.Context, _ *string) (*blue.Project, error) {
	if c.d.o.Host != nil {
		return nil, errors.BadValue("personal", "true", "private instead: a server keeps a note for you alone in the project")
	}
	return c.d.o.Blue.OpenPersonal(ctx, blue.Call{
		Cwd: c.d.o.Dir, Allowed: c.d.allowed, Client: c.name, Serving: true, Log: c.log,
	})
}

// root returns what the client says of its roots, for the advice to omit a bad cwd. If they are
// unknown it asks a client that has a session.
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
