package mcp

import (
	"context"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
)

// Limits of a server.
const (
	atOnce   = 16               // calls that run
	waiting  = 64               // calls that wait for their turn
	callTime = 30 * time.Second // of one call

	smallBody   = 16 << 10 // bytes of a message over HTTP
	largeAtOnce = 2        // larger messages; each is many times its size while it is decoded
)

// gate lets a number of calls run and some more wait.
type gate struct{ running, queued chan struct{} }

func newGate(atOnce int) *gate {
	return &gate{running: make(chan struct{}, atOnce), queued: make(chan struct{}, atOnce+waiting)}
}

// enter waits for a turn; leave gives it back. It fails at once when too many
// wait already.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	select {
	case g.queued <- struct{}{}:
	default:
		return nil, errors.Overloaded(1)
	}
	select {
	case g.running <- struct{}{}:
		return func() { <-g.running; <-g.queued }, nil
	case <-ctx.Done():
		<-g.queued
		return nil, errors.TooSlow(int(callTime / time.Second))
	}
}

// room lets few large messages in at once, so that a flood of them does not fill the
// memory before anybody can refuse them. A small one never waits: it may be the answer
// that a large one waits for.
func (f *front) room(a *response) bool {
	late := time.NewTimer(f.bodyTime)
	defer late.Stop()
	select {
	case f.large <- struct{}{}:
		a.leave = func() { <-f.large }
		return true
	case <-late.C:
		return a.shed()
	}
}

// shed refuses a large message for want of room.
func (a *response) shed() bool {
	a.Header().Set("Connection", "close")
	a.refuse(http.StatusServiceUnavailable, a.rejected("too many large messages; try again in a few seconds"))
	return false
}

// works reports whether a method opens a project.
func works(method string) bool {
	switch method {
	case "tools/call", "prompts/get", "resources/list", "resources/read", "completion/complete":
		return true
	}
	return false
}

// limit bounds what calls take: how often they come, their number at once, and
// their time.
func (d *door) limit(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if !works(method) {
			return next(ctx, method, req)
		}
		if err := d.pace(req); err != nil {
			return refused(method, err)
		}
		ctx, stop := context.WithTimeout(ctx, callTime)
		defer stop()
		leave, err := d.gate.enter(ctx)
		if err != nil {
			return refused(method, err)
		}
		defer leave()
		r, err := next(ctx, method, req)
		if ctx.Err() == context.DeadlineExceeded && fell(r, err) {
			return refused(method, errors.TooSlow(int(callTime/time.Second)))
		}
		return r, err
	}
}

// fell reports whether a call came to nothing. One that was done when its time
// was up is done.
func fell(r mcp.Result, err error) bool {
	called, ok := r.(*mcp.CallToolResult)
	return err != nil || ok && called != nil && called.IsError
}

// refused is the answer to a call that was not made.
func refused(method string, err error) (mcp.Result, error) {
	if method == "tools/call" {
		return failure(err), nil
	}
	return nil, protocolError(err, nil)
}

// recover turns a panic into a failure of its call alone.
func (d *door) recover(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (r mcp.Result, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				d.o.Log.Error("panic", "method", method, "fault", fault, "stack", string(debug.Stack()))
				d.o.Blue.Forget()
				d.crashes.note()
				r, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error (logged)"}
			}
		}()
		return next(ctx, method, req)
	}
}

// panicLimit is how many panics in one minute mean that going on helps nobody.
const panicLimit = 5

// errTooManyPanics ends a server.
var errTooManyPanics = errors.New("too many panics in one minute")

// crashes counts panics.
type crashes struct {
	mu    sync.Mutex
	times []time.Time
	end   func() // ends the server
}

func (c *crashes) note() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.times = append(c.times, now)
	for len(c.times) > 0 && now.Sub(c.times[0]) > time.Minute {
		c.times = c.times[1:]
	}
	if len(c.times) >= panicLimit && c.end != nil {
		c.end()
	}
}
