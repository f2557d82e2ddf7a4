package mcp

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
	"blue/errors"
	"blue/mcp/internal/transport"
)

// Limits of a server.
const (
	atOnce   = 16               // calls that run at once
	waiting  = 64               // calls that wait for their turn
	callTime = 30 * time.Second // the longest one call may take

	hostedWaiting  = 2000            // calls that wait on a hosted server
	hostedPatience = 2 * time.Second // how long one of them waits
)

// semaphore lets some calls run and some more wait.
type semaphore struct {
	running, queued chan struct{}
	patience        time.Duration // how long a call waits for its turn; 0: until its context ends
}

func newSemaphore(atOnce, waiting int, patience time.Duration) *semaphore {
	return &semaphore{make(chan struct{}, atOnce), make(chan struct{}, atOnce+waiting), patience}
}

// turn is the hold of one call on a semaphore.
type turn struct {
	of    *semaphore
	holds bool
}

// Enter waits for a turn.
func (p *turn) Enter(ctx context.Context) error {
	select {
	case p.of.running <- struct{}{}:
		p.holds = true
		return nil
	case <-ctx.Done():
		return tooSlow(int(callTime / time.Second))
	}
}

// Leave gives the turn back.
func (p *turn) Leave() {
	if p.holds {
		p.holds = false
		<-p.of.running
	}
}

// enter waits for a turn; leave releases it. It fails if too many calls wait already, or if the
// turn does not come in time.
func (s *semaphore) enter(ctx context.Context) (p *turn, leave func(), err error) {
	select {
	case s.queued <- struct{}{}:
	default:
		return nil, nil, overloaded(1)
	}
	waits := ctx
	if s.patience > 0 {
		var stop context.CancelFunc
		waits, stop = context.WithTimeout(ctx, s.patience)
		defer stop()
	}
	p = &turn{of: s}
	if err = p.Enter(waits); err != nil {
		<-s.queued
		if ctx.Err() == nil {
			err = overloaded(1)
		}
		return nil, nil, err
	}
	return p, func() { p.Leave(); <-s.queued }, nil
}

// limitCalls limits the number of calls at once, and the time of each.
func (d *door) limitCalls(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (r mcp.Result, err error) {
		if !transport.Known(method).Project {
			return next(ctx, method, req)
		}
		ctx, stop := context.WithTimeout(ctx, callTime)
		defer stop()
		p, leave, err := d.calls.enter(ctx)
		if err != nil {
			if d.counts != nil {
				d.counts.refused.Inc()
				transport.RefuseCall(ctx, 1, err.Error())
			}
			return refusedResult(method, err)
		}
		defer leave()
		r, err = next(blue.WithPlace(ctx, p), method, req)
		// A call that succeeded in time keeps its result.
		if ctx.Err() == context.DeadlineExceeded && transport.CallFailed(r, err) {
			return refusedResult(method, tooSlow(int(callTime/time.Second)))
		}
		return r, err
	}
}

// refusedResult returns the answer to a call that was rejected before it ran.
func refusedResult(method string, err error) (mcp.Result, error) {
	if method == "tools/call" {
		return failure(err), nil
	}
	return nil, protocolError(err, nil)
}

// recoverPanic turns a panic into a failure of its call alone.
func (d *door) recoverPanic(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (r mcp.Result, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				d.o.Log.Error("panic", "method", method, "fault", fault, "stack", string(debug.Stack()))
				d.o.Blue.Forget()
				d.crashes.countPanic()
				r, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error (logged)"}
			}
		}()
		return next(ctx, method, req)
	}
}

// panicLimit is how many panics within one minute end the server.
const panicLimit = 5

// errTooManyPanics ends a server.
var errTooManyPanics = errors.New("too many panics in one minute")

type crashes struct {
	mu    sync.Mutex
	times []time.Time
	end   func() // ends the server
}

func (c *crashes) countPanic() {
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

// overloaded returns the error for a call that finds no free slot.
func overloaded(seconds int) *errors.Error {
	return errors.E(errors.Busy, "too many calls at once").Hint("", "", fmt.Sprintf("try again in %d s", seconds))
}

// tooSlow returns the error for a call that ran out of time; nothing is half done.
func tooSlow(seconds int) *errors.Error {
	return errors.E(errors.Timeout, "the call took more than %d s", seconds).Hint("", "", "ask for less, or try again")
}
