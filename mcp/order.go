package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// order keeps the calls of one session in the order in which the client sent them, as
// far as blue_use goes: it begins when the calls before it have ended, and the calls
// after it begin when it has ended. Else a note that was sent behind blue_use, without
// waiting for its answer, could be written to the project before. Between two blue_use
// calls run beside one another.
type order struct {
	mu    sync.Mutex
	after chan struct{}   // closed when the latest blue_use has ended; nil when there was none
	since *sync.WaitGroup // calls that came since; nil for none
}

// turn is the place of one call in the order of its session.
type turn struct {
	ready <-chan struct{} // closed when the call may begin; nil: at once
	leave func()          // ends the call; to be called once or more
}

// enter gives a message the next place. Messages that need no project have none: their
// turn is always now.
func (o *order) enter(m frame) turn {
	if !works(m.method) || m.id == nil {
		return turn{leave: func() {}}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since == nil {
		o.since = new(sync.WaitGroup)
	}
	before, calls := o.after, o.since
	if !usesProject(m) {
		calls.Add(1)
		return turn{before, sync.OnceFunc(calls.Done)}
	}
	ready, ended := make(chan struct{}), make(chan struct{})
	go func() {
		if before != nil {
			<-before
		}
		calls.Wait()
		close(ready)
	}()
	o.after, o.since = ended, nil
	return turn{ready, sync.OnceFunc(func() { close(ended) })}
}

// usesProject reports whether a message calls blue_use.
func usesProject(m frame) bool {
	var p struct{ Name string }
	return m.method == "tools/call" && json.Unmarshal(m.params, &p) == nil && p.Name == "blue_use"
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

// turnKey names the turn of a call over HTTP in the _meta of its params: the answer may
// travel on another response, so that nothing else tells when the call has ended.
const turnKey = "dev.blue/turn"

// lostTurn is when a call has ended that never reached the server: the SDK refused it.
const lostTurn = callTime + 5*time.Second

// forwardInTurn hands a message over HTTP to a handler when its turn has come.
func (f *front) forwardInTurn(a *response, r *http.Request, m frame, o *order, to http.Handler) {
	t := o.enter(m)
	if !t.now() {
		select {
		case <-t.ready:
		case <-r.Context().Done():
			t.leave()
			return
		}
	}
	var params, meta map[string]json.RawMessage
	if !works(m.method) || json.Unmarshal(m.params, &params) != nil || json.Unmarshal(params["_meta"], &meta) != nil && params["_meta"] != nil {
		t.leave() // the SDK refuses it
		forward(a, r, m, to)
		return
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	if params == nil {
		params = map[string]json.RawMessage{}
	}
	name := rand.Text()
	f.d.turns.Store(name, t.leave)
	time.AfterFunc(lostTurn, func() { f.d.endTurn(name) })
	meta[turnKey], _ = json.Marshal(name)
	params["_meta"] = encodeObject(meta)
	m.params = encodeObject(params)
	forward(a, r, m, to)
}

func (d *door) endTurn(name string) {
	if leave, ok := d.turns.LoadAndDelete(name); ok {
		leave.(func())()
	}
}

// leaveTurn ends the turn of a call over HTTP.
func (d *door) leaveTurn(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if params := req.GetParams(); d.http && works(method) && params != nil {
			if name, ok := params.GetMeta()[turnKey].(string); ok {
				defer d.endTurn(name)
			}
		}
		return next(ctx, method, req)
	}
}
