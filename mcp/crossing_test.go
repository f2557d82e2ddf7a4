package mcp

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blue/fixtures"
)

// Promise 25: 32 clients with the same ids, each from two sides, in each of the four
// modes. The servers on stdio are of one process and share one core, which is more
// than they do for people.
func TestAnswersReachTheAsker(t *testing.T) {
	base, w := scene(t)
	s := w.serve(t, base, HTTP{})
	o := w.options(t)
	post := func(h heard) (id, body string) { return string(h.message().ID), h.body }
	for _, mode := range []struct {
		name string
		meet func() func(id int, a map[string]any) (string, string) // makes a client
	}{
		{"HTTP, sessions", func() func(int, map[string]any) (string, string) {
			v := s.visit(`{}`)
			return func(id int, a map[string]any) (string, string) {
				return post(v.post(callBody(t, id, "search", a, nil)))
			}
		}},
		{"HTTP, stateless", func() func(int, map[string]any) (string, string) {
			return func(id int, a map[string]any) (string, string) {
				return post(s.ask(alone{method: "tools/call", id: id, params: map[string]any{"name": "blue_search", "arguments": a}}))
			}
		}},
		{"stdio, legacy", func() func(int, map[string]any) (string, string) {
			p := startWith(t, o)
			p.open(`{}`)
			return func(id int, a map[string]any) (string, string) {
				return p.exchange(id, callBody(t, id, "search", a, nil))
			}
		}},
		{"stdio, modern", func() func(int, map[string]any) (string, string) {
			p := startWith(t, o)
			return func(id int, a map[string]any) (string, string) {
				return p.exchange(id, callBody(t, id, "search", a, modernMeta))
			}
		}},
	} {
		var crossed, late atomic.Int64
		var group sync.WaitGroup
		for client := range 32 {
			call := mode.meet()
			for side := range 2 {
				group.Go(func() {
					for id := 1 + side; id <= calls(); id += 2 {
						a := args("cwd", base+"/shop", "query", fmt.Sprintf("client%d call%d", client, id))
						got, body := call(id, a)
						for ; strings.Contains(body, `"error":"busy"`); got, body = call(id, a) { // a server that has no room says so
							late.Add(1)
							time.Sleep(5 * time.Millisecond)
						}
						if got != fmt.Sprint(id) || !strings.Contains(body, fmt.Sprintf(`"client%d"`, client)) || !strings.Contains(body, fmt.Sprintf(`"call%d"`, id)) {
							crossed.Add(1)
							t.Logf("%s: client %d call %d: %s", mode.name, client, id, body)
						}
					}
				})
			}
		}
		group.Wait()
		if crossed.Load() > 0 {
			t.Errorf("promise 25: %s: %d of %d crossed", mode.name, crossed.Load(), 32*calls())
		}
		t.Logf("%s: %d of %d crossed, %d asked again", mode.name, crossed.Load(), 32*calls(), late.Load())
	}
}

// exchange sends a call whose id may have been used before, and waits for its answer.
func (p *peer) exchange(id int, line string) (answered, body string) {
	p.mu.Lock()
	delete(p.replies, fmt.Sprint(id))
	p.mu.Unlock()
	p.send(line)
	m := p.reply(id)
	return string(m.ID), string(m.Result)
}

// calls is the number of calls of each of the 32 clients in each mode.
func calls() int { return fixtures.Size(2, 10, 300) }
