package mcp

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blue/errors"
	"blue/mcp/internal/transport"
)

// everyTool has arguments for each tool; those of cwd are added.
var everyTool = map[string]map[string]any{
	"where": nil, "use": nil, "list": nil,
	"write": args("body", "text"), "read": args("id", "deploy"), "search": args("query", "webhook"),
	"edit": args("id", "deploy", "append", "more"), "remove": args("id", "no-such"),
}

// modernMeta makes a call one of 2026-07-28.
var modernMeta = map[string]any{"io.modelcontextprotocol/protocolVersion": transport.FirstModern, "io.modelcontextprotocol/clientCapabilities": map[string]any{}}

func inProject(cwd string, arguments map[string]any) map[string]any {
	all := args("cwd", cwd)
	for name, value := range arguments {
		all[name] = value
	}
	return all
}

// trap is a log that panics once, while a call is being served: one that looks for
// the project whose path holds a word, so that no other call falls into it.
type trap struct {
	word  string
	armed atomic.Bool
}

func (p *trap) Write(line []byte) (int, error) {
	text := string(line)
	if strings.Contains(text, "msg=detected") && strings.Contains(text, p.word) && p.armed.CompareAndSwap(true, false) {
		panic("injected")
	}
	return len(line), nil
}

// underLoad calls load again and again from five sides while it calls other, and at
// least ten times from each.
func underLoad(load, other func()) {
	var group sync.WaitGroup
	done := make(chan struct{})
	for range 5 {
		group.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					if i >= 10 {
						return
					}
				default:
				}
				load()
			}
		})
	}
	other()
	close(done)
	group.Wait()
}

// Promise 14: over HTTP a panic in each tool, under load, harms its call alone.
func TestPanicInEachToolOverHTTP(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	trap := &trap{word: filepath.FromSlash("/shop")}
	w.log = trap
	s := w.serve(t, base, HTTP{})
	v := s.visit(`{}`)
	var served atomic.Int64
	load := func() {
		expect(t, "under load", v.call("list", args("cwd", base+"/other")), "argument:other")
		served.Add(1)
	}
	for tool, a := range everyTool {
		a = inProject(base+"/shop", a)
		underLoad(load, func() {
			trap.armed.Store(true)
			if h := v.post(callBody(t, 7, tool, a, nil)); h.code() != -32603 || h.message().Error.Message != "internal error (logged)" {
				t.Errorf("%s: %s", tool, h)
			}
			if tool == "use" { // which looks for nothing there
				return
			}
			trap.armed.Store(true)
			if h := s.askTool(tool, a); h.code() != -32603 {
				t.Errorf("modern %s: %s", tool, h)
			}
		})
	}
	if o := v.call("write", args("cwd", base+"/shop", "body", "the lock is free")); o.IsError {
		t.Errorf("%s", o.text())
	}
	if len(s.d.calls.running) != 0 || len(s.d.calls.queued) != 0 {
		t.Errorf("%d running, %d queued", len(s.d.calls.running), len(s.d.calls.queued))
	}
	t.Logf("15 panics, %d other calls answered", served.Load())
}

// Promise 14: the same on stdio, in both eras. Each tool has a server of its own,
// since the fifth panic ends one.
func TestPanicInEachToolOnStdio(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	for tool, a := range everyTool {
		base, w := scene(t)
		trap := &trap{word: filepath.FromSlash("/shop")}
		w.log = trap
		p := w.start(t)
		p.open(`{}`)
		a = inProject(base+"/shop", a)
		load := func() {
			expect(t, "promise 14", p.call("list", args("cwd", base+"/other")), "argument:other")
			served.Add(1)
		}
		underLoad(load, func() {
			for _, meta := range []map[string]any{nil, modernMeta} {
				if tool == "use" && meta != nil {
					continue
				}
				trap.armed.Store(true)
				m := p.reply(p.askMeta(tool, a, meta))
				if m.Error == nil || m.Error.Code != -32603 || m.Error.Message != "internal error (logged)" {
					t.Errorf("%s: %+v", tool, m)
				}
			}
		})
		if o := p.call("write", args("cwd", base+"/shop", "body", "the lock is free")); o.IsError {
			t.Errorf("%s: %s", tool, o.text())
		}
		p.close()
	}
	t.Logf("15 panics, %d other calls answered", served.Load())
}

// Promise 14: a panic while a note is being written leaves the lock free and the
// call to be made again; the fifth in a minute ends the server.
func TestFivePanicsEndStdio(t *testing.T) {
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
		armed.Store(true)
		if m := p.reply(p.ask(tool, inProject(base+"/shop", everyTool[tool]))); m.Error == nil || m.Error.Code != -32603 {
			t.Errorf("%s: %+v", tool, m)
		}
		if o := p.call(tool, inProject(base+"/shop", everyTool[tool])); o.IsError {
			t.Errorf("%s after the panic: %s", tool, o.text())
		}
	}
	if strings.Count(log.String(), "fault=injected") != 4 {
		t.Errorf("the log holds:\n%s", log.String())
	}
	armed.Store(true)
	p.ask("list", args())
	ends(t, p.done, errTooManyPanics)
}

// Promise 14: five panics end a server on HTTP too; its URL is withdrawn, and what
// the fifth call asked is still answered.
func TestFivePanicsEndHTTP(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	trap := &trap{word: filepath.FromSlash("/shop")}
	w.log = trap
	var note lockedBuffer
	done := make(chan error, 1)
	go func() {
		done <- ServeHTTP(context.Background(), w.options(t), HTTP{Addr: "127.0.0.1:0", NoAuth: true, AllowRoots: []string{base}}, &note)
	}()
	var url string
	within(t, "the URL", func() bool {
		if m := regexp.MustCompile(`http://127\S+/mcp`).FindString(note.String()); m != "" {
			url = m
		}
		return url != ""
	})
	s := &site{t: t, root: strings.TrimSuffix(url, "/mcp"), client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	for i := range 5 {
		trap.armed.Store(true)
		if h := s.askTool("list", args("cwd", base+"/shop")); h.code() != -32603 {
			t.Errorf("panic %d: %s", i, h)
		}
	}
	ends(t, done, errTooManyPanics)
	if left, err := os.ReadDir(w.home + "/state/blue/http"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if strings.Count(note.String(), "\n") != 1 {
		t.Errorf("said %q", note.String())
	}
}

// ends waits for the end of a server.
func ends(t *testing.T, done chan error, want error) {
	t.Helper()
	select {
	case err := <-done:
		if !errors.Is(err, want) {
			t.Errorf("the server ended with %v, not %v", err, want)
		}
		done <- nil
	case <-time.After(waitTime):
		t.Errorf("the server goes on; it was to end with %v", want)
	}
}
