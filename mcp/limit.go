package mcp

import (
	"context"
	"fmt"
	"math"
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
	atOnce   = 16               // calls that run
	waiting  = 64               // calls that wait for their turn
	callTime = 30 * time.Second // of one call

	hostedWaiting  = 2000            // calls that wait on a server of many callers
	hostedPatience = 2 * time.Second // of one that waits there
)

// semaphore lets a number of calls run and some more wait.
type semaphore struct {
	running, queued chan struct{}
	patience        time.Duration // of a call that waits; 0: as long as its context lasts
}

func newSemaphore(atOnce, waiting int, patience time.Duration) *semaphore {
	return &semaphore{make(chan struct{}, atOnce), make(chan struct{}, atOnce+waiting), patience}
}

// turn is what one call holds of a semaphore.
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

// enter waits for a turn; leave gives it back. It fails when too many wait already, or its turn
// does not come in time.
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

// limitCalls bounds what calls take: how often they come, their number at once, and their
// time.
func (d *door) limitCalls(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (r mcp.Result, err error) {
		if !transport.Known(method).Project {
			return next(ctx, method, req)
		}
		if d.web != nil { // on stdio no call comes too soon: the client has started the server
			if wait := d.web.Sessions.Delay(req); wait > 0 {
				return refusedResult(method, errors.E(errors.Busy, "too many calls a second").
					Hint("", "", fmt.Sprintf("try again in %d s", int(math.Ceil(wait.Seconds())))))
			}
		}
		ctx, stop := context.WithTimeout(ctx, callTime)
		defer stop()
		p, leave, err := d.calls.enter(ctx)
		if err != nil {
			if d.counts != nil {
				d.counts.refused.Add(1)
				transport.RefuseCall(ctx, 1, err.Error())
			}
			return refusedResult(method, err)
		}
		defer leave()
		r, err = next(blue.WithPlace(ctx, p), method, req)
		if ctx.Err() == context.DeadlineExceeded && transport.CallFailed(r, err) { // one that was done in time is done
			return refusedResult(method, tooSlow(int(callTime/time.Second)))
		}
		return r, err
	}
}

// refusedResult is the answer to a call that was not made.
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

// panicLimit is how many panics in one minute mean that going on helps nobody.
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

// overloaded says that a server has no room for another call now.
func overloaded(seconds int) *errors.Error {
	return errors.E(errors.Busy, "too many calls at once").Hint("", "", fmt.Sprintf("try again in %d s", seconds))
}

// tooSlow says that a call ran out of time; nothing is half done.
func tooSlow(seconds int) *errors.Error {
	return errors.E(errors.Timeout, "the call took more than %d s", seconds).Hint("", "", "ask for less, or try again")
}
