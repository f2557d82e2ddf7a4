package mcp

//lint:file-ignore SA1019 roots are deprecated, and still what most clients have

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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
			d.sessionLog(ss).DebugContext(ctx, "initialize", "client", errors.Short(client.Name+"/"+client.Version, 100), "protocol", errors.Cut(init.ProtocolVersion, 40),
				"capabilities", sentByClient(init.Meta[transport.DeclaredKey]), "mcp_root", sentByClient(init.Meta[transport.CaptureKey]), "failed", err != nil)
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
	return c.d.o.Blue.OpenPersonal(ctx, blue.Call{Cwd: c.d.o.Dir, Allowed: c.d.allowed, Client: c.name, Serving: true, Log: c.log})
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

// openHosted opens the project of a call among those that the caller may see.
func (c *call) openHosted(ctx context.Context, cwd *string) (*blue.Project, error) {
	names, err := c.projectNames()
	if err != nil {
		return nil, err
	}
	p, err := c.d.o.Host.Open(ctx, blue.Asked{Caller: c.caller, Names: names, Cwd: cwd, Client: shownClient(c.name)})
	if err == nil {
		c.project = p.Ref().Name
	}
	return p, err
}

const (
	rootsTime  = 2 * time.Second  // that a call waits for the client's roots
	lateTime   = 10 * time.Minute // after which an answer is no longer waited for
	emptyFor   = 5 * time.Second  // clients say [] before a folder is open
	rootsLimit = 33               // candidates kept: one more than is examined
)

// answer is one roots/list and what came of it.
type answer struct {
	candidates []marker.Candidate // nil until it is settled
	until      time.Time          // zero: until roots/list_changed
	settled    chan struct{}      // closed when there are candidates
	stale      bool               // roots/list_changed came meanwhile: it counts for the call that asked alone
}

// knownRoots are those that the client has said, nil when it must be asked.
func (s *session) knownRoots() []marker.Candidate {
	if a := s.answer; a != nil && (a.until.IsZero() || time.Now().Before(a.until)) {
		return a.candidates
	}
	return nil
}

// roots asks the client for its roots, once for all calls that want to know.
func (s *session) roots(ctx context.Context, ss *mcp.ServerSession, log *slog.Logger) ([]marker.Candidate, error) {
	for {
		s.mu.Lock()
		known, a := s.knownRoots(), s.answer
		asks := known == nil && (a == nil || a.candidates != nil)
		if asks {
			a = s.askRoots(ctx, ss, log)
		}
		s.mu.Unlock()
		if known != nil {
			return known, nil
		}
		select {
		case <-a.settled:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if asks {
			s.mu.Lock()
			defer s.mu.Unlock()
			return a.candidates, nil
		}
	}
}

// askRoots begins a roots/list. Calls wait a short time for it; an answer that comes later
// serves later calls. Its context has the values of the call that asks, for over HTTP the
// question travels on the stream of that call, but not its end: others wait for the same
// answer. The lock must be held.
func (s *session) askRoots(ctx context.Context, ss *mcp.ServerSession, log *slog.Logger) *answer {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateTime)
	if s.late != nil {
		s.late() // of an earlier question, whose answer would not count any more
	}
	a := &answer{settled: make(chan struct{})}
	s.answer, s.late = a, cancel
	go func() {
		defer cancel()
		began := time.Now()
		silence := time.AfterFunc(rootsTime, func() { s.settle(a, noAnswer("silent for 2 s"), true) })
		defer silence.Stop()
		log.DebugContext(ctx, "roots/list sent")
		candidates, answered := listRoots(ctx, ss)
		what := map[bool]string{true: "roots/list answered", false: "roots/list not answered"}[answered]
		log.DebugContext(ctx, what, "took", time.Since(began).Round(time.Millisecond), "mcp_root", candidateWords(candidates))
		s.settle(a, candidates, false)
	}()
	return a
}

// settle says what came of a roots/list: silence, or an answer, which may follow it.
func (s *session) settle(a *answer, candidates []marker.Candidate, silence bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.candidates == nil {
		defer close(a.settled)
	} else if silence {
		return
	}
	a.candidates = candidates
	if a.until = (time.Time{}); candidates[0].Outcome == marker.Empty {
		a.until = time.Now().Add(emptyFor)
	}
	if a.stale && s.answer == a {
		s.answer = nil
	}
}

// candidateWords are candidates as the log shows them.
func candidateWords(candidates []marker.Candidate) string {
	var all []string
	for _, c := range candidates {
		all = append(all, strings.TrimSpace(c.Value+" "+c.Outcome+" "+c.Detail))
	}
	return errors.Short(strings.Join(all, ", "), logLimit)
}

func noAnswer(detail string) []marker.Candidate {
	return []marker.Candidate{{Source: marker.Roots, Outcome: marker.NoAnswer, Detail: detail}}
}

// listRoots asks the client for its roots, and reports whether it has answered.
func listRoots(ctx context.Context, ss *mcp.ServerSession) (candidates []marker.Candidate, answered bool) {
	result, err := ss.ListRoots(ctx, nil)
	refusal, refused := errors.AsType[*jsonrpc.Error](err)
	switch {
	case err == nil:
		return rootCandidates(result.Roots), true
	case ctx.Err() != nil:
		return noAnswer("silent"), false
	case refused && refusal.Code == transport.CodeNotAsked:
		return noAnswer(refusal.Message), false
	case refused:
		return noAnswer("it answered with the error " + errors.Short(refusal.Message, 100)), true
	case errors.Is(err, mcp.ErrConnectionClosed):
		return noAnswer("the session has ended"), false
	}
	return noAnswer("its answer is no list of roots"), true
}

// rootCandidates turns a client's list into candidates; an empty one is an outcome of its
// own.
func rootCandidates(roots []*mcp.Root) []marker.Candidate {
	if len(roots) == 0 {
		return []marker.Candidate{{Source: marker.Roots, Outcome: marker.Empty, Detail: "the client has no roots"}}
	}
	var all []marker.Candidate
	for _, root := range roots[:min(len(roots), rootsLimit)] {
		root = cmp.Or(root, &mcp.Root{}) // for null
		all = append(all, marker.Candidate{Source: marker.Roots, Value: root.URI, Name: root.Name, URI: true})
	}
	return all
}
