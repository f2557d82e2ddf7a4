package wire

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"blue/mcp/internal/message"
)

// FuzzFrame feeds streams to the guard. What it passes the SDK's decoder must
// take as the same message; the connection must live on; and every request must
// be answered once.
func FuzzFrame(f *testing.F) {
	for _, c := range corpus {
		if len(c.in) < 64<<10 {
			f.Add([]byte(c.in))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		requests := 0
		for _, line := range readLines(in) {
			g, fault := message.Parse(line)
			if fault != nil || g.Answer == nil && g.ID != nil && !message.Known(g.Method).Endless {
				requests++
			}
			if fault == nil {
				agree(t, line, g)
			}
		}
		got := talk(t, string(in)+"\n"+ping)
		if !hasReply(got, `"last"`) {
			t.Fatalf("ping unanswered: %v", got)
		}
		if hasCancel := strings.Contains(string(in), "ancelled") || strings.Contains(string(in), `\`); len(got) < requests+1 && !hasCancel {
			t.Errorf("%d replies to %d requests and a ping", len(got), requests)
		}
	})
}

// agree compares what the guard read with what the SDK reads from the line and
// from the guard's message.
func agree(t *testing.T, line []byte, g message.Frame) {
	t.Helper()
	var m jsonrpc.Message = &jsonrpc.Request{ID: g.Key, Method: g.Method, Params: g.Params}
	if g.Answer != nil {
		m = g.Answer
	}
	if !g.Key.IsValid() && g.Answer != nil {
		return
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		t.Fatalf("encoding %q: %v", line, err)
	}
	// The encoder omits an empty method, and an answer of "result": null.
	if again, err := jsonrpc.DecodeMessage(data); err != nil && g.Method != "" {
		t.Fatalf("the SDK refuses %q: %v", data, err)
	} else if r, ok := again.(*jsonrpc.Request); ok && (r.Method != g.Method || r.ID != g.Key) {
		t.Fatalf("%q became %q", line, data)
	}
	direct, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		if g.Answer == nil {
			t.Fatalf("the SDK refuses %q: %v", line, err)
		}
		return
	}
	r, isRequest := direct.(*jsonrpc.Request)
	if isRequest != (g.Answer == nil) {
		t.Fatalf("%q: the SDK reads a %T", line, direct)
	}
	rounded := len(g.ID) > 15 && g.ID[0] != '"'
	if isRequest && (r.Method != g.Method || r.ID != g.Key && !rounded) {
		t.Fatalf("%q: the SDK reads id %v method %q, the guard %v %q", line, r.ID, r.Method, g.Key, g.Method)
	}
}
