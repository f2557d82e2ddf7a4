package mcp

//lint:file-ignore SA1019 roots are deprecated, and still what most clients have

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
	"blue/errors"
	"blue/marker"
)

// session is what a door remembers of a client that opened with `initialize`:
// the only state it holds. It ends with the session.
type session struct {
	mu          sync.Mutex
	use         string            // directory that blue_use set, as it was given
	initialized bool              // notifications/initialized came
	surveyed    bool              // the sources below the winner were looked at once
	led         map[string]string // what the client said of its roots → root of the project that it led to
	ledRoots    string            // the last of them that roots/list led to
	answer      *answer
	asking      chan struct{}      // closed when the question under way is answered
	late        context.CancelFunc // ends the wait for an answer, which may be late
	generation  int                // of the roots: grows with every roots/list_changed
}

// answer is the outcome of roots/list.
type answer struct {
	candidates []marker.Candidate
	until      time.Time // zero: until roots/list_changed
}

const (
	rootsTime  = 2 * time.Second  // that a call waits for the client's roots
	lateTime   = 10 * time.Minute // after which an answer is no longer waited for
	emptyFor   = 5 * time.Second  // clients say [] before a folder is open
	rootsLimit = 33               // candidates kept: one more than is examined
)

// session is the state of a session, made when it is first needed and given up
// when the session ends.
func (d *door) session(ss *mcp.ServerSession) *session {
	if known, ok := d.sessions.Load(ss); ok {
		return known.(*session)
	}
	fresh, loaded := d.sessions.LoadOrStore(ss, &session{})
	if !loaded {
		go func() {
			_ = ss.Wait() // how it ended does not matter
			d.sessions.Delete(ss)
			d.roster.drop(seatName(ss))
		}()
	}
	return fresh.(*session)
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
	s := d.session(req.Session)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.initialized = true
}

func (d *door) rootsChanged(_ context.Context, req *mcp.RootsListChangedRequest) {
	s := d.session(req.Session)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = nil
	s.generation++
	d.sessionLog(req.Session).Debug("roots/list_changed")
}

// opened logs what a client sent with initialize: the fields of the schema, and those
// outside of it that clients send to name their directory, which is the session's mcp_root.
func (d *door) opened(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r, err := next(ctx, method, req)
		init, ok := req.GetParams().(*mcp.InitializeParams)
		if ss, known := req.GetSession().(*mcp.ServerSession); ok && known && init != nil {
			client := init.ClientInfo
			if client == nil {
				client = &mcp.Implementation{}
			}
			d.sessionLog(ss).DebugContext(ctx, "initialize", "client", cut(blue.Visible(client.Name+"/"+client.Version), 100), "protocol", cut(init.ProtocolVersion, 40),
				"capabilities", sentByClient(init.Meta[declaredKey]), "mcp_root", sentByClient(init.Meta[captureKey]), "failed", err != nil)
		}
		return r, err
	}
}

// sentByClient is what a client sent, as the log shows it.
func sentByClient(value any) string {
	if value == nil {
		return ""
	}
	data, _ := json.Marshal(value) // it was decoded from JSON
	return cut(blue.Visible(string(data)), logLimit)
}

// sessionLog is the log of what concerns a session and no call.
func (d *door) sessionLog(ss *mcp.ServerSession) *slog.Logger {
	return d.o.Log.With("transport", d.transport(), "session", cut(ss.ID(), 12))
}

// known is the remembered answer, nil when the client must be asked.
func (s *session) known(now time.Time) []marker.Candidate {
	if s.answer == nil || !s.answer.until.IsZero() && now.After(s.answer.until) {
		return nil
	}
	return s.answer.candidates
}

// roots asks the client for its roots, once for all calls that want to know.
func (s *session) roots(ctx context.Context, ss *mcp.ServerSession, log *slog.Logger) ([]marker.Candidate, error) {
	s.mu.Lock()
	for {
		if known := s.known(time.Now()); known != nil {
			s.mu.Unlock()
			return known, nil
		}
		if s.asking == nil {
			break
		}
		asking := s.asking
		s.mu.Unlock()
		select {
		case <-asking:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		s.mu.Lock()
	}
	asking, generation := make(chan struct{}), s.generation
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateTime)
	if s.late != nil {
		s.late() // of an earlier question, whose answer would not count any more
	}
	s.asking, s.late = asking, cancel
	s.mu.Unlock()
	answered, began := make(chan *answer, 1), time.Now()
	go func() {
		defer cancel()
		log.DebugContext(ctx, "roots/list sent")
		got := listRoots(ctx, ss)
		log.DebugContext(ctx, "roots/list answered", "took", time.Since(began).Round(time.Millisecond), "mcp_root", got.words())
		answered <- got
		s.keep(generation, got) // also when it comes too late for this call
	}()
	got := s.await(generation, answered)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking = nil
	close(asking)
	return got.candidates, nil
}

// await waits a short time for an answer. Later calls do not wait for one that is late.
func (s *session) await(generation int, answered <-chan *answer) *answer {
	late := time.NewTimer(rootsTime)
	defer late.Stop()
	select {
	case got := <-answered:
		s.keep(generation, got)
		return got
	case <-late.C:
	}
	silent := noAnswer("silent for 2 s")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.generation == generation && s.known(time.Now()) == nil { // it may have come just now
		s.answer = silent
	}
	return silent
}

// keep remembers an answer unless the roots have changed since the question.
func (s *session) keep(generation int, got *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.generation == generation {
		s.answer = got
	}
}

// words are an answer as the log shows it.
func (a *answer) words() string {
	var all []string
	for _, c := range a.candidates {
		all = append(all, strings.TrimSpace(c.Value+" "+c.Outcome+" "+c.Detail))
	}
	return cut(blue.Visible(strings.Join(all, ", ")), logLimit)
}

// logLimit is how many bytes of what a client sent stand in one line of the log.
const logLimit = 2 << 10

func noAnswer(detail string) *answer {
	return &answer{candidates: []marker.Candidate{{Source: marker.Roots, Outcome: marker.NoAnswer, Detail: detail}}}
}

// listRoots is one roots/list. Its context has the values of the call that asks, for over
// HTTP the question travels on the stream of that call, but not its end: others wait for
// the same answer, and a late one serves later calls.
func listRoots(ctx context.Context, ss *mcp.ServerSession) *answer {
	result, err := ss.ListRoots(ctx, nil)
	if err != nil {
		return noAnswer(rootsFault(ctx, err))
	}
	if len(result.Roots) == 0 {
		return &answer{candidates: rootCandidates(nil), until: time.Now().Add(emptyFor)}
	}
	return &answer{candidates: rootCandidates(result.Roots)}
}

// rootsFault says why a client gave no roots.
func rootsFault(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "silent"
	}
	if refusal, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return "it answered with the error " + cut(blue.Visible(refusal.Message), 100)
	}
	return "its answer is no list of roots"
}

// rootCandidates turns a client's list into candidates; an empty one is an
// outcome of its own.
func rootCandidates(roots []*mcp.Root) []marker.Candidate {
	if len(roots) == 0 {
		return []marker.Candidate{{Source: marker.Roots, Outcome: marker.Empty, Detail: "the client has no roots"}}
	}
	var all []marker.Candidate
	for _, root := range roots[:min(len(roots), rootsLimit)] {
		if root == nil {
			root = &mcp.Root{}
		}
		all = append(all, marker.Candidate{Source: marker.Roots, Value: root.URI, Name: root.Name, URI: true})
	}
	return all
}
