package sessions

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"blue/blue/internal/index"
	"blue/fixtures"
)

// writeTranscripts writes transcripts of Claude Code with some bytes in all, in sessions of 4 MB, of
// which 6 % are what the person and the agent say and the rest what tools say.
func writeTranscripts(t testing.TB, home string, size int) {
	t.Helper()
	chance := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the retry webhook queue deploy index cache token parser branch test build release config schema table lock file error timeout why because we should not use instead of after before when fails")
	for i := range 3000 {
		words = append(words, fmt.Sprintf("word%d", i))
	}
	say := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[min(chance.IntN(len(words)), chance.IntN(len(words)))])
			b.WriteByte(' ')
		}
		return b.String()
	}
	output := strings.Repeat("ok  \tblue/internal/x\t0.123s \"quoted\" \\ coverage: 81.2% of statements\n", 160)
	for n := 0; size > 0; n++ {
		name := filepath.Join(home, ".claude", "projects", "shop", fmt.Sprintf("session-%04d.jsonl", n))
		must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		f, err := os.Create(name)
		must(t, err)
		w := bufio.NewWriterSize(f, 1<<20)
		written := 0
		line := func(kind string, blocks ...map[string]any) {
			text, _ := json.Marshal(map[string]any{"type": kind, "cwd": "/shop", "timestamp": "2026-03-01T10:00:00Z", "sessionId": name, "message": map[string]any{"role": kind, "content": blocks}})
			written += len(text) + 1
			fmt.Fprintf(w, "%s\n", text)
		}
		for written < 4<<20 {
			line("user", map[string]any{"type": "text", "text": say(30)})
			for range 8 {
				line("assistant", map[string]any{"type": "text", "text": say(25)})
				line("assistant", map[string]any{"type": "tool_use", "id": "x", "name": "Bash", "input": map[string]string{"command": say(5)}})
				line("user", map[string]any{"type": "tool_result", "tool_use_id": "x", "content": output[:chance.IntN(len(output))]})
			}
			line("assistant", map[string]any{"type": "text", "text": say(150)})
		}
		must(t, w.Flush())
		must(t, f.Close())
		old := time.Now().Add(-time.Hour)
		_ = os.Chtimes(name, old, old)
		size -= written
	}
}

// TestSize reads 1 GB of transcripts, 20 MB unless BLUE_SLOW is set, and prints with -v what
// that costs: the first time, and when nothing has changed.
func TestSize(t *testing.T) {
	megabytes := fixtures.Size(20, 50, 1000)
	dir := t.TempDir()
	writeTranscripts(t, dir, megabytes*1_000_000)
	settings := Settings(filepath.Join(dir, "settings"))
	must(t, settings.Switch(true))
	open := func() *Shelf {
		s := Open(Config{
			Dir: filepath.Join(dir, "index"), Settings: settings,
			Homes: func() Homes { return Homes{User: dir, Getenv: func(string) string { return "" }} },
			Ours:  func() func(string) bool { return func(string) bool { return true } },
		})
		t.Cleanup(s.Close)
		return s
	}
	runtime.GC()
	done, peak := make(chan bool), make(chan int)
	go func() {
		most := 0
		for {
			select {
			case <-done:
				peak <- most
				return
			case <-time.After(10 * time.Millisecond):
				most = max(most, residentMemory())
			}
		}
	}()
	s, busy := open(), processorTime()
	must(t, s.Refresh(t.Context(), time.Hour))
	busy = processorTime() - busy
	close(done)
	t.Logf("first reading of %d MB: %v of processor time, %d MB of memory; %s", megabytes, busy.Round(time.Millisecond), <-peak>>20, s.Count().Describe())
	s = open()
	began := time.Now()
	must(t, s.Refresh(t.Context(), time.Hour))
	t.Logf("nothing has changed, in another process: %v", time.Since(began).Round(10*time.Microsecond))
	began = time.Now()
	must(t, s.Refresh(t.Context(), time.Hour))
	t.Logf("the same again: %v", time.Since(began).Round(10*time.Microsecond))
	began = time.Now()
	found, err := s.Find(t.Context(), index.Query{Text: "webhook retry word77", Limit: 10}, time.Now())
	if err != nil || len(found.Hits) == 0 {
		t.Fatalf("%+v, %v", found, err)
	}
	t.Logf("a search: %v", time.Since(began).Round(10*time.Microsecond))
}
