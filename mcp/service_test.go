package mcp

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blue/fixtures"
)

// A flood is shed.
func TestManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	var visitors []*visitor
	for range 50 {
		visitors = append(visitors, s.visit(`{}`))
	}
	var most, served, busy, late atomic.Int64
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				most.Store(max(most.Load(), int64(len(s.d.calls.running))))
				time.Sleep(time.Millisecond)
			}
		}
	}()
	all := min(2000, 20*calls())
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			o := visitors[i%50].call("list", args("cwd", base+"/shop"))
			for o.source() == "fs_timeout" || o.source() == "timeout" { // no fault where other programs take the processors
				late.Add(1)
				o = visitors[i%50].call("list", args("cwd", base+"/shop"))
			}
			switch o.source() {
			case "argument:shop":
				served.Add(1)
			case "busy":
				busy.Add(1)
				if !strings.Contains(o.text(), "try again in") {
					t.Errorf("%s", o.text())
				}
			default:
				t.Errorf("%s", o.text())
			}
		})
	}
	group.Wait()
	close(stop)
	if served.Load()+busy.Load() != int64(all) || served.Load() == 0 || most.Load() > 16 || cap(s.d.calls.queued) != 80 {
		t.Errorf("%d served, %d busy, %d at once", served.Load(), busy.Load(), most.Load())
	}
	t.Logf("%d calls at once: %d served, %d busy, %d made again, at most %d running", all, served.Load(), busy.Load(), late.Load(), most.Load())
}

// How many handlers are at work, how many calls wait, and that the rest are
// refused at once.
func TestCallsThatWait(t *testing.T) {
	t.Parallel()
	_, s := openSite(t, HTTP{})
	wait := s.addStopped()
	v := s.visit(`{}`)
	const all = 120
	answers := make(chan outcome, all)
	for i := range all {
		if i%2 == 0 {
			go func() { answers <- v.call("stopped", args()) }()
		} else {
			go func() { answers <- outcomeOf(t, s.askTool("stopped", args())) }()
		}
	}
	got := map[string]int{}
	for i := range all {
		if i == all-80 { // all others have been refused
			within(t, "16 at work", func() bool { return wait.inside.Load() == 16 && len(s.d.calls.queued) == 80 })
			close(wait.let)
		}
		select {
		case o := <-answers:
			got[o.source()]++
		case <-time.After(waitTime):
			t.Fatalf("after %d answers there are no more: %v, %d at work", i, got, wait.inside.Load())
		}
		if at := wait.inside.Load(); at > 16 {
			t.Errorf("%d at work", at)
		}
	}
	if got["busy"] != all-80 || got["none"] != 80 {
		t.Errorf("%v", got)
	}
}

// Session 1,001 takes the place of the longest idle one.
func TestSessionCap(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	_, s := openSite(t, HTTP{})
	first, second := s.visit(`{}`), s.visit(`{}`)
	stream, err := s.client.Do(s.request("GET", "/mcp", "", second.pairs...)) // which keeps no session
	must(t, err)
	defer stream.Body.Close()
	for range 1000 - 2 {
		if h := s.post(fmt.Sprintf(openBody, `{}`)); h.status != 200 {
			t.Fatalf("%s", h)
		}
	}
	if h := first.post(pingBody); h.status != 200 { // now the second is the longest idle
		t.Errorf("%s", h)
	}
	last := s.visit(`{}`)
	for _, test := range []struct {
		v    *visitor
		want int
	}{{first, 200}, {second, 404}, {last, 200}} {
		if h := test.v.post(pingBody); h.status != test.want {
			t.Errorf("%s", h)
		}
	}
	within(t, "1,000 sessions", func() bool {
		return len(slices.Collect(s.server.Sessions())) == 1000
	})
}

// Sessions that come and go leave nothing behind, and neither do the
// streams of some.
func TestSessionsComeAndGo(t *testing.T) {
	fixtures.Slow(t)
	base, s := openSite(t, HTTP{})
	round := func(n int) {
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for i := range n / 4 {
					v, stream := s.visit(`{}`), io.NopCloser(nil)
					if i%10 == 0 {
						h, err := s.client.Do(s.request("GET", "/mcp", "", v.pairs...))
						if err != nil {
							t.Errorf("%v", err)
							return
						}
						stream = h.Body
					}
					expect(t, "short session", v.call("list", args("cwd", base+"/shop")), "argument:shop")
					if h := s.send("DELETE", "/mcp", "", v.pairs...); h.status != http.StatusNoContent {
						t.Errorf("%s", h)
					}
					_ = stream.Close()
				}
			})
		}
		group.Wait()
	}
	held := func() (heap, goroutines int) {
		s.client.CloseIdleConnections()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc), runtime.NumGoroutine()
	}
	round(200) // what any use brings into memory
	heap, goroutines := held()
	round(sessions())
	var heap2, goroutines2 int
	within(t, "what the sessions took is given back", func() bool {
		heap2, goroutines2 = held()
		return heap2-heap <= 1<<20 && goroutines2 <= goroutines+2
	})
	t.Logf("%d sessions: heap %+d bytes, goroutines %+d", sessions(), heap2-heap, goroutines2-goroutines)
}

// The end of a server, with a call that waits for its client and a
// stream that is open.
func TestShutdown(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	_, s := openSite(t, HTTP{})
	v := s.visit(`{"roots":{}}`)
	stream, err := s.client.Do(s.request("GET", "/mcp", "", v.pairs...))
	must(t, err)
	defer stream.Body.Close()
	ended := make(chan struct{})
	go func() { events(stream.Body, func(string) bool { return true }); close(ended) }()
	answered := make(chan outcome, 1)
	go func() { answered <- v.call("list", args()) }()
	within(t, "a call running", func() bool { return len(s.d.calls.running) == 1 })
	if err := s.stop(); err != nil {
		t.Errorf("%v", err)
	}
	select {
	case o := <-answered:
		expect(t, "call at the end", o, "no_project")
	case <-time.After(waitTime):
		t.Error("the call was not answered")
	}
	select {
	case <-ended:
	case <-time.After(waitTime):
		t.Error("the stream goes on")
	}
	if n := len(slices.Collect(s.server.Sessions())); n != 0 {
		t.Errorf("%d sessions left", n)
	}
}

// sessions is the number of sessions that are opened and closed.
func sessions() int { return fixtures.Size(100, 200, 20_000) }
