package transport

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sync/semaphore"
)

func TestVersionsAreApart(t *testing.T) {
	w := dial(t, t.Context())
	discover := `{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"discoverer","version":"1"}}}}`
	if m := w.ask(discover); m.Error != nil || !strings.Contains(m.line, "2026-07-28") {
		t.Fatalf("discover: %s", m.line)
	}
	if m := w.ask(toolCall(1, "who", `{}`)); m.kind() != "1 -32600" {
		t.Errorf("bare call after discover: %s", m.line)
	}
	open := strings.Replace(hello, `"capabilities"`, `"workspaceFolders":"file:///r","capabilities"`, 1)
	if m := w.ask(open); m.kind() != `"hello" ok` {
		t.Fatalf("initialize after discover: %s", m.line)
	}
	const legacyWho = `"test" 2025-11-25 map[workspaceFolders:file:///r]`
	if m := w.ask(toolCall(2, "who", `{}`)); m.text() != legacyWho {
		t.Errorf("legacy call: %s", m.line)
	}
	if m := w.ask(modernCall(3, "who", `{}`)); m.text() != `"" 2026-07-28 <nil>` {
		t.Errorf("modern call sees another's state: %s", m.line)
	}
	if m := w.ask(toolCall(4, "who", `{}`)); m.text() != legacyWho {
		t.Errorf("legacy call after modern ones: %s", m.line)
	}
	if m := w.ask(strings.Replace(discover, `"id":0`, `"id":5`, 1)); m.kind() != "5 ok" {
		t.Errorf("discover after initialize: %s", m.line)
	}
	if err := w.end(); err != nil {
		t.Error(err)
	}
}

func TestHandshakeOfTheFuture(t *testing.T) {
	w := dial(t, t.Context())
	w.ask(strings.Replace(hello, "2025-11-25", "2026-07-28", 1))
	if m := w.ask(toolCall(1, "who", `{}`)); m.text() != `"test" 2025-11-25 <nil>` {
		t.Errorf("a session opened by initialize is legacy: %s", m.line)
	}
	if err := w.end(); err != nil {
		t.Error(err)
	}
}

func TestModernRepliesDoNotDependOnEarlierOnes(t *testing.T) {
	request := modernCall(1, "who", `{}`)
	fresh := converse(t, request)
	w := dial(t, t.Context())
	for i := range 100 {
		line := modernCall(1000+i, "echo", `{"text":"x"}`)
		if i%2 == 0 {
			line = strings.Replace(line, `"io.modelcontextprotocol/clientCapabilities"`, `"io.modelcontextprotocol/clientInfo":{"name":"other","version":"1"},"io.modelcontextprotocol/clientCapabilities"`, 1)
		}
		w.ask(line)
	}
	w.ask(`{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"other","version":"1"}}}}`)
	if m := w.ask(request); len(fresh) != 1 || m.line != fresh[0].line {
		t.Errorf("got  %s\nwant %v", m.line, fresh)
	}
	if err := w.end(); err != nil {
		t.Error(err)
	}
}

func TestRootsAreAskedAndAnswered(t *testing.T) {
	tests := []struct{ answer, want string }{
		{`{"jsonrpc":"2.0","id":%s,"result":{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}}`, "2 roots"},
		{`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"none here"}}`, "no roots: calling \"roots/list\": none here"},
		{`{"jsonrpc":"2.0","id":%s,"error":"gibberish"}`, "no roots: calling \"roots/list\": the client answered with a malformed error"},
	}
	for _, test := range tests {
		w := dial(t, t.Context())
		w.ask(hello)
		// The client's own request 1 is open while the server's request 1 is.
		question := w.ask(toolCall(1, "roots", `{}`))
		if question.Method != "roots/list" {
			t.Fatalf("got %s", question.line)
		}
		answer := fmt.Sprintf(test.answer, question.ID)
		w.send(strings.Replace(answer, string(question.ID), "77", 1)) // not asked for
		if m := w.ask(answer); m.text() != test.want {
			t.Errorf("got %s, want %q", m.line, test.want)
		}
		w.send(answer) // a second time
		if m := w.ask(ping); m.kind() != `"last" ok` {
			t.Errorf("got %s", m.line)
		}
		if err := w.end(); err != nil {
			t.Error(err)
		}
	}
}

func TestModernClientIsNotAsked(t *testing.T) {
	w := dial(t, t.Context())
	for _, tool := range []string{"roots", "ping", "echo"} {
		if m := w.ask(modernCall(1, tool, `{}`)); m.kind() != "1 ok" || m.text() == "<nil>" {
			t.Errorf("%s: got %s", tool, m.line)
		}
	}
	if err := w.end(); err != nil {
		t.Error(err)
	}
}

func TestCancelledCallIsNotAnswered(t *testing.T) {
	t.Parallel()
	w := dial(t, t.Context())
	w.ask(hello)
	for _, line := range []string{toolCall(1, "slow", `{"ms":60000}`), modernCall(1, "slow", `{"ms":60000}`)} {
		w.send(line)
		if m := w.ask(toolCall(2, "slow", `{"ms":100}`)); m.kind() != "2 ok" {
			t.Fatalf("got %s", m.line)
		}
		w.send(cancel("1"))
		if m := w.ask(toolCall(3, "slow", `{"ms":300}`)); m.kind() != "3 ok" {
			t.Errorf("a cancelled call is answered: %s", m.line)
		}
	}
	if m := w.ask(toolCall(1, "echo", `{"text":"again"}`)); m.text() != "again" {
		t.Errorf("id of a cancelled call used again: %s", m.line)
	}
	if err := w.end(); err != nil {
		t.Error(err)
	}
}

func TestHandshakeIsNotCancelled(t *testing.T) {
	s := &stdio{owed: semaphore.NewWeighted(1)}
	s.owed.TryAcquire(1)
	e := newConn(s)
	for _, method := range []string{"initialize", "subscriptions/listen"} {
		f, _ := parse([]byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":%q}`, method, method)))
		if e.open(f); e.cancel(f.key) != methods[method].Endless {
			t.Errorf("%s: wrong", method)
		}
	}
}

func TestIDInUse(t *testing.T) {
	t.Parallel()
	w := dial(t, t.Context())
	w.ask(hello)
	w.send(toolCall(1, "slow", `{"ms":1500}`))
	if m := w.ask(toolCall(1, "echo", `{"text":"second"}`)); m.kind() != "1 -32600" {
		t.Errorf("second request of an id: %s", m.line)
	}
	if m := w.ask(toolCall(`"1"`, "echo", `{"text":"string"}`)); m.text() != "string" {
		t.Errorf("a string is another id: %s", m.line)
	}
	if m := w.ask(modernCall(1, "echo", `{"text":"modern"}`)); m.text() != "modern" {
		t.Errorf("an era has its own ids: %s", m.line)
	}
	if m := w.next(); m.text() != "slept" {
		t.Errorf("first request: %s", m.line)
	}
	if m := w.ask(toolCall(1, "echo", `{"text":"again"}`)); m.text() != "again" {
		t.Errorf("id used again: %s", m.line)
	}
	if err := w.end(); err != nil {
		t.Error(err)
	}
}
