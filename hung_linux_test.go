package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var beside = flag.Int("beside", 20, "calls beside a hung mount (promise 22: 1,000)")

// Promise 22, D159: a mount that never answers hangs nobody else: calls of its
// projects end with fs_timeout, those of another one in the same server go on.
// Seven directories hang, one less than may at once.
func TestPromise22HungMount(t *testing.T) {
	t.Parallel()
	m := fuse(t, newDevice(1<<20))
	p := newPlace(t)
	p.run(t, "write", "--title", "Deploys", "On Fridays.")
	s := p.httpServer(t, nil, "--http", "127.0.0.1:0", "--allow-root", filepath.Dir(p.base), "--allow-root", m.dir)
	t.Cleanup(m.end) // a process that hangs in it cannot be killed
	alone := s.pace(t, p.project)
	m.hung.Store(true)
	var dead sync.WaitGroup
	stop := make(chan bool)
	for i := range 7 {
		session := s.open(t, "{}")
		dead.Go(func() {
			slowest, calls := time.Duration(0), 0
			for over := false; !over; calls++ {
				begun := time.Now()
				answer, _, err := s.post(session, listOf(filepath.Join(m.dir, fmt.Sprint("shop", i))))
				slowest = max(slowest, time.Since(begun))
				if err != nil || !strings.Contains(answer, `"error":"fs_timeout"`) {
					t.Errorf("the hung mount answers %s, %v", answer, err)
					return
				}
				select {
				case <-stop:
					over = true
				case <-time.After(200 * time.Millisecond): // the second one is answered at once
				}
			}
			t.Logf("directory %d: %d calls end with fs_timeout, the slowest after %v", i, calls, slowest)
		})
	}
	time.Sleep(100 * time.Millisecond) // let them begin
	crowded := s.pace(t, p.project)
	close(stop)
	dead.Wait()
	t.Logf("another project: %d calls, p50 %v, p99 %v; beside the hung mount p50 %v, p99 %v", *beside, alone[0], alone[1], crowded[0], crowded[1])
}

func listOf(cwd string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_list","arguments":{"cwd":%q}}}`, cwd)
}

// pace calls a project at a rate that is no load, and returns the p50 and the p99.
func (s *served) pace(t *testing.T, project string) [2]time.Duration {
	t.Helper()
	session := s.open(t, "{}")
	var took []time.Duration
	for range *beside {
		begun := time.Now()
		if answer, _, err := s.post(session, listOf(project)); err != nil || !strings.Contains(answer, "Deploys") {
			t.Fatal(answer, err)
		}
		took = append(took, time.Since(begun))
		time.Sleep(25 * time.Millisecond)
	}
	slices.Sort(took)
	return [2]time.Duration{took[len(took)/2], took[len(took)*99/100]}
}
