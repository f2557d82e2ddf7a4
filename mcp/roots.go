package mcp

//lint:file-ignore SA1019 roots are deprecated, and still what most clients have

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
	"blue/marker"
	"blue/mcp/internal/transport"
)

const (
	rootsTime  = 2 * time.Second  // how long a call waits for the client's roots
	lateTime   = 10 * time.Minute // how long a late answer is still accepted
	emptyFor   = 5 * time.Second  // clients say [] before a folder is open
	rootsLimit = 33               // candidates kept: one more than is examined
)

// answer is the outcome of one roots/list request.
type answer struct {
	candidates []marker.Candidate // nil until it is settled
	until      time.Time          // zero: until roots/list_changed
	settled    chan struct{}      // closed when there are candidates
	stale      bool               // roots/list_changed came first: it counts only for its asker
}

// knownRoots returns the roots that the client has sent, nil if it must be asked.
func (s *session) knownRoots() []marker.Candidate {
	if a := s.answer; a != nil && (a.until.IsZero() || time.Now().Before(a.until)) {
		return a.candidates
	}
	return nil
}

// roots asks the client for its roots. Concurrent calls share one request.
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

// askRoots starts a roots/list request. Calls wait for it only a short time; a later answer
// serves later calls. The request inherits the values of the call's context, because over HTTP
// it travels on that call's stream, but not its cancellation: other calls wait for the same
// answer. The caller must hold s.mu.
func (s *session) askRoots(ctx context.Context, ss *mcp.ServerSession, log *slog.Logger) *answer {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateTime)
	if s.late != nil {
		s.late() // cancel an earlier request, whose answer would no longer count
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

// settle records the outcome of a roots/list: silence, or an answer, which may follow silence.
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

// candidateWords formats candidates for the log.
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

// listRoots asks the client for its roots and reports whether it answered.
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

// rootCandidates converts a client's list to candidates; an empty list has an outcome of its
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
