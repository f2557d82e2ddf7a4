package message

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Order keeps the calls of one session in the order in which the client sent them, as far
// as blue_use goes: it begins when the calls before it have ended, and the calls after it
// begin when it has ended. Else a note that was sent behind blue_use, without waiting for
// its answer, could be written to the project before. Between two blue_use calls run beside
// one another.
type Order struct {
	mu      sync.Mutex
	latest  *choice                  // the blue_use that came last, nil before the first
	since   *sync.WaitGroup          // calls that came since; nil for none
	waiting map[jsonrpc.ID]chan bool // calls that [Order.Wait] holds back
}

// choice is one call of blue_use, which chooses the project of a session.
type choice struct {
	ended  chan struct{} // closed when the call has ended
	failed bool          // whether it failed; to be read when ended is closed
}

// Turn is the place of one call in the order of its session.
type Turn struct {
	Ready <-chan struct{}   // closed when the call may begin; nil: at once
	End   func(failed bool) // ends the call; only the first time counts
	Uses  bool              // whether it calls blue_use
	after *choice           // the blue_use that was under way when the call came, nil for none
}

// Enter gives a message the next place. Messages that need no project have none: their turn
// is always now.
func (o *Order) Enter(f Frame) Turn {
	if !Known(f.Method).Project || f.ID == nil {
		return Turn{End: func(bool) {}}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since == nil {
		o.since = new(sync.WaitGroup)
	}
	t, calls := Turn{}, o.since
	if o.latest != nil {
		if t.Ready = o.latest.ended; !t.Now() {
			t.after = o.latest
		}
	}
	if !usesProject(f) {
		calls.Add(1)
		done := sync.OnceFunc(calls.Done)
		t.End = func(bool) { done() }
		return t
	}
	before, ready, mine := t.Ready, make(chan struct{}), &choice{ended: make(chan struct{})}
	go func() {
		if before != nil {
			<-before
		}
		calls.Wait()
		close(ready)
	}()
	o.latest, o.since = mine, nil
	var once sync.Once
	end := func(failed bool) { once.Do(func() { mine.failed = failed; close(mine.ended) }) }
	return Turn{Ready: ready, End: end, Uses: true}
}

// usesProject reports whether a message calls blue_use.
func usesProject(f Frame) bool {
	var p map[string]json.RawMessage
	if f.Method != CallTool || json.Unmarshal(f.Params, &p) != nil {
		return false
	}
	name, _ := Text(p["name"])
	return name == "blue_use"
}

// Now reports whether the call may begin.
func (t Turn) Now() bool {
	if t.Ready == nil {
		return true
	}
	select {
	case <-t.Ready:
		return true
	default:
		return false
	}
}

// Warn returns the params of a call whose turn has come. They say so when the blue_use
// before it has failed: the call was sent in the belief that it had not.
func (t Turn) Warn(params json.RawMessage) json.RawMessage {
	if t.after != nil && t.after.failed {
		if warned := WithMeta(params, UseFailedKey, true); warned != nil {
			return warned
		}
	}
	return params
}

// Wait lets a call wait for its turn. It reports false when ctx has ended or the client has
// cancelled the call meanwhile.
func (o *Order) Wait(ctx context.Context, id jsonrpc.ID, t Turn) bool {
	cancelled := make(chan bool)
	o.mu.Lock()
	if o.waiting == nil {
		o.waiting = map[jsonrpc.ID]chan bool{}
	}
	o.waiting[id] = cancelled
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.waiting, id)
	}()
	select {
	case <-t.Ready:
		return true
	case <-cancelled:
	case <-ctx.Done():
	}
	go func() { // its place in the order stays: what comes behind it waits for what is before it
		<-t.Ready
		t.End(true)
	}()
	return false
}

// Cancel ends the wait of a call. It reports false when no such call waits.
func (o *Order) Cancel(id jsonrpc.ID) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	waiting, ok := o.waiting[id]
	if ok {
		delete(o.waiting, id)
		close(waiting)
	}
	return ok
}

// Waiting is how many calls [Order.Wait] holds back.
func (o *Order) Waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.waiting)
}
