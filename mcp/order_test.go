package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"blue/fixtures"
)

// A003: calls that are sent without waiting keep the order that they have with
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
	expect(t, "A003", p.outcome(before), "roots:shop")
	expect(t, "A003", p.outcome(use), "use:other")
	expect(t, "A003", p.outcome(after), "use:other")
	expect(t, "A003", p.outcome(own), "argument:shop")
	for n := range 40 {
		to := []string{"shop", "other"}[n%2]
		p.ask("use", args("cwd", base+"/"+to))
		expect(t, "A003", p.outcome(p.ask("write", args("title", fmt.Sprint(n), "body", "x"))), "use:"+to)
	}
}

// A003: a call that is cancelled before its turn is not made, and holds up nobody.
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
	expect(t, "A003", p.outcome(first), "roots:shop")
	expect(t, "A003", p.outcome(next), "use:shop")
	if got := notes(base + "/other"); len(got) != 0 {
		t.Errorf("A003: the cancelled call wrote %v", got)
	}
}

// A003 over HTTP, where each message has its own request.
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
	places := func() (uses bool) {
		o := s.f.d.roster.order(v.id)
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.after != nil
	}
	send("before", "write", args("title", "before", "body", "x"))
	<-asked
	send("use", "use", args("cwd", base+"/other"))
	within(t, 10*time.Second, "blue_use has its place", places)
	send("after", "write", args("title", "after", "body", "x"))
	answer <- rootsResult(base + "/shop")
	expect(t, "A003", <-outcomes["before"], "roots:shop")
	expect(t, "A003", <-outcomes["use"], "use:other")
	expect(t, "A003", <-outcomes["after"], "use:other")
}

// A003 on the transport of 2024-11-05, whose answers travel on another response.
func TestUseOnAStream(t *testing.T) {
	t.Parallel()
	base := fixtures.Project(t, "shop")
	s := newWorld(t, filepath.Join(base, "elsewhere")).serve(t, base, HTTP{SSE: true})
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	stream, err := s.client.Do(s.request("GET", "/sse?project_path="+base+"/shop", "").WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	said := make(chan string, 100)
	go events(stream.Body, func(data string) bool { said <- data; return true })
	endpoint := <-said
	s.send("POST", endpoint, fmt.Sprintf(openBody, `{}`))
	s.send("POST", endpoint, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	<-said
	for n := range 20 {
		to := []string{"other", "shop"}[n%2]
		s.send("POST", endpoint, callBody(t, 2*n, "use", args("cwd", base+"/"+to), nil))
		s.send("POST", endpoint, callBody(t, 2*n+1, "write", args("title", fmt.Sprint(n), "body", "x"), nil))
		for range 2 {
			var m struct{ Result json.RawMessage }
			var o outcome
			if err := json.Unmarshal([]byte(<-said), &m); err != nil || json.Unmarshal(m.Result, &o) != nil {
				t.Fatalf("A003: %v in %s", err, m.Result)
			}
			expect(t, "A003", o, "use:"+to)
		}
	}
}

// The turns of three calls, one by one.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o order
		call := func(tool string) turn {
			return o.enter(frame{id: []byte("1"), method: "tools/call", params: []byte(`{"name":"blue_` + tool + `"}`)})
		}
		read, use, write := call("read"), call("use"), call("write")
		synctest.Wait()
		if !read.now() || use.now() || write.now() {
			t.Error("the first call alone may begin")
		}
		read.leave()
		synctest.Wait()
		if !use.now() || write.now() {
			t.Error("blue_use may begin when the call before it has ended")
		}
		use.leave()
		use.leave()
		if !write.now() || !call("list").now() {
			t.Error("calls may begin when blue_use has ended")
		}
	})
}
