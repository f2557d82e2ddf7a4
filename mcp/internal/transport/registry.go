package transport

import (
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"blue/errors"
)

// Limits of the sessions of a server.
const (
	maxSessions = 1000
	perSecond   = 50  // calls of one session, or of one token if there are no sessions
	burst       = 200 // calls at once
)

// Registry holds the sessions that clients have opened over HTTP.
type Registry struct {
	Rate  rate.Limit // calls per second of one session or token
	Burst int        // calls at once

	mu     sync.Mutex
	known  map[string]*registered   // by session id
	tokens map[string]*rate.Limiter // by user, for requests without a session
	end    func(*mcp.ServerSession) error
}

type registered struct {
	session *mcp.ServerSession
	user    string // user of the token that opened it, empty without tokens
	pace    *rate.Limiter
	used    time.Time // when its last request came or ended
	running int       // requests being answered
	order   order
}

// Add registers a session that a request has opened. Beyond the limit it closes the session
// that has been idle the longest.
func (g *Registry) Add(ss *mcp.ServerSession, extra *mcp.RequestExtra) {
	g.mu.Lock()
	defer g.mu.Unlock()
	pace := rate.NewLimiter(g.Rate, g.Burst)
	g.known[ss.ID()] = &registered{session: ss, user: userOf(extra), pace: pace, used: time.Now()}
	if len(g.known) <= maxSessions {
		return
	}
	name, idle := "", (*registered)(nil)
	for n, s := range g.known {
		if s.session != ss && (idle == nil || s.idler(idle)) {
			name, idle = n, s
		}
	}
	delete(g.known, name)
	go g.end(idle.session) // waits for what the session still runs
}

func (s *registered) idler(other *registered) bool {
	if busy := s.running > 0; busy != (other.running > 0) {
		return !busy
	}
	return s.used.Before(other.used)
}

// enter begins a request of the session id; leave ends it. The kind of the error is NotFound
// for an unknown session, and Invalid for a session of another user.
func (g *Registry) enter(id, user string) (o *order, leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.known[id]
	if s == nil {
		return nil, nil, errors.NotFound
	}
	if s.user != user {
		return nil, nil, errors.Invalid
	}
	s.running++
	s.used = time.Now()
	return &s.order, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		s.running--
		s.used = time.Now()
	}, nil
}

// find returns the session with the given id, nil if there is none.
func (g *Registry) find(id string) *mcp.ServerSession {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.known[id]; s != nil {
		return s.session
	}
	return nil
}

// Drop removes a session that has ended.
func (g *Registry) Drop(ss *mcp.ServerSession) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.known, ss.ID())
}

// count returns how many sessions there are, and how many of their calls have a turn.
func (g *Registry) count() (sessions, turns int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.known {
		turns += s.order.count()
	}
	return len(g.known), turns
}

// Delay returns how long a call must wait because of the rate limit of its session or token,
// zero if it may be made now.
func (g *Registry) Delay(req mcp.Request) time.Duration {
	turn := g.limiter(req).Reserve()
	wait := turn.Delay()
	if wait > 0 {
		turn.Cancel()
	}
	return wait
}

// limiter returns the rate limiter of the session or the token of a request.
func (g *Registry) limiter(req mcp.Request) *rate.Limiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ss, ok := req.GetSession().(*mcp.ServerSession); ok && !StandsAlone(req) {
		if s := g.known[ss.ID()]; s != nil {
			s.used = time.Now()
			return s.pace
		}
	}
	user := userOf(req.GetExtra())
	if g.tokens[user] == nil {
		g.tokens[user] = rate.NewLimiter(g.Rate, g.Burst)
	}
	return g.tokens[user]
}

// userOf returns the user of a request's token, empty without tokens.
func userOf(extra *mcp.RequestExtra) string {
	if extra == nil || extra.TokenInfo == nil {
		return ""
	}
	return extra.TokenInfo.UserID
}
