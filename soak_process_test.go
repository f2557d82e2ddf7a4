package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	soakTime    = flag.Duration("soak", 2*time.Second, "how long promise 23 is tried")
	soakPause   = flag.Duration("soak-pause", 100*time.Millisecond, "what a client of promise 23 waits between two calls")
	soakClients = flag.Int("soak-clients", 10, "how many clients there are")
)

// soak is one server on HTTP, some on stdio, and clients that come and go. What the
// server on HTTP holds is read from outside: descriptors and resident memory from
// /proc, its heap and its goroutines from the trace that the runtime writes for
// GODEBUG. It is the program as it is built, and nothing in it helps the test.
type soak struct {
	t     *testing.T
	p     place
	web   *served
	trace soakTrace
	done  chan struct{}
	calls atomic.Int64
	busy  atomic.Int64
	wrong atomic.Int64
	kills atomic.Int64
	wrote atomic.Int64
}

// Promise 23: clients on stdio and HTTP, four of five calls reads, one client killed
// each second, an editor and git changing the notes underneath. Nothing grows, every
// call is answered, and servers whose client is gone end.
func TestPromise23Soak(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for i := range 40 {
		p.write(t, fmt.Sprintf("seed-%02d", i), fmt.Sprintf("seed %d about deploys and retries", i))
	}
	checkout := p.gitBranches(t)
	s := &soak{t: t, p: p, done: make(chan struct{})}
	s.web = p.httpServer(t, []string{"GODEBUG=gctrace=1,schedtrace=2000,scheddetail=1"}, "--http", "127.0.0.1:0", "--allow-root", p.base, "--session-timeout", "20s")
	s.addTokens(*soakClients)
	var clients sync.WaitGroup
	for i := range *soakClients {
		clients.Go(func() { s.client(i) })
	}
	clients.Go(s.editor)
	clients.Go(func() { s.checkouts(checkout) })
	s.watch()
	close(s.done)
	clients.Wait()
	if n := s.wrong.Load(); n > 0 || s.calls.Load() == 0 || s.wrote.Load() == 0 {
		t.Errorf("%d of %d calls came to nothing", n, s.calls.Load())
	}
	t.Logf("%v, %d clients: %d calls (%d busy), %d notes written, %d clients killed", *soakTime, *soakClients, s.calls.Load(), s.busy.Load(), s.wrote.Load(), s.kills.Load())
}

func (p place) write(t testing.TB, id, body string) {
	t.Helper()
	text := fmt.Sprintf("---\ntype: note\ntitle: %s\n---\n\n%s\n", id, body)
	dir := filepath.Join(p.project, ".blue", "notes")
	if err := firstError(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, id+".md"), []byte(text), 0o644)); err != nil {
		t.Error(err)
	}
}

