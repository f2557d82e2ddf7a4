package mcp

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Promise 14, X090: a panic harms its call alone; the lock is free afterwards, and
// the fifth in a minute ends the server.
func TestPanicHarmsOneCall(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	w.dir = base + "/shop"
	var armed atomic.Bool
	w.now = func() time.Time {
		if armed.CompareAndSwap(true, false) {
			panic("injected")
		}
		return time.Now()
	}
	var log lockedBuffer
	w.log = &log
	p := w.start(t)
	p.open(`{}`)
	for _, tool := range []string{"write", "edit", "list", "search"} {
		arguments := map[string]map[string]any{
			"write": args("body", "some text of "+tool), "edit": args("id", "deploy", "append", "more"),
			"list": args(), "search": args("query", "webhook"),
		}[tool]
		armed.Store(true)
		m := p.reply(p.ask(tool, arguments))
		if m.Error == nil || m.Error.Code != -32603 || m.Error.Message != "internal error (logged)" {
			t.Errorf("%s: %+v", tool, m)
		}
		if o := p.call(tool, arguments); o.IsError {
			t.Errorf("%s after the panic: %s", tool, o.text())
		}
	}
	if strings.Count(log.String(), "fault=injected") != 4 {
		t.Errorf("the log holds:\n%s", log.String())
	}
	armed.Store(true)
	p.ask("list", args())
	select {
	case err := <-p.done:
		if err == nil {
			t.Error("five panics and the server ended well")
		}
		p.done <- nil
	case <-time.After(5 * time.Second):
		t.Error("five panics and the server goes on")
	}
}
