package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"blue/marker"
)

// The figures of docs/benchmarks.md, each beside the floor that it
// stands on, measured in the same run with the program as it is released.

var (
	released = sync.OnceValues(func() (string, error) { return buildReleased(".") })
	empty    = sync.OnceValues(func() (string, error) { return buildReleased("./fixtures/testdata/empty") })
)

func buildReleased(source string) (string, error) {
	return buildBlue(source, append(os.Environ(), "CGO_ENABLED=0"), "-trimpath", "-ldflags", "-s -w")
}

// shipped is [place.command] with the program as it is released.
func (p place) shipped(b testing.TB, args ...string) *exec.Cmd {
	b.Helper()
	path, err := released()
	if err != nil {
		b.Fatal(err)
	}
	c := p.command(b, args...)
	c.Path = path
	return c
}

// emptyServer is the floor of a server: the SDK alone, one tool that does nothing.
func emptyServer(b *testing.B) *exec.Cmd {
	b.Helper()
	path, err := empty()
	if err != nil {
		b.Fatal(err)
	}
	return exec.Command(path)
}

// dial starts a server and returns when it has answered `initialize`.
func dial(b *testing.B, c *exec.Cmd) *server {
	b.Helper()
	s := &server{cmd: c}
	var err error
	if s.in, err = c.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	if _, err := io.WriteString(s.in, hello); err != nil {
		b.Fatal(err)
	}
	if _, err := s.out.ReadBytes('\n'); err != nil {
		b.Fatal(err)
	}
	return s
}

func hangUp(s *server) {
	s.in.Close()
	_ = s.cmd.Wait()
}

func BenchmarkInitialize(b *testing.B) {
	p := newPlace(b)
	for name, start := range map[string]func() *exec.Cmd{
		"blue":               func() *exec.Cmd { return p.shipped(b, "mcp") },
		"floor=empty-server": func() *exec.Cmd { return emptyServer(b) },
	} {
		b.Run(name, func(b *testing.B) {
			start() // built
			for b.Loop() {
				s := dial(b, start())
				b.StopTimer()
				hangUp(s)
				b.StartTimer()
			}
		})
	}
}

// sizes are the numbers of notes that are measured.
var sizes = flag.String("sizes", "1000", "numbers of notes to measure, such as 1000,10000,100000")

// atSizes runs a benchmark on a project of each size, whose index is there.
func atSizes(b *testing.B, run func(b *testing.B, p place)) {
	for _, size := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("notes="+size, func(b *testing.B) {
			p := newPlace(b)
			sources(b, p, n)
			if out, err := p.shipped(b, "reindex").CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			run(b, p)
		})
	}
}

// sources writes notes of 1.6 kB each, of what text the machine has: the sources and
// documents of Go and of its module cache.
func sources(b testing.TB, p place, n int) {
	b.Helper()
	dir := filepath.Join(p.project, ".blue", "notes")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	made := 0
	for _, variable := range []string{"GOROOT", "GOMODCACHE"} {
		root, err := exec.Command("go", "env", variable).Output()
		if err != nil {
			b.Skip("no Go to take text from:", err)
		}
		_ = filepath.WalkDir(strings.TrimSpace(string(root)), func(name string, d fs.DirEntry, err error) error {
			if made == n {
				return fs.SkipAll
			}
			if err != nil || d.IsDir() || !slices.Contains([]string{".go", ".md", ".txt", ".html"}, filepath.Ext(name)) {
				return nil
			}
			made += cut(b, dir, name, made, n)
			return nil
		})
	}
	if made < n {
		b.Skipf("there is text for %d notes alone", made)
	}
}

// cut makes notes of one file, and returns how many.
func cut(b testing.TB, dir, name string, made, most int) (count int) {
	const size = 1600
	text, err := os.ReadFile(name)
	if err != nil || !utf8.Valid(text) {
		return 0
	}
	for piece := range slices.Chunk(text, size) {
		if len(piece) < size/8 || made+count == most {
			break
		}
		front := fmt.Sprintf("---\ntype: note\ntitle: %q\ntags: [t%d]\n---\n\n", fmt.Sprint(filepath.Base(name), " part ", count), made%40)
		file := filepath.Join(dir, fmt.Sprintf("note-%06d.md", made+count))
		if err := os.WriteFile(file, append([]byte(front), bytes.ToValidUTF8(piece, nil)...), 0o644); err != nil {
			b.Fatal(err)
		}
		count++
	}
	return count
}

