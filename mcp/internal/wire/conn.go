package wire

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
	"blue/mcp/internal/message"
)

// conn is the connection of the SDK's session for the legacy or the modern versions: the
// [mcp.Transport] and [mcp.Connection] whose other end is the stdio router.
type conn struct {
	router  *stdio
	session *mcp.ServerSession
	in      chan jsonrpc.Message
	eof     chan struct{} // closed by finish
	closed  chan struct{} // closed by the SDK
	once    sync.Once

	mutex sync.Mutex
	calls map[jsonrpc.ID]*pending // requests read and not answered
	asked map[jsonrpc.ID]bool     // our requests that the client has not answered
	order message.Order
	asks  bool // whether the client may be asked: legacy, and not at the end
	ready bool // a handshake has taken place, or none is needed
}

// pending is a request that the client waits for.
type pending struct {
	id        json.RawMessage
	method    string
	places    int // among the owed
	turn      message.Turn
	cancelled bool
}

func newConn(s *stdio) *conn {
	return &conn{
		router: s,
		in:     make(chan jsonrpc.Message),
		eof:    make(chan struct{}),
		closed: make(chan struct{}),
		calls:  map[jsonrpc.ID]*pending{},
		asked:  map[jsonrpc.ID]bool{},
	}
}

// Connect returns the connection itself, which serves one session.
func (c *conn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID returns "": a pair of streams has one client and needs no name.
func (c *conn) SessionID() string { return "" }

// Read returns the next message, io.EOF when finish has ended the connection.
func (c *conn) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.in:
		return m, nil
	case <-c.eof:
	case <-c.closed:
	}
	return nil, io.EOF
}

// Write sends an answer, a request or a notification of the SDK to the client.
func (c *conn) Write(_ context.Context, m jsonrpc.Message) error {
	switch m := m.(type) {
	case *jsonrpc.Response:
		return c.reply(m)
	case *jsonrpc.Request:
		return c.ask(m)
	}
	return nil // there are no others
}

// Close ends Read.
func (c *conn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// deliver hands a message to the SDK, which takes it at once.
func (c *conn) deliver(m jsonrpc.Message) {
	select {
	case c.in <- m:
	case <-c.closed:
	}
}

// open notes a request; nil when its id is in use.
func (c *conn) open(f message.Frame) *pending {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.calls[f.Key] != nil {
		return nil
	}
	p := &pending{id: f.ID, method: f.Method, places: places(f), turn: message.Turn{End: func(bool) {}}}
	if !f.Modern { // modern requests have no session that blue_use could change
		p.turn = c.order.Enter(f)
	}
	c.calls[f.Key] = p
	return p
}

// deliverInTurn hands a request to the SDK when its turn has come, unless the client has
// cancelled it meanwhile.
func (c *conn) deliverInTurn(p *pending, r *jsonrpc.Request) {
	if p.turn.Now() {
		r.Params = p.turn.Warn(r.Params)
		c.deliver(r)
		return
	}
	go func() {
		select {
		case <-p.turn.Ready:
		case <-c.closed:
			return
		}
		if !c.dropCancelled(p, r.ID) {
			r.Params = p.turn.Warn(r.Params)
			c.deliver(r)
		}
	}()
}

// dropCancelled gives up a request if it was cancelled before its turn.
func (c *conn) dropCancelled(p *pending, id jsonrpc.ID) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if p.cancelled {
		delete(c.calls, id)
		p.turn.End(true)
	}
	return p.cancelled
}

// close ends a request before its answer is written, because the client may use the id
// again as soon as it has read the answer. It returns nil for one that wants no answer,
// because the client has cancelled it (MCP, cancellation).
func (c *conn) close(r *jsonrpc.Response) *pending {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	p := c.calls[r.ID]
	if p == nil {
		return nil
	}
	delete(c.calls, r.ID)
	p.turn.End(p.turn.Uses && (p.cancelled || failedCall(r)))
	if p.method == message.Initialize && r.Error == nil {
		c.ready = true
	}
	if p.cancelled {
		return nil
	}
	return p
}

// failedCall reports whether an answer says that a tool has failed.
func failedCall(r *jsonrpc.Response) bool {
	var result struct{ IsError bool }
	return r.Error != nil || json.Unmarshal(r.Result, &result) != nil || result.IsError
}

func (c *conn) reply(r *jsonrpc.Response) error {
	p := c.close(r)
	if p == nil {
		return nil
	}
	answer := message.Succeeded(p.id, r.Result)
	if r.Error != nil {
		answer = message.Failed(p.id, c.fault(p.method, r.Error))
	}
	err := c.router.writeLine(answer)
	if !message.Known(p.method).Endless {
		c.router.releasePlaces(p.places)
	}
	return err
}

// fault gives an error of the SDK the form of the wire. The SDK sends its plain errors with
// code 0, which is none.
func (c *conn) fault(method string, err error) jsonrpc.Error {
	fault := jsonrpc.Error{Message: err.Error()}
	if cause, ok := errors.AsType[*jsonrpc.Error](err); ok {
		fault.Code, fault.Data = cause.Code, cause.Data
	}
	if fault.Code == 0 {
		fault.Code = c.code(method)
	}
	return fault
}

// code says what a plain error of the SDK means: before the handshake that there was none,
// or that its params were bad; after it, for initialize, that it was the second; else that
// a method failed. The SDK refuses every method before the handshake, and a client that
// probes for one must learn that there is none.
func (c *conn) code(method string) int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	first := method == message.Initialize
	switch {
	case c.ready && first:
		return jsonrpc.CodeInvalidRequest
	case c.ready:
		return jsonrpc.CodeInternalError
	case first:
		return jsonrpc.CodeInvalidParams
	case !message.Known(method).Handshake:
		return jsonrpc.CodeMethodNotFound
	}
	return jsonrpc.CodeInvalidRequest
}
