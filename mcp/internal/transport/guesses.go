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

// What one address may send of tokens that count for nobody. The first limit is for tokens
// that were refused at once, the second for those that a database is asked for, so that
// tokens of a wrong form keep no new caller of the same address away.
const (
	guessesPerSecond = 5
	guessesBurst     = 200
	guessSeconds     = 1       // after which a client may try again, and that an answer is held back
	guessersKnown    = 100_000 // addresses; beyond it the counts begin anew
)

// guesses counts, for each address, tokens that count for nobody.
type guesses struct {
	mu    sync.Mutex
	known map[netip.Addr]*guesser
}

// guesser is what an address has sent.
type guesser struct {
	refused, asked *rate.Limiter
	asking         atomic.Int64 // tokens that a database is asked for now
}

// guess is one token of an address that may count for nobody.
type guess struct {
	*guesser
	pace  *rate.Limiter
	asked bool
}

// by begins the check of the token of a request.
func (g *guesses) by(r *http.Request) *guess {
	from := addressOf(r)
	g.mu.Lock()
	defer g.mu.Unlock()
	known := g.known[from]
	if known == nil {
		if g.known == nil || len(g.known) >= guessersKnown {
			g.known = map[netip.Addr]*guesser{}
		}
		known = &guesser{refused: rate.NewLimiter(guessesPerSecond, guessesBurst), asked: rate.NewLimiter(guessesPerSecond, guessesBurst)}
		g.known[from] = known
	}
	return &guess{guesser: known, pace: known.refused}
}

// mayAsk reports whether a database may be asked for the token.
func (g *guess) mayAsk() bool {
	g.pace = g.guesser.asked
	if g.asked = float64(g.asking.Add(1)) <= g.pace.Tokens(); !g.asked {
		g.asking.Add(-1)
	}
	return g.asked
}

// end ends the check, counts a token that was denied, and reports whether it is one too many.
func (g *guess) end(denied bool) (over bool) {
	over = denied && !g.pace.Allow()
	if g.asked {
		g.asking.Add(-1)
	}
	return over
}

// hold waits before an answer, so that a client that never waits itself cannot keep the
// server busy with refusals.
func hold(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(guessSeconds * time.Second):
	}
}

// addressOf is the address that a request comes from: that of its connection, or the last one
// of X-Forwarded-For if the connection comes from this machine or a private network, as that
// of a proxy does. Of an IPv6 address only the network counts.
func addressOf(r *http.Request) netip.Addr {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	from, _ := netip.ParseAddr(host) // the zero address for what has none
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
