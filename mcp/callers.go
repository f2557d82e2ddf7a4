package mcp

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"blue/blue"
	"blue/mcp/internal/transport"
)

// Hosting is what `blue server` asks for.
type Hosting struct {
	Addr      string   // HOST:PORT, HOST or :PORT
	HostNames []string // further names by which clients reach the server
	NoAuth    bool     // no token; on loopback alone
	PerSecond float64  // calls of one subject; 0 for the default
	PerDay    int64    // bytes that one subject may send in a day; 0 for the default
	Issuer    string   // whose tokens the host takes, empty for none
	Audience  string   // what those tokens must name: the URL of this server
}

// callers is how a server of hosted projects knows those who call it.
func (h Hosting) callers(d *door) *transport.Callers {
	allowed := newAllowances(h)
	c := &transport.Callers{
		Verify: d.o.Host.Verify, Permit: d.permit, Admit: allowed.admit, Spend: allowed.spend,
		Protected: transport.Protected{Issuer: h.Issuer, Resource: h.Audience, Scopes: "notes:read notes:write"},
	}
	if h.NoAuth {
		c.Verify, c.Permit = nil, nil
	}
	return c
}

// permit refuses a call of a tool that changes notes when its caller may not. One that names
// its project in a way that cannot be read is told so by the call.
func (d *door) permit(ctx context.Context, a transport.Asked) error {
	verb := strings.TrimPrefix(a.Tool, toolStart)
	if !slices.Contains([]string{"write", "edit", "remove"}, verb) {
		return nil
	}
	c := &call{d: d, said: a.Said}
	if a.Session != nil {
		c.session = d.session(a.Session)
		if p := a.Session.InitializeParams(); p != nil && p.ClientInfo != nil {
			a.Client = p.ClientInfo.Name
		}
	}
	names, err := c.projectNames()
	if err != nil {
		return nil
	}
	return d.o.Host.Permit(ctx, blue.Asked{Caller: a.Caller, Names: names, Client: shownClient(a.Client)}, verb)
}

// What one subject may ask of a server, unless it is started with other limits.
const (
	subjectPerSecond = 50
	subjectBurst     = 200
	subjectPerDay    = 1 << 30
)

// allowances are what each subject may still ask of a server.
type allowances struct {
	perSecond rate.Limit
	perDay    int64

	mu    sync.Mutex
	known map[string]*allowance
}

type allowance struct {
	pace *rate.Limiter
	day  int64 // since 1970
	sent int64 // bytes on that day
}

func newAllowances(h Hosting) *allowances {
	a := &allowances{perSecond: subjectPerSecond, perDay: subjectPerDay, known: map[string]*allowance{}}
	if h.PerSecond > 0 {
		a.perSecond = rate.Limit(h.PerSecond)
	}
	if h.PerDay > 0 {
		a.perDay = h.PerDay
	}
	return a
}

// subjectsKnown is how many subjects are counted at once; beyond it the counts begin anew.
const subjectsKnown = 100_000

// admit says how long a request of so many bytes must wait. The user is a subject and its
// token: all tokens of a subject share what it may ask.
func (a *allowances) admit(user string, bytes int64) time.Duration {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.find(user, now)
	if s.sent+max(bytes, 0) > a.perDay {
		return time.Unix((s.day+1)*86400, 0).Sub(now)
	}
	turn := s.pace.ReserveN(now, 1)
	if wait := turn.DelayFrom(now); wait > 0 {
		turn.CancelAt(now)
		return wait
	}
	s.sent += max(bytes, 0)
	return 0
}

// spend counts bytes of a request that did not say how many it has.
func (a *allowances) spend(user string, bytes int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.find(user, time.Now()).sent += int64(bytes)
}

// find is what a subject has asked for today. The caller holds the mutex.
func (a *allowances) find(user string, now time.Time) *allowance {
	subject, day := user, now.Unix()/86400
	if at := strings.LastIndexByte(user, ' '); at >= 0 {
		subject = user[:at]
	}
	s := a.known[subject]
	if s == nil {
		if len(a.known) >= subjectsKnown {
			clear(a.known)
		}
		s = &allowance{pace: rate.NewLimiter(a.perSecond, max(1, min(subjectBurst, int(4*a.perSecond))))}
		a.known[subject] = s
	}
	if s.day != day {
		s.day, s.sent = day, 0
	}
	return s
}
