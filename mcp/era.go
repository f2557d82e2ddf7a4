package mcp

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// methodListen stays open until it is cancelled, so its answer is never owed.
const methodListen = "subscriptions/listen"

// codeRejected tells the SDK that one message was not sent while the connection
// is well; after any other error of Write it gives the connection up.
const codeRejected = -32005

// era is the connection of one era's SDK session: the [mcp.Transport] and
// [mcp.Connection] whose other end is the stdio router.
type era struct {
	router  *stdio
	session *mcp.ServerSession
	in      chan jsonrpc.Message
	eof     chan struct{} // closed by finish
	closed  chan struct{} // closed by the SDK
	once    sync.Once

	mutex sync.Mutex
	calls map[jsonrpc.ID]*pending // requests read and not answered
	asked map[jsonrpc.ID]bool     // our requests that the client has not answered
	order order
	asks  bool // whether the client may be asked: legacy, and not at the end
	ready bool // a handshake has taken place, or none is needed
}

// pending is a request that the client waits for.
type pending struct {
	id        json.RawMessage
	method    string
	places    int // among the owed
	turn      turn
	cancelled bool
}

func newEra(s *stdio) *era {
	return &era{
		router: s,
		in:     make(chan jsonrpc.Message),
		eof:    make(chan struct{}),
		closed: make(chan struct{}),
		calls:  map[jsonrpc.ID]*pending{},
		asked:  map[jsonrpc.ID]bool{},
	}
}

// Connect returns the era itself, which serves one session.
func (e *era) Connect(context.Context) (mcp.Connection, error) { return e, nil }

// SessionID returns "": a pair of streams has one client and needs no name.
func (e *era) SessionID() string { return "" }

// Read returns the next message of the era, io.EOF when finish has ended it.
func (e *era) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-e.in:
		return m, nil
	case <-e.eof:
	case <-e.closed:
	}
	return nil, io.EOF
}

// Write sends an answer, a request or a notification of the SDK to the client.
func (e *era) Write(_ context.Context, m jsonrpc.Message) error {
	switch m := m.(type) {
	case *jsonrpc.Response:
		return e.reply(m)
	case *jsonrpc.Request:
		return e.ask(m)
	}
	return nil // there are no others
}

// Close ends Read.
func (e *era) Close() error {
	e.once.Do(func() { close(e.closed) })
	return nil
}

// deliver hands a message to the SDK, which takes it at once.
func (e *era) deliver(m jsonrpc.Message) {
	select {
	case e.in <- m:
	case <-e.closed:
	}
}

// open notes a request; false when its id is in use.
func (e *era) open(f frame) bool {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.calls[f.key] != nil {
		return false
	}
	p := &pending{id: f.id, method: f.method, places: f.places(), turn: turn{leave: func(bool) {}}}
	if !f.modern { // modern requests have no session that blue_use could change
		p.turn = e.order.enter(f)
	}
	e.calls[f.key] = p
	return true
}

// deliverInTurn hands a request to the SDK when its turn has come, unless the client has
// cancelled it meanwhile.
func (e *era) deliverInTurn(r *jsonrpc.Request) {
	e.mutex.Lock()
	p := e.calls[r.ID]
	e.mutex.Unlock()
	if p == nil || p.turn.now() {
		e.deliver(p.checked(r))
		return
	}
	go func() {
		select {
		case <-p.turn.ready:
		case <-e.closed:
			return
		}
		if !e.drop(r.ID) {
			e.deliver(p.checked(r))
		}
	}()
}

// checked tells the call when the blue_use before it has failed.
func (p *pending) checked(r *jsonrpc.Request) *jsonrpc.Request {
	if p != nil && p.turn.spoiled() {
		if params := withMeta(r.Params, spoiledKey, true); params != nil {
			r.Params = params
		}
	}
	return r
}

// failedCall reports whether an answer says that a tool has failed.
func failedCall(r *jsonrpc.Response) bool {
	var result struct{ IsError bool }
	return r.Error != nil || json.Unmarshal(r.Result, &result) != nil || result.IsError
}

