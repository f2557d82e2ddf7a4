package mcp

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"blue/errors"
)

// Limits of a server on HTTP.
const (
	maxSessions = 1000
	perSecond   = 50  // calls of one session, or of one token when there are no sessions
	burst       = 200 // of them at once
)

// seat is one session that a client has opened over HTTP.
type seat struct {
	session *mcp.ServerSession
	user    string // whose token opened it, empty without tokens
	pace    *rate.Limiter
	used    time.Time // when the last of its requests came or ended
	running int       // requests that are being answered
	order   order
}

// roster is who is being served over HTTP.
type roster struct {
	mu     sync.Mutex
	seats  map[string]*seat         // by session id
	tokens map[string]*rate.Limiter // by user, for requests without a session
	limit  int                      // of seats
	end    func(*mcp.ServerSession) error
	rate   rate.Limit
	burst  int
}

func newRoster() *roster {
	return &roster{seats: map[string]*seat{}, tokens: map[string]*rate.Limiter{}, limit: maxSessions, rate: perSecond, burst: burst}
}

// seatName is the id of a session; those of the 2024-11-05 transport have none
// that the SDK tells.
func seatName(ss *mcp.ServerSession) string {
	if id := ss.ID(); id != "" {
		return id
	}
	return fmt.Sprintf("sse %p", ss)
}

// add seats a session. One too many makes the longest idle one leave.
func (r *roster) add(ss *mcp.ServerSession, user string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seats[seatName(ss)] = &seat{session: ss, user: user, pace: rate.NewLimiter(r.rate, r.burst), used: time.Now()}
	if len(r.seats) <= r.limit {
		return
	}
	name, idle := "", (*seat)(nil)
	for n, s := range r.seats {
		if s.session != ss && (idle == nil || s.idler(idle)) {
			name, idle = n, s
		}
	}
	delete(r.seats, name)
	go r.end(idle.session) // waits for what the session still runs
}

func (s *seat) idler(other *seat) bool {
	if busy := s.running > 0; busy != (other.running > 0) {
		return !busy
	}
	return s.used.Before(other.used)
}

// enter begins a request of the session id; leave ends it. The kind of the error
// is NotFound for an unknown session, and Invalid for that of another user.
func (r *roster) enter(id, user string) (leave func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.seats[id]
	if s == nil {
		return nil, errors.NotFound
	}
	if s.user != user {
		return nil, errors.Invalid
	}
	s.running++
	s.used = time.Now()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		s.running--
		s.used = time.Now()
	}, nil
}

// order is that of the calls of a session.
func (r *roster) order(id string) *order {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.seats[id]; s != nil {
		return &s.order
	}
	return new(order) // the session has just ended, and its calls come to nothing
}

// drop forgets the session id, and returns it unless it was forgotten before.
func (r *roster) drop(id string) *mcp.ServerSession {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.seats[id]
	delete(r.seats, id)
	if s == nil {
		return nil
	}
	return s.session
}

// limiter is what paces a request: that of its session, or of its token.
func (r *roster) limiter(req mcp.Request) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ss, ok := req.GetSession().(*mcp.ServerSession); ok && !standsAlone(req) {
		if s := r.seats[seatName(ss)]; s != nil {
			s.used = time.Now()
			return s.pace
		}
	}
	user := userOf(req.GetExtra())
	if r.tokens[user] == nil {
		r.tokens[user] = rate.NewLimiter(r.rate, r.burst)
	}
	return r.tokens[user]
}

func userOf(extra *mcp.RequestExtra) string {
	if extra == nil || extra.TokenInfo == nil {
		return ""
	}
	return extra.TokenInfo.UserID
}

// pace refuses a call that comes too soon after others. On stdio there is no such
// limit: the client is the one who started the server.
func (d *door) pace(req mcp.Request) error {
	if !d.http {
		return nil
	}
	turn := d.roster.limiter(req).Reserve()
	if wait := turn.Delay(); wait > 0 {
		turn.Cancel()
		return errors.TooOften(int(math.Ceil(wait.Seconds())))
	}
	return nil
}

// admit seats the sessions that open over HTTP.
func (d *door) admit(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r, err := next(ctx, method, req)
		if ss, ok := req.GetSession().(*mcp.ServerSession); ok && d.http && method == "initialize" && err == nil {
			d.roster.add(ss, userOf(req.GetExtra()))
			d.session(ss) // its end empties the seat
		}
		return r, err
	}
}