// addTokens gives each client without a session a token, and so a rate, of its own.
func (s *soak) addTokens(n int) {
	file, err := os.OpenFile(s.p.config("token"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer file.Close()
	for i := range n {
		fmt.Fprintf(file, "soak-%d\n", i)
	}
}

// client is one of many: of five, two have a session over HTTP, two are without, one
// starts a server on stdio. When it is killed another takes its place.
func (s *soak) client(i int) {
	for {
		call, kill := s.connect(i)
		life := time.After(time.Duration(float64(*soakClients) * (0.5 + rand.Float64()) * float64(time.Second))) // one a second of all
		for alive := true; alive; {
			select {
			case <-s.done:
				kill()
				return
			case <-life:
				s.kills.Add(1)
				alive = false
			case <-time.After(*soakPause):
				s.call(call)
			}
		}
		kill()
	}
}

func (s *soak) connect(i int) (call caller, kill func()) {
	switch i % 5 {
	case 0:
		server := s.p.serve(s.t)
		return server.call, func() { // both pipes close, as when the client's process ends
			server.in.Close()
			ended := time.AfterFunc(10*time.Second, func() {
				s.t.Error("a server outlives its client by 10 s")
				_ = server.cmd.Process.Kill()
			})
			_ = server.cmd.Wait() // of a broken pipe, perhaps
			ended.Stop()
		}
	case 1, 2:
		return s.web.inSession(s.web.open(s.t, `{}`)), func() {} // without DELETE
	}
	own := &served{url: s.web.url, token: fmt.Sprintf("soak-%d", i), client: s.web.client}
	return own.standingAlone, func() {}
}

// call makes one: four of five read.
func (s *soak) call(call caller) {
	cwd := filepath.ToSlash(s.p.project)
	seed := fmt.Sprintf("seed-%02d", rand.IntN(40))
	var a answer
	var err error
	switch rand.IntN(10) {
	case 0, 1, 2, 3:
		a, err = call("search", map[string]any{"cwd": cwd, "query": []string{"deploys", "retries seed", "about 7"}[rand.IntN(3)]})
	case 4, 5:
		a, err = call("list", map[string]any{"cwd": cwd, "limit": 5})
	case 6, 7:
		if a, err = call("read", map[string]any{"cwd": cwd, "id": seed}); a.Error == "not_found" {
			a.Error = "" // git takes a file away before it makes the other one
		}
	case 8: // few titles: most are there already
		n := rand.IntN(50)
		if a, err = call("write", map[string]any{"cwd": cwd, "title": fmt.Sprint("soaked ", n), "body": fmt.Sprint("soaked text ", n)}); a.Created {
			s.wrote.Add(1)
		}
	case 9:
		a, err = call("edit", map[string]any{"cwd": cwd, "id": "soaked-edit", "revision": "none", "body": "x"})
		if a.Error == "not_found" || a.Error == "conflict" {
			a.Error = "" // what it is to say
		}
	}
	s.calls.Add(1)
	switch {
	case a.Error == "busy":
		s.busy.Add(1)
	case err != nil, a.Error != "":
		s.wrong.Add(1)
		s.t.Logf("%v %+v", err, a)
	}
}

// editor writes notes in place and by rename, as editors do.
func (s *soak) editor() {
	for i := 0; ; i++ {
		select {
		case <-s.done:
			return
		case <-time.After(50 * time.Millisecond):
		}
		s.p.write(s.t, fmt.Sprintf("edited-%02d", i%20), fmt.Sprintf("edit %d about deploys", i))
		old := filepath.Join(s.p.project, ".blue", "notes", fmt.Sprintf("edited-%02d.md", i%20))
		if i%2 == 1 {
			temp := filepath.Join(s.p.project, "swap")
			if err := firstError(os.WriteFile(temp, fmt.Appendf(nil, "swapped %d\n", i), 0o644), os.Rename(temp, old)); err != nil {
				s.t.Error(err)
			}
		}
	}
}

// watch looks at the server until the time is over, and compares the beginning with
// the end. A short run is no measure of growth, only of what is left open.
func (s *soak) watch() {
	s.t.Helper()
	begin := time.Now()
	var files, memory []float64
	for time.Since(begin) < *soakTime {
		time.Sleep(min(*soakTime/20, 10*time.Second))
		if names, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.web.cmd.Process.Pid)); err == nil {
			files = append(files, float64(len(names)))
		}
		memory = append(memory, residentMB(s.web.cmd.Process.Pid))
	}
	s.trace.read(s.web.err.String())
	for _, row := range []struct {
		name  string
		seen  []float64
		slack float64
	}{
		{"heap after collection, MB", s.trace.heap, 1}, {"goroutines", s.trace.goroutines, 5}, {"descriptors", files, 5}, {"resident memory, MB", memory, 8},
	} {
		early, late := thirds(row.seen)
		s.t.Logf("%s: %d samples, mean of the second third %.2f, of the last %.2f, most %.0f", row.name, len(row.seen), early, late, slices.Max(append(row.seen, 0)))
		if late > early+row.slack && *soakTime >= 5*time.Minute {
			s.t.Errorf("%s grew from %.1f to %.1f", row.name, early, late)
		}
	}
}

// thirds are the means of the second and the last third of the samples; in the first
// third caches fill.
func thirds(all []float64) (early, late float64) {
	n := len(all)
	if n < 6 {
		return 0, 0
	}
	return mean(all[n/3 : 2*n/3]), mean(all[2*n/3:])
}

func mean(some []float64) (sum float64) {
	for _, x := range some {
		sum += x / float64(len(some))
	}
	return sum
}

// soakTrace is what the runtime says of itself.
type soakTrace struct{ heap, goroutines []float64 }

var (
	collected = regexp.MustCompile(`^gc \d+ .* (\d+)->(\d+)->(\d+) MB`)
	scheduled = regexp.MustCompile(`^SCHED \d+ms`)
	goroutine = regexp.MustCompile(`^  G\d+: status=(\d+)`)
)

func (s *soakTrace) read(text string) {
	living := -1.0
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if m := collected.FindStringSubmatch(line); m != nil {
			mb, _ := strconv.ParseFloat(m[3], 64)
			s.heap = append(s.heap, mb)
		}
		if scheduled.MatchString(line) {
			if living > 0 {
				s.goroutines = append(s.goroutines, living)
			}
			living = 0
		}
		if m := goroutine.FindStringSubmatch(line); m != nil && m[1] != "6" { // 6 is one that has ended
			living++
		}
	}
}

// gitBranches makes the seeds a checkout with two branches; without git there are none.
func (p place) gitBranches(t testing.TB) (checkout func(i int) error) {
	t.Helper()
	run := func(args ...string) error {
		c := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		c.Dir, c.Env = p.project, p.command(t, "version").Env
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Log("no git on this machine: nobody changes branches")
		return func(int) error { return nil }
	}
	if err := firstError(run("init", "-q", "-b", "one"), run("add", "-A"), run("commit", "-q", "-m", "one"), run("checkout", "-q", "-b", "two")); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		p.write(t, fmt.Sprintf("seed-%02d", i), fmt.Sprintf("seed %d about retries, on the other branch", i))
	}
	if err := run("commit", "-q", "-a", "-m", "two"); err != nil {
		t.Fatal(err)
	}
	return func(i int) error { return run("checkout", "-q", "-f", []string{"one", "two"}[i%2]) }
}

func (s *soak) checkouts(checkout func(i int) error) {
	for i := 0; ; i++ {
		select {
		case <-s.done:
			return
		case <-time.After(700 * time.Millisecond):
		}
		if err := checkout(i); err != nil {
			s.t.Error(err)
		}
	}
}
