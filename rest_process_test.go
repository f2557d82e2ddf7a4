package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"
)

var guests = flag.Int("guests", 300, "how many sessions of R012 come with a stream and leave (2500 is the whole of it)")

// memory is what a process has in memory now, in kB; 0 where there is no /proc.
func memory(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		return 0
	}
	kB, _ := strconv.Atoi(string(m[1]))
	return kB
}

// R012: what sessions took is given back within a minute once they are gone.
func TestR012MemoryAtRest(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.httpServer(t, nil, "--http", "127.0.0.1:0", "--allow-root", p.base)
	pid := s.cmd.Process.Pid
	if memory(pid) == 0 {
		t.Skip("no /proc here")
	}
	call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_list","arguments":{"cwd":%q}}}`, p.project)
	for range 100 { // what any use brings into memory
		if _, _, err := s.post(s.open(t, `{}`), call); err != nil {
			t.Fatal(err)
		}
	}
	before := memory(pid)
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	var all sync.WaitGroup
	sessions := make([]string, *guests)
	for part := range 50 {
		all.Go(func() {
			for i := part; i < *guests; i += 50 {
				sessions[i] = s.open(t, `{}`)
				if _, _, err := s.post(sessions[i], call); err != nil {
					t.Error(err)
				}
				if stream, err := s.request(ctx, http.MethodGet, sessions[i], ""); err != nil {
					t.Error(err)
				} else {
					t.Cleanup(func() { stream.Body.Close() })
				}
			}
		})
	}
	all.Wait()
	busy := memory(pid)
	for _, session := range sessions {
		if r, err := s.request(context.Background(), http.MethodDelete, session, ""); err == nil {
			r.Body.Close()
		}
	}
	leave()
	s.client.CloseIdleConnections()
	gone := memory(pid)
	began := time.Now()
	limit := before + before/2
	for memory(pid) > limit && time.Since(began) < time.Minute {
		time.Sleep(100 * time.Millisecond)
	}
	after := memory(pid)
	if after > limit {
		t.Errorf("R012: %d kB at rest, %d kB a minute after %d sessions", before, after, *guests)
	}
	t.Logf("at rest %d kB, with %d sessions %d kB, when they are gone %d kB, after %v %d kB",
		before, *guests, busy, gone, time.Since(began).Round(100*time.Millisecond), after)
}
