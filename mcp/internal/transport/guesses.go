package transport

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Limits of the unknown tokens of one address. Tokens rejected at once and tokens looked up in
// a database are counted separately, so that malformed ones do not lock out a new caller of the
// same address.
const (
	guessesPerSecond = 5
	guessesBurst     = 200
	guessSeconds     = 1       // until a client may retry, and how long an answer is held back
	guessersKnown    = 100_000 // addresses; beyond that all counts start over
)

// guesses counts unknown tokens by address.
type guesses struct {
	mu    sync.Mutex
	known map[netip.Addr]*guesser
}

// guesser holds the limits of one address.
type guesser struct {
	refused, asked *rate.Limiter
	asking         atomic.Int64 // tokens that are being looked up in a database
}

// guess is the check of one token.
type guess struct {
	*guesser
	pace  *rate.Limiter
	asked bool
}

// by begins the check of the token in r.
func (g *guesses) by(r *http.Request) *guess {
	from := addressOf(r)
	g.mu.Lock()
	defer g.mu.Unlock()
	known := g.known[from]
	if known == nil {
		if g.known == nil || len(g.known) >= guessersKnown {
			g.known = map[netip.Addr]*guesser{}
		}
		pace := func() *rate.Limiter { return rate.NewLimiter(guessesPerSecond, guessesBurst) }
		known = &guesser{refused: pace(), asked: pace()}
		g.known[from] = known
	}
	return &guess{guesser: known, pace: known.refused}
}

// mayAsk reports whether the token may be looked up in a database.
func (g *guess) mayAsk() bool {
	g.pace = g.guesser.asked
	if g.asked = float64(g.asking.Add(1)) <= g.pace.Tokens(); !g.asked {
		g.asking.Add(-1)
	}
	return g.asked
}

// end ends the check. It counts a denied token and reports whether that exceeds the limit.
func (g *guess) end(denied bool) (over bool) {
	over = denied && !g.pace.Allow()
	if g.asked {
		g.asking.Add(-1)
	}
	return over
}

// hold delays an answer, so that a client that retries at once cannot keep the server busy.
func hold(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(guessSeconds * time.Second):
	}
}

// addressOf returns the address of the client: that of the connection, or the last one of
// X-Forwarded-For if the connection comes from this machine or a private network, as a proxy's
// does. For an IPv6 address it returns the network.
func addressOf(r *http.Request) netip.Addr {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	from, _ := netip.ParseAddr(host) // the zero address if there is none
	if named := r.Header.Values("X-Forwarded-For"); len(named) > 0 && (from.IsLoopback() || from.Unmap().IsPrivate()) {
		last := named[len(named)-1]
		if client, err := netip.ParseAddr(strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])); err == nil {
			from = client
		}
	}
	if from = from.Unmap().WithZone(""); from.Is6() {
		network, _ := from.Prefix(64) // 64 bits are within every IPv6 address
		from = network.Addr()
	}
	return from
}
