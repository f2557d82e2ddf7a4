package transport

import (
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
)

// maxSessions is how many sessions a server keeps.
const maxSessions = 1000

// Registry holds the sessions that clients have opened over HTTP.
type Registry struct {
	mu    sync.Mutex
	known map[string]*registered // by session id
	end   func(*mcp.ServerSession) error
}

type registered struct {
	session *mcp.ServerSession
	user    string    // user of the token that opened it, empty without tokens
	used    time.Time // when its last request came or ended
	running int       // requests being answered
	order   order
}

// Add registers a session that a request has opened. Beyond the limit it closes the session
// that has been idle the longest.
func (g *Registry) Add(ss *mcp.ServerSession, extra *mcp.RequestExtra) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known[ss.ID()] = &registered{session: ss, user: userOf(extra), used: time.Now()}
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

// userOf returns the user of a request's token, empty without tokens.
func userOf(extra *mcp.RequestExtra) string {
	if extra == nil || extra.TokenInfo == nil {
		return ""
	}
	return extra.TokenInfo.UserID
}
