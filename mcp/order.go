package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// order keeps the calls of one session in the order in which the client sent them, as
// far as blue_use goes: it begins when the calls before it have ended, and the calls
// after it begin when it has ended. Else a note that was sent behind blue_use, without
// waiting for its answer, could be written to the project before. Between two blue_use
// calls run beside one another.
type order struct {
	mu      sync.Mutex
	latest  *choice                  // the blue_use that came last, nil before the first
	since   *sync.WaitGroup          // calls that came since; nil for none
	waiting map[jsonrpc.ID]chan bool // calls over HTTP that wait for their turn
}

// choice is one call of blue_use, which chooses the project of a session.
type choice struct {
	ended  chan struct{} // closed when the call has ended
	failed bool          // whether it failed; to be read when ended is closed
}

// turn is the place of one call in the order of its session.
type turn struct {
	ready <-chan struct{} // closed when the call may begin; nil: at once
	leave func(failed bool)
	uses  bool    // whether it calls blue_use
	after *choice // the blue_use that was under way when the call came, nil for none
}

// enter gives a message the next place. Messages that need no project have none: their
// turn is always now.
func (o *order) enter(m frame) turn {
	if !works(m.method) || m.id == nil {
		return turn{leave: func(bool) {}}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since == nil {
		o.since = new(sync.WaitGroup)
	}
	t, calls := turn{}, o.since
	if o.latest != nil {
		if t.ready = o.latest.ended; !t.now() {
			t.after = o.latest
		}
	}
	if !usesProject(m) {
		calls.Add(1)
		done := sync.OnceFunc(calls.Done)
		t.leave = func(bool) { done() }
		return t
	}
	before, ready, mine := t.ready, make(chan struct{}), &choice{ended: make(chan struct{})}
	go func() {
		if before != nil {
			<-before
		}
		calls.Wait()
		close(ready)
	}()
	o.latest, o.since = mine, nil
	var once sync.Once
	leave := func(failed bool) { once.Do(func() { mine.failed = failed; close(mine.ended) }) }
	return turn{ready: ready, leave: leave, uses: true}
}

// usesProject reports whether a message calls blue_use.
func usesProject(m frame) bool {
	var p map[string]json.RawMessage
	if m.method != "tools/call" || json.Unmarshal(m.params, &p) != nil {
		return false
	}
	name, _ := jsonString(p["name"])
	return name == "blue_use"
}

// now reports whether the call may begin.
func (t turn) now() bool {
	if t.ready == nil {
		return true
	}
	select {
	case <-t.ready:
		return true
	default:
		return false
	}
}

// spoiled reports, when the turn has come, that the blue_use before it has failed: the
// call was sent in the belief that it had not.
func (t turn) spoiled() bool { return t.after != nil && t.after.failed }

// await lets a call over HTTP wait for its turn. It reports false when the client has
// gone or has cancelled the call meanwhile.
func (o *order) await(ctx context.Context, id jsonrpc.ID, t turn) bool {
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
	case <-t.ready:
		return true
	case <-cancelled:
	case <-ctx.Done():
	}
	go func() { // its place in the order stays: what comes behind it waits for what is before it
		<-t.ready
		t.leave(true)
	}()
	return false
}

// cancel ends the wait of a call. It reports false when no such call waits.
func (o *order) cancel(id jsonrpc.ID) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	waiting, ok := o.waiting[id]
	if ok {
		delete(o.waiting, id)
		close(waiting)
	}
	return ok
}

// Keys of _meta by which the guard tells the handler of a call what it cannot know. What a
// client sends under them is deleted.
const (
	// turnKey names the turn of a call over HTTP: the answer may travel on another
	// response, so that nothing else tells when the call has ended.
	turnKey = "dev.blue/turn"

	// spoiledKey says that the blue_use before the call has failed.
	spoiledKey = "dev.blue/spoiled"
)

// withMeta returns params with one more member of _meta; nil when they have no such shape.
func withMeta(raw json.RawMessage, key string, value any) json.RawMessage {
	params, meta := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if raw != nil && json.Unmarshal(raw, &params) != nil {
		return nil
	}
	if params["_meta"] != nil && json.Unmarshal(params["_meta"], &meta) != nil || params == nil || meta == nil {
		return nil
	}
	meta[key], _ = json.Marshal(value)
	params["_meta"] = encodeObject(meta)
	return encodeObject(params)
}

// lostTurn is when a call has ended that never reached the server: the SDK refused it.
const lostTurn = callTime + 5*time.Second

// forwardInTurn hands a message over HTTP to a handler when its turn has come. streamed
// says that the answer travels on another response.
func (f *front) forwardInTurn(a *response, r *http.Request, m frame, o *order, to http.Handler, streamed bool) {
	if m.method == methodCancelled {
		if id, ok := cancelledID(m.params); ok && o.cancel(id) {
			a.WriteHeader(http.StatusAccepted)
			return
		}
	}
	if !works(m.method) || m.id == nil || !wellShaped(m) {
		forward(a, r, m, to)
		return
	}
	t := o.enter(m)
	if !t.now() && !f.waitForTurn(a, r, o, m, t) {
		return
	}
	if t.spoiled() {
		m.params = withMeta(m.params, spoiledKey, true)
	}
	name := rand.Text()
	params := withMeta(m.params, turnKey, name)
	if params == nil {
		t.leave(true)
		forward(a, r, m, to)
		return
	}
	m.params = params
	lost := time.AfterFunc(lostTurn, func() { f.d.endTurn(name, true) })
	f.d.turns.Store(name, func(failed bool) { lost.Stop(); t.leave(failed) })
	forward(a, r, m, to)
	if !streamed && r.Context().Err() == nil {
		f.d.endTurn(name, true) // when it has come to an answer, it has ended before
	}
}

// waitForTurn waits without the place of a large message, which others need meanwhile.
func (f *front) waitForTurn(a *response, r *http.Request, o *order, m frame, t turn) bool {
	large := a.leave != nil
	if large {
		a.leave()
		a.leave = nil
	}
	if !o.await(r.Context(), m.key, t) {
		a.WriteHeader(http.StatusAccepted)
		return false
	}
	if large && !f.room(a) {
		t.leave(true)
		return false
	}
	return true
}

func (d *door) endTurn(name string, failed bool) {
	if leave, ok := d.turns.LoadAndDelete(name); ok {
		leave.(func(bool))(failed)
	}
}

// leaveTurn ends the turn of a call over HTTP.
func (d *door) leaveTurn(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (r mcp.Result, err error) {
		if params := req.GetParams(); d.http && works(method) && params != nil {
			if name, ok := params.GetMeta()[turnKey].(string); ok {
				defer func() { d.endTurn(name, r == nil || fell(r, err)) }()
			}
		}
		return next(ctx, method, req)
	}
}
