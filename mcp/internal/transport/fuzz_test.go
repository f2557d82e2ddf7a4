package transport

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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
			g, fault := parse(line)
			if fault != nil || g.answer == nil && g.id != nil && !methods[g.method].Endless {
				requests++
			}
			if fault == nil {
				agree(t, line, g)
			}
		}
		got := converse(t, string(in)+"\n"+ping)
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
func agree(t *testing.T, line []byte, g frame) {
	t.Helper()
	var m jsonrpc.Message = &jsonrpc.Request{ID: g.key, Method: g.method, Params: g.params}
	if g.answer != nil {
		m = g.answer
	}
	if !g.key.IsValid() && g.answer != nil {
		return
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		t.Fatalf("encoding %q: %v", line, err)
	}
	// The encoder omits an empty method, and an answer of "result": null.
	if again, err := jsonrpc.DecodeMessage(data); err != nil && g.method != "" {
		t.Fatalf("the SDK refuses %q: %v", data, err)
	} else if r, ok := again.(*jsonrpc.Request); ok && (r.Method != g.method || r.ID != g.key) {
		t.Fatalf("%q became %q", line, data)
	}
	direct, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		if g.answer == nil {
			t.Fatalf("the SDK refuses %q: %v", line, err)
		}
		return
	}
	r, isRequest := direct.(*jsonrpc.Request)
	if isRequest != (g.answer == nil) {
		t.Fatalf("%q: the SDK reads a %T", line, direct)
	}
	rounded := len(g.id) > 15 && g.id[0] != '"'
	if isRequest && (r.Method != g.method || r.ID != g.key && !rounded) {
		t.Fatalf("%q: the SDK reads id %v method %q, the guard %v %q", line, r.ID, r.Method, g.key, g.method)
	}
}
