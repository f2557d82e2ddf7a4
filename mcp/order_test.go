package mcp

import (
	"fmt"
	"strings"
	"testing"
)

// Calls that are sent without waiting keep the order that they have with
// blue_use: what came before it goes to the project before, what came after it to the
// new one.
func TestUseInTheStream(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	p.open(`{"roots":{}}`)
	before := p.ask("write", args("title", "before", "body", "x")) // waits for the roots
	p.wait("roots/list", func() bool { return len(p.asked) == 1 })
	use := p.ask("use", args("cwd", base+"/other"))
	after := p.ask("write", args("title", "after", "body", "x"))
	own := p.ask("list", args("cwd", base+"/shop"))
	p.answer(1, rootsResult(base+"/shop"))
	expect(t, "before use", p.outcome(before), "roots:shop")
	expect(t, "use", p.outcome(use), "use:other")
	expect(t, "after use", p.outcome(after), "use:other")
	expect(t, "with cwd", p.outcome(own), "argument:shop")
	for n := range 40 {
		to := []string{"shop", "other"}[n%2]
		p.ask("use", args("cwd", base+"/"+to))
		expect(t, "write after use", p.outcome(p.ask("write", args("title", fmt.Sprint(n), "body", "x"))), "use:"+to)
	}
}

// A call that is cancelled before its turn is not made, and holds up nobody.
func TestCancelledBeforeItsTurn(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	p.open(`{"roots":{}}`)
	first := p.ask("list", args())
	p.wait("roots/list", func() bool { return len(p.asked) == 1 })
	p.ask("use", args("cwd", base+"/other"))
	cancelled := p.ask("write", args("title", "cancelled", "body", "x"))
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, cancelled))
	next := p.ask("use", args("cwd", base+"/shop"))
	p.answer(1, rootsResult(base+"/shop"))
	expect(t, "before use", p.outcome(first), "roots:shop")
	expect(t, "next use", p.outcome(next), "use:shop")
	if got := notes(base + "/other"); len(got) != 0 {
		t.Errorf("the cancelled call wrote %v", got)
	}
}

// The same over HTTP, where each message has its own request.
func TestUseInASession(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	v := s.visit(`{"roots":{}}`)
	asked, answer := make(chan struct{}), make(chan string)
	v.roots = func(said) string { close(asked); return <-answer }
	outcomes := map[string]chan outcome{}
	send := func(name, tool string, arguments map[string]any) {
		done := make(chan outcome, 1)
		outcomes[name] = done
		body := callBody(t, nextID(), tool, arguments, nil)
		go func() { done <- outcomeOf(t, v.post(body)) }()
	}
	send("before", "write", args("title", "before", "body", "x"))
	<-asked
	send("use", "use", args("cwd", base+"/other"))
	within(t, "blue_use has its place", func() bool { return s.d.web.Load().Waiting == 1 })
	send("after", "write", args("title", "after", "body", "x"))
	answer <- rootsResult(base + "/shop")
	expect(t, "before use", <-outcomes["before"], "roots:shop")
	expect(t, "use", <-outcomes["use"], "use:other")
	expect(t, "after use", <-outcomes["after"], "use:other")
}

// What was sent behind a blue_use that fails is not done in the project before: its
// sender believed that another one would count.
func TestCallsBehindAFailedUse(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	w.dir = base + "/shop"
	p := w.start(t)
	p.open(`{}`)
	for range 20 {
		p.ask("use", args("cwd", base+"/none"))
		behind := p.ask("write", args("title", "behind", "body", "x"))
		own := p.ask("list", args("cwd", base+"/other"))
		o := p.outcome(behind)
		if o.source() == "cwd:shop" { // it came when the answer to blue_use was out
			continue
		}
		expect(t, "behind use", o, "conflict")
		if !strings.Contains(o.text(), "send the call again with cwd") {
			t.Errorf("%s", o.text())
		}
		expect(t, "with cwd", p.outcome(own), "argument:other")
	}
	expect(t, "after the reply", p.call("list", args()), "cwd:shop")
}

// A call that the SDK refuses, or that is cancelled, holds up nobody over HTTP.
func TestNoTurnIsLost(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	v := s.visit(`{"roots":{}}`)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`, `{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":5}}`,
		`{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":5}}`, `{"jsonrpc":"2.0","id":4,"method":"resources/list","params":{"cursor":5}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"blue_list","_meta":5}}`, `{"jsonrpc":"2.0","id":6,"method":"tools/call"}`,
	} {
		v.post(body)
	}
	if n := s.d.web.Load().Turns; n > 0 {
		t.Errorf("%d turns are not given back", n)
	}
	expect(t, "use behind calls without a turn", v.call("use", args("cwd", base+"/shop")), "use:shop")
	if n := s.d.web.Load().Turns; n > 0 {
		t.Errorf("%d turns are not given back", n)
	}
	asked, answer := make(chan struct{}), make(chan string)
	v = s.visit(`{"roots":{}}`)
	v.roots = func(said) string { close(asked); return <-answer }
	before := len(notes(base + "/other"))
	listed, used, written := make(chan heard, 1), make(chan heard, 1), make(chan heard, 1)
	go func() { listed <- v.post(callBody(t, 11, "list", args(), nil)) }()
	<-asked
	go func() { used <- v.post(callBody(t, 12, "use", args("cwd", base+"/other"), nil)) }()
	waits := func(n int) func() bool {
		return func() bool { return s.d.web.Load().Waiting == n }
	}
	within(t, "blue_use waits", waits(1))
	go func() { written <- v.post(callBody(t, 13, "write", args("body", "x"), nil)) }()
	within(t, "the write waits", waits(2))
	v.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":13}}`)
	if h := <-written; h.body != "" {
		t.Errorf("a call that is cancelled before its turn is answered: %s", h)
	}
	answer <- rootsResult(base + "/shop")
	<-listed
	expect(t, "use", outcomeOf(t, <-used), "use:other")
	if after := len(notes(base + "/other")); after != before {
		t.Errorf("the cancelled call wrote a note")
	}
}