// questions are any of three words, from common to rare.
func questions() func() string {
	random := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields(`error handler buffer context channel request response parse token decode encode header index
		segment cursor module version package interface pointer slice string lock mutex timeout retry certificate signature
		cipher compress archive template template escape unicode rune regexp literal syntax compiler linker assembler register
		scheduler goroutine garbage collector allocation profile trace benchmark fuzz coverage socket listener proxy cookie`)
	return func() string {
		return words[random.IntN(len(words))] + " " + words[random.IntN(len(words))] + " " + words[random.IntN(len(words))]
	}
}

// corpus writes notes of made-up words, whose frequencies fall as those of a
// language do.
func corpus(b *testing.B, p place, n int) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 4, 20_000)
	dir := filepath.Join(p.project, ".blue", "notes")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range n {
		var text strings.Builder
		fmt.Fprintf(&text, "---\ntype: note\ntitle: %s %s\n---\n\n", word(zipf.Uint64()), word(zipf.Uint64()))
		for range 220 {
			text.WriteString(word(zipf.Uint64()) + " ")
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("note-%05d.md", i)), []byte(text.String()), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

func word(n uint64) string {
	var b strings.Builder
	for n += 30; n > 0; n /= 20 {
		b.WriteByte("bcdfghjklmnprstvwxyz"[n%20])
		b.WriteByte("aeiou"[n%5])
	}
	return b.String()
}

// BenchmarkColdSearch is `blue search` from process start to exit, the index there.
func BenchmarkColdSearch(b *testing.B) {
	atSizes(b, func(b *testing.B, p place) {
		b.Run("blue", func(b *testing.B) {
			ask := questions()
			for b.Loop() {
				if out, err := p.shipped(b, "search", ask()).CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			}
		})
		b.Run("floor=list-and-stat", func(b *testing.B) {
			for b.Loop() {
				entries, err := os.ReadDir(filepath.Join(p.project, ".blue", "notes"))
				if err != nil {
					b.Fatal(err)
				}
				for _, e := range entries {
					if _, err := e.Info(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	})
}

// BenchmarkBuild throws the index away and builds it, from process start to exit.
func BenchmarkBuild(b *testing.B) {
	atSizes(b, func(b *testing.B, p place) {
		b.Run("blue", func(b *testing.B) {
			peak := 0.0
			for b.Loop() {
				peak = max(peak, peakMB(b, p.shipped(b, "reindex")))
			}
			b.ReportMetric(peak, "peak-MB")
			b.ReportMetric(float64(sizeOf(b, p.base, ".index"))/1e6, "index-MB")
			b.ReportMetric(float64(sizeOf(b, p.project, ".md"))/1e6, "text-MB")
		})
		b.Run("floor=read-all", func(b *testing.B) {
			for b.Loop() {
				names, err := filepath.Glob(filepath.Join(p.project, ".blue", "notes", "*.md"))
				if err != nil {
					b.Fatal(err)
				}
				for _, name := range names {
					if _, err := os.ReadFile(name); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	})
}

// peakMB runs a program and returns the most memory that it had, 0 where there is no
// /proc.
func peakMB(b *testing.B, c *exec.Cmd) (peak float64) {
	b.Helper()
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	for {
		select {
		case err := <-done:
			if err != nil {
				b.Fatal(err)
			}
			return peak
		case <-time.After(5 * time.Millisecond):
			peak = max(peak, statusMB(c.Process.Pid, "VmHWM:"))
		}
	}
}

func sizeOf(b *testing.B, dir, end string) (size int64) {
	b.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, end) {
			return err
		}
		info, err := d.Info()
		size += info.Size()
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return size
}

// BenchmarkSearch asks a server and the empty one by turns, a hundred questions each,
// because the machine may be quicker in one second than in the next.
func BenchmarkSearch(b *testing.B) {
	atSizes(b, func(b *testing.B, p place) {
		blue, floor := newAsked(b, p.shipped(b, "mcp")), newAsked(b, emptyServer(b))
		for b.Loop() {
			blue.questions(b, 100)
			floor.questions(b, 100)
		}
		blue.report(b, "")
		floor.report(b, "empty-")
		b.ReportMetric(float64(blue.p50())/float64(floor.p50()), "p50-times-empty")
	})
}

// asked is a server and how long its answers took.
type asked struct {
	s     *server
	ask   func() string
	calls int
	took  []time.Duration
}

// newAsked starts a server and warms it.
func newAsked(b *testing.B, c *exec.Cmd) *asked {
	b.Helper()
	a := &asked{s: dial(b, c), ask: questions()}
	a.questions(b, 50)
	a.took = nil
	return a
}

// questions asks one question after another, the next when the answer has been read.
func (a *asked) questions(b *testing.B, n int) {
	b.Helper()
	for range n {
		arguments := map[string]any{"query": a.ask()}
		began := time.Now()
		line, err := a.s.ask("search", arguments)
		a.took = append(a.took, time.Since(began))
		if err != nil || !bytes.Contains(line, []byte(`"result":{"content":[`)) || bytes.Contains(line, []byte(`"isError":true`)) {
			b.Fatal(err, string(line))
		}
	}
	a.calls += n
}

func (a *asked) p50() time.Duration {
	slices.Sort(a.took)
	return a.took[len(a.took)/2]
}

// report ends the server. Its memory is measured at once, and when it has had nothing to
// do for a while; its processor time is that of its whole life.
func (a *asked) report(b *testing.B, prefix string) {
	b.Helper()
	report(b, a.took, prefix)
	b.ReportMetric(residentMB(a.s.cmd.Process.Pid), prefix+"busy-MB")
	time.Sleep(2 * time.Second)
	b.ReportMetric(residentMB(a.s.cmd.Process.Pid), prefix+"resident-MB")
	hangUp(a.s)
	state := a.s.cmd.ProcessState
	b.ReportMetric(float64((state.UserTime()+state.SystemTime()).Microseconds())/float64(a.calls), prefix+"cpu-µs/call")
}

// report adds the median and the 99th percentile.
func report(b *testing.B, took []time.Duration, prefix string) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), prefix+"p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), prefix+"p99-µs")
}

// statusMB is a size that the system gives for a process, 0 where there is no /proc.
func statusMB(pid int, name string) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, after, _ := strings.Cut(string(text), name)
	kB, _ := strconv.Atoi(strings.Fields(after + " 0")[0])
	return float64(kB) / 1000
}

func BenchmarkDetection(b *testing.B) {
	p := newPlace(b)
	deep := filepath.Join(p.project, "a", "b", "c", "d", "e")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		b.Fatal(err)
	}
	b.Run("blue", func(b *testing.B) {
		rules := marker.NewRules(filepath.Join(p.base, "home"))
		for b.Loop() {
			_, err := marker.Choose(context.Background(), rules, func(yield func(marker.Candidate) bool) {
				yield(marker.Candidate{Source: marker.Argument, Value: deep})
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("floor=stats", func(b *testing.B) {
		for b.Loop() {
			for dir := deep; dir != p.base; dir = filepath.Dir(dir) {
				_, _ = os.Lstat(filepath.Join(dir, ".blue"))
			}
		}
	})
}

// residentMB is the resident memory of a process.
func residentMB(pid int) float64 { return statusMB(pid, "VmRSS:") }

// writeDurably is the least that survives a power cut.
func writeDurably(dir, name, text string) error {
	f, err := os.Create(filepath.Join(dir, ".tmp"))
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err := firstError(err, f.Sync(), f.Close(), os.Rename(f.Name(), filepath.Join(dir, name))); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return firstError(d.Sync(), d.Close())
}
