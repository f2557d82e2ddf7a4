package transport

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// order is the lock of one session, granted in the order in which its calls came: blue_use
// holds it exclusively, all other calls share it. Otherwise a note sent after blue_use, without
// waiting for its answer, could be written to the previous project.
type order struct {
	mu   sync.Mutex
	open []*turn // turns that have not ended, oldest first
}

// turn is the place of one call in the order of its session.
type turn struct {
	order  *order
	uses   bool          // whether the call is blue_use
	after  []*turn       // turns that must end first
	ended  chan struct{} // closed when the call has ended
	failed bool          // whether the call failed; read it only after ended is closed

	name      string // key in Turns
	cancelled bool   // before its turn came, so the call wants no answer
}

// enter gives a call the next turn.
func (o *order) enter(params json.RawMessage) *turn {
	members, _ := Members(params)
	name, _ := stringOf(members["name"])
	t := &turn{order: o, uses: name == "blue_use", ended: make(chan struct{})}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, other := range o.open {
		if t.uses || other.uses {
			t.after = append(t.after, other)
		}
	}
	o.open = append(o.open, t)
	return t
}

// wait blocks until the turn has come. It reports whether the last blue_use before the call
// failed: the client sent the call assuming that it would succeed.
func (t *turn) wait(ctx context.Context) (useFailed bool, err error) {
	for _, other := range t.after {
		select {
		case <-other.ended:
		case <-ctx.Done():
			t.cancelled = true
			return false, ctx.Err()
		}
		if other.uses {
			useFailed = other.failed
		}
	}
	t.after = nil
	return useFailed, nil
}

// end ends a call. Further calls of end do nothing.
func (t *turn) end(failed bool) {
	t.order.mu.Lock()
	defer t.order.mu.Unlock()
	if at := slices.Index(t.order.open, t); at >= 0 {
		t.order.open = slices.Delete(t.order.open, at, at+1)
		t.failed = failed
		close(t.ended)
	}
}

// count returns how many calls have a turn.
func (o *order) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.open)
}

// turnHeader names the turn of a call between its transport and [Turns.InTurn]: the SDK passes
// on the headers of a request, and nothing else of ours.
const turnHeader = internalHeaders + "Turn"

// Turns passes the turns of calls from the transports of a server to its middleware.
type Turns struct {
	named   sync.Map // name → *turn, until the call takes it
	waiting atomic.Int64
}

// put stores a turn and names it in the header of its call.
func (ts *Turns) put(t *turn, h http.Header) {
	t.name = rand.Text()
	ts.named.Store(t.name, t)
	h.Set(turnHeader, t.name)
}

// drop ends the turn of a call that has not taken it, because the SDK has rejected the call.
func (ts *Turns) drop(t *turn) {
	if _, ok := ts.named.LoadAndDelete(t.name); ok {
		t.end(true)
	}
}

// Waiting returns how many calls wait for their turn.
func (ts *Turns) Waiting() int { return int(ts.waiting.Load()) }

// useFailedKey is the context key of calls behind a blue_use that failed.
type useFailedKey struct{}

// UseFailed reports whether the last blue_use before a call failed.
func UseFailed(ctx context.Context) bool { return ctx.Value(useFailedKey{}) != nil }

// InTurn is middleware that makes calls wait for their turn.
func (ts *Turns) InTurn(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (r mcp.Result, err error) {
		extra := req.GetExtra()
		if extra == nil {
			return next(ctx, method, req)
		}
		named, ok := ts.named.LoadAndDelete(extra.Header.Get(turnHeader))
		if !ok {
			return next(ctx, method, req)
		}
		t := named.(*turn)
		defer func() { t.end(r == nil || CallFailed(r, err) || ctx.Err() != nil) }()
		ts.waiting.Add(1)
		useFailed, err := t.wait(ctx)
		ts.waiting.Add(-1)
		if err != nil {
			return nil, err
		}
		if useFailed {
			ctx = context.WithValue(ctx, useFailedKey{}, true)
		}
		return next(ctx, method, req)
	}
}

// CallFailed reports whether a call returned an error, as a Go error or as a tool result.
func CallFailed(r mcp.Result, err error) bool {
	called, ok := r.(*mcp.CallToolResult)
	return err != nil || ok && called != nil && called.IsError
}

// ordered is a connection that gives calls their turns as it reads them.
type ordered struct {
	mcp.Connection
	turns *Turns // nil if there is no session that blue_use could change
	order order
	open  sync.Map // id of a call → *turn
}

// Read returns the next message. It gives a call of a session its turn.
func (c *ordered) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	r, ok := m.(*jsonrpc.Request)
	if !ok || c.turns == nil || !r.IsCall() || !methods[r.Method].Project {
		return m, err
	}
	header := http.Header{}
	r.Extra = &mcp.RequestExtra{Header: header}
	if _, inUse := c.open.Load(r.ID); !inUse { // the SDK rejects the second call of an id
		t := c.order.enter(r.Params)
		c.turns.put(t, header)
		c.open.Store(r.ID, t)
	}
	return m, err
}

// Write sends a message. It ends the turns of calls that the SDK has rejected.
func (c *ordered) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Response); ok {
		if t, ok := c.open.LoadAndDelete(r.ID); ok {
			c.turns.drop(t.(*turn))
		}
	}
	return c.Connection.Write(ctx, m)
}
