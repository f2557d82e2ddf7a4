package wire

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"blue/mcp/internal/message"
)

// ask sends a request or notification of ours. Modern clients are never asked: their
// versions allow no request from a server.
func (c *conn) ask(r *jsonrpc.Request) error {
	if r.IsCall() && !c.noteQuestion(r.ID) {
		return &jsonrpc.Error{Code: message.CodeNotAsked, Message: "the client cannot be asked now"}
	}
	if id, ok := message.CancelledID(r.Params); ok && r.Method == message.Cancelled {
		c.forgetQuestion(id)
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

// forgetQuestion says whether the client still owed an answer to the request.
func (c *conn) forgetQuestion(id jsonrpc.ID) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	owed := c.asked[id]
	delete(c.asked, id)
	return owed
}

// deliverAnswer hands over the client's answer, unless nobody waits for it.
func (c *conn) deliverAnswer(r *jsonrpc.Response) {
	if c.forgetQuestion(r.ID) {
		c.deliver(r)
	}
}

// stopAsking fails the requests that wait for the client and all later ones.
func (c *conn) stopAsking() {
	c.mutex.Lock()
	c.asks = false
	asked := c.asked
	c.asked = map[jsonrpc.ID]bool{}
	c.mutex.Unlock()
	for id := range asked {
		c.deliver(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: message.CodeNotAsked, Message: "the client has ended its input"}})
	}
}

// cancel marks a request as cancelled. The SDK learns of it under its own spelling of the
// id; it would take 1.5 for 1.
func (s *stdio) cancel(f message.Frame) {
	id, ok := message.CancelledID(f.Params)
	if !ok {
		return
	}
	for _, c := range []*conn{s.conn(f), s.legacy, s.modern} {
		if c.cancel(id) {
			params, _ := json.Marshal(map[string]any{"requestId": id.Raw()})
			c.deliver(&jsonrpc.Request{Method: message.Cancelled, Params: params})
			return
		}
	}
}

// cancel reports whether it has marked a request. A handshake is not cancelled (MCP,
// cancellation). That the answer to subscriptions/listen is not held back is what ends it.
func (c *conn) cancel(id jsonrpc.ID) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	p := c.calls[id]
	if p == nil || p.cancelled || p.method == message.Initialize {
		return false
	}
	if !message.Known(p.method).Endless {
		p.cancelled = true
		c.router.releasePlaces(p.places)
	}
	return true
}
