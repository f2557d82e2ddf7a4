package transport

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// CodeNotAsked is the code of a question to the client that was not sent, or that it can no
// longer answer. The SDK takes this code to mean that one message was not sent on a working
// connection; after any other write error it gives the connection up.
const CodeNotAsked = -32005

// conn is the connection of the SDK's session on stdio for the legacy or the modern versions:
// the [mcp.Transport] and [mcp.Connection] whose other end is the stdio router.
type conn struct {
	router  *stdio
	session *mcp.ServerSession
	turns   *Turns // nil for the modern versions
	in      chan jsonrpc.Message
	eof     chan struct{} // closed by finish
	closed  chan struct{} // closed by the SDK
	once    sync.Once

	mutex sync.Mutex
	calls map[jsonrpc.ID]*pending // requests read and not answered
	asked map[jsonrpc.ID]bool     // our requests that the client has not answered
	asks  bool                    // whether the client may be asked: legacy, and not at the end
}

// pending is a request that the client waits for.
type pending struct {
	id        json.RawMessage
	method    string
	places    int64 // how many places it takes among the owed requests
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
func (c *conn) Connect(context.Context) (mcp.Connection, error) {
	return &ordered{Connection: c, turns: c.turns}, nil
}

// SessionID returns "": a pair of streams has one client and needs no name.
func (c *conn) SessionID() string { return "" }

// Read returns the next message, or io.EOF after finish has ended the connection.
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
	return nil // unreachable: the SDK has no other messages
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

// open records a request. It returns nil if its id is in use.
func (c *conn) open(f frame) *pending {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.calls[f.key] != nil {
		return nil
	}
	p := &pending{id: f.id, method: f.method, places: places(f)}
	c.calls[f.key] = p
	return p
}

// close ends a request before its answer is written, because the client may reuse the id as
// soon as it has read the answer. It returns nil if the client has cancelled the request and so
// must get no answer (MCP, cancellation).
func (c *conn) close(id jsonrpc.ID) *pending {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	p := c.calls[id]
	delete(c.calls, id)
	if p == nil || p.cancelled {
		return nil
	}
	return p
}

// cancel marks a request as cancelled and reports whether it did. A handshake cannot be
// cancelled (MCP, cancellation). A request to subscriptions/listen ends with its answer, so
// that answer is not suppressed.
func (c *conn) cancel(id jsonrpc.ID) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	p := c.calls[id]
	if p == nil || p.cancelled || p.method == initialize {
		return false
	}
	if !methods[p.method].Endless {
		p.cancelled = true
		c.router.owed.Release(p.places)
	}
	return true
}

// reply writes the answer to a request.
func (c *conn) reply(r *jsonrpc.Response) error {
	p := c.close(r.ID)
	if p == nil {
		return nil
	}
	answer := reply{"2.0", p.id, r.Result, nil}
	if r.Error != nil {
		answer = failed(p.id, faultOf(r.Error))
	}
	defer c.router.owed.Release(p.places)
	return c.router.writeLine(answer)
}

// ask sends a request or notification of the server. Modern clients are never asked: their
// versions do not allow requests from a server.
func (c *conn) ask(r *jsonrpc.Request) error {
	if r.IsCall() && !c.noteQuestion(r.ID) {
		return rpcError(CodeNotAsked, "the client cannot be asked now")
	}
	line, err := jsonrpc.EncodeMessage(r)
	if err != nil {
		return err
	}
	return c.router.writeLine(json.RawMessage(line))
}

func (c *conn) noteQuestion(id jsonrpc.ID) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.asks {
		c.asked[id] = true
	}
	return c.asks
}

// deliverAnswer delivers the client's answer. The SDK ignores answers that nothing waits for.
func (c *conn) deliverAnswer(r *jsonrpc.Response) {
	c.mutex.Lock()
	delete(c.asked, r.ID)
	c.mutex.Unlock()
	c.deliver(r)
}

// stopAsking fails all pending and later requests to the client.
func (c *conn) stopAsking() {
	c.mutex.Lock()
	c.asks = false
	asked := c.asked
	c.asked = map[jsonrpc.ID]bool{}
	c.mutex.Unlock()
	for id := range asked {
		c.deliver(&jsonrpc.Response{ID: id, Error: rpcError(CodeNotAsked, "the client has ended its input")})
	}
}