// drop gives up a request that was cancelled before its turn.
func (e *era) drop(id jsonrpc.ID) bool {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	p := e.calls[id]
	if p == nil || !p.cancelled {
		return false
	}
	delete(e.calls, id)
	p.turn.leave(true)
	return true
}

// take ends a request before its answer is written, because the client may use
// the id again as soon as it has read the answer. It returns nil for one that
// wants no answer, because the client has cancelled it (MCP, cancellation).
func (e *era) take(r *jsonrpc.Response) *pending {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	p := e.calls[r.ID]
	if p != nil {
		delete(e.calls, r.ID)
		p.turn.leave(p.turn.uses && (p.cancelled || failedCall(r)))
	}
	if p != nil && p.method == "initialize" && r.Error == nil {
		e.ready = true
	}
	if p == nil || p.cancelled {
		return nil
	}
	return p
}

func (e *era) reply(r *jsonrpc.Response) error {
	p := e.take(r)
	if p == nil {
		return nil
	}
	answer := succeeded(p.id, r.Result)
	if r.Error != nil {
		answer = failed(p.id, e.fault(p.method, r.Error))
	}
	err := e.router.send(answer)
	if p.method != methodListen {
		e.router.release(p.places)
	}
	return err
}

// ask sends a request or notification of ours. Modern clients are never asked:
// their revision allows no request from a server.
func (e *era) ask(r *jsonrpc.Request) error {
	if r.IsCall() && !e.note(r.ID) {
		return &jsonrpc.Error{Code: codeRejected, Message: "the client cannot be asked now"}
	}
	if id, ok := cancelledID(r.Params); ok && r.Method == methodCancelled {
		e.forget(id)
	}
	line, err := jsonrpc.EncodeMessage(r)
	if err != nil {
		return err
	}
	return e.router.send(json.RawMessage(line))
}

func (e *era) note(id jsonrpc.ID) bool {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.asks {
		e.asked[id] = true
	}
	return e.asks
}

// forget says whether the client still owed an answer to the request.
func (e *era) forget(id jsonrpc.ID) bool {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	owed := e.asked[id]
	delete(e.asked, id)
	return owed
}

// answered hands over the client's answer, unless nobody waits for it.
func (e *era) answered(r *jsonrpc.Response) {
	if e.forget(r.ID) {
		e.deliver(r)
	}
}

// stopAsking fails the requests that wait for the client and all later ones.
func (e *era) stopAsking() {
	e.mutex.Lock()
	e.asks = false
	asked := e.asked
	e.asked = map[jsonrpc.ID]bool{}
	e.mutex.Unlock()
	for id := range asked {
		e.deliver(&jsonrpc.Response{ID: id, Error: invalidRequest("the client has ended its input")})
	}
}

// cancel marks a request as cancelled. The SDK learns of it under its own
// spelling of the id; it would take 1.5 for 1. A handshake is not cancelled
// (MCP, cancellation).
func (s *stdio) cancel(f frame) {
	id, ok := cancelledID(f.params)
	if !ok {
		return
	}
	for _, e := range []*era{s.era(f), s.legacy, s.modern} {
		if p := e.cancel(id); p != nil {
			params, _ := json.Marshal(map[string]any{"requestId": id.Raw()})
			e.deliver(&jsonrpc.Request{Method: methodCancelled, Params: params})
			return
		}
	}
}

// cancel returns the request that it has marked, nil when the era has none of
// that id. That the answer to subscriptions/listen is not held back is what
// ends it.
func (e *era) cancel(id jsonrpc.ID) *pending {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	p := e.calls[id]
	if p == nil || p.cancelled || p.method == "initialize" {
		return nil
	}
	if p.method != methodListen {
		p.cancelled = true
		e.router.release(p.places)
	}
	return p
}

func cancelledID(params json.RawMessage) (jsonrpc.ID, bool) {
	var p map[string]json.RawMessage
	if json.Unmarshal(params, &p) != nil {
		return jsonrpc.ID{}, false
	}
	return requestID(p["requestId"])
}
