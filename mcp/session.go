package mcp

//lint:file-ignore SA1019 roots are deprecated, and still what most clients have (detection.md section 9)

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/marker"
)

// session is what a door remembers of a client that opened with `initialize`:
// the only state it holds (detection.md section 10). It ends with the session.
type session struct {
	mu          sync.Mutex
	use         string // directory that blue_use set, as it was given
	initialized bool   // notifications/initialized came
	surveyed    bool   // the sources below the winner were looked at once
	answer      *answer
	asking      chan struct{} // closed when the question under way is answered
	generation  int           // of the roots: grows with every roots/list_changed
}

// answer is the outcome of roots/list.
type answer struct {
	candidates []marker.Candidate
	until      time.Time // zero: until roots/list_changed
}

const (
	rootsTime  = 2 * time.Second // a client that does not answer has no roots
	emptyFor   = 5 * time.Second // clients say [] before a folder is open
	rootsLimit = 33              // candidates kept: one more than is examined
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
}

// known is the remembered answer, nil when the client must be asked.
func (s *session) known(now time.Time) []marker.Candidate {
	if s.answer == nil || !s.answer.until.IsZero() && now.After(s.answer.until) {
		return nil
	}
	return s.answer.candidates
}

// roots asks the client for its roots, once for all calls that want to know.
func (s *session) roots(ctx context.Context, ss *mcp.ServerSession) ([]marker.Candidate, error) {
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
	s.asking = asking
	s.mu.Unlock()
	got := listRoots(ctx, ss)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking = nil
	close(asking)
	if s.generation == generation {
		s.answer = got
	}
	return got.candidates, nil
}

// listRoots is one roots/list. The context keeps its values, for over HTTP the
// question travels on the stream of the call, but not its end: others wait for
// the same answer.
func listRoots(ctx context.Context, ss *mcp.ServerSession) *answer {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), rootsTime)
	defer stop()
	result, err := ss.ListRoots(ctx, nil)
	if err != nil {
		return &answer{candidates: []marker.Candidate{{Source: marker.Roots, Outcome: marker.NoAnswer, Detail: cut(err.Error(), 200)}}}
	}
	if len(result.Roots) == 0 {
		return &answer{candidates: rootCandidates(nil), until: time.Now().Add(emptyFor)}
	}
	return &answer{candidates: rootCandidates(result.Roots)}
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
