package sessions

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// benchmarkSize is how much of each format a benchmark reads. BLUE_TRANSCRIPTS_MB sets another one.
func benchmarkSize() int {
	size := 16
	_, _ = fmt.Sscan(os.Getenv("BLUE_TRANSCRIPTS_MB"), &size)
	return size << 20
}

// prose returns about that many bytes of words.
func prose(random *rand.Rand, size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "word%d ", random.IntN(5000))
		if random.IntN(12) == 0 {
			b.WriteString("\"quoted\"\n")
		}
	}
	return b.String()
}

// writeLines writes sessions of 2 MB each, of which a fifteenth is what person and agent say.
func writeLines(b *testing.B, size int, name string, spoken func(speaker, text string) string, output func(text string) string) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 0; size > 0; n++ {
		path := fmt.Sprintf(name, n)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.Fatal(err)
		}
		var text strings.Builder
		for text.Len() < 2<<20 {
			text.WriteString(spoken("user", prose(random, 400)) + "\n")
			for range 10 {
				text.WriteString(spoken("assistant", prose(random, 300)) + "\n")
				text.WriteString(output(prose(random, 5000)) + "\n")
			}
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			b.Fatal(err)
		}
		size -= text.Len()
	}
}

func quoted(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

func BenchmarkReadClaude(b *testing.B) {
	h := homes(b, nil)
	writeLines(b, benchmarkSize(), filepath.Join(h.User, ".claude", "projects", "x", "%d.jsonl"), func(speaker, text string) string {
		return `{"parentUuid":"0b","isSidechain":false,"type":"` + speaker + `","message":{"role":"` + speaker + `","content":[{"type":"text","text":` + quoted(text) + `}]},"cwd":"/srv","timestamp":"2026-11-27T06:52:23.474Z"}`
	}, func(text string) string {
		return `{"parentUuid":"0b","isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":` + quoted(text) + `}]},"cwd":"/srv","timestamp":"2026-11-27T06:52:23.474Z"}`
	})
	readAll(b, h)
}

func BenchmarkReadCodex(b *testing.B) {
	h := homes(b, nil)
	writeLines(b, benchmarkSize(), filepath.Join(h.User, ".codex", "sessions", "2026", "11", "27", "rollout-%036d.jsonl"), func(speaker, text string) string {
		return `{"timestamp":"2026-11-27T06:52:23.474Z","type":"response_item","payload":{"type":"message","role":"` + speaker + `","content":[{"type":"input_text","text":` + quoted(text) + `}]}}`
	}, func(text string) string {
		return `{"timestamp":"2026-11-27T06:52:23.474Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":` + quoted("Process exited with code 0\nOutput:\n"+text) + `}}`
	})
	readAll(b, h)
}

// BenchmarkReadOpencode reads a database of the shape of testdata/opencode.db: BLUE_OPENCODE_DB names
// it, because nothing in the tree writes SQLite.
func BenchmarkReadOpencode(b *testing.B) {
	path := os.Getenv("BLUE_OPENCODE_DB")
	if path == "" {
		b.Skip("BLUE_OPENCODE_DB is not set")
	}
	h := homes(b, nil)
	target := filepath.Join(h.Data, "opencode", "opencode.db")
	if os.MkdirAll(filepath.Dir(target), 0o700) != nil || os.Symlink(path, target) != nil {
		b.Fatal("no database")
	}
	readAll(b, h)
}

// readAll lists and reads all transcripts, and reports the most memory that was in use.
func readAll(b *testing.B, h Homes) {
	size, most := int64(0), uint64(0)
	seen := map[string]bool{}
	for _, transcript := range List(h) {
		if info, err := os.Stat(transcript.Path); err == nil && !seen[transcript.Path] {
			size += info.Size()
			seen[transcript.Path] = true
		}
	}
	b.SetBytes(size)
	var memory runtime.MemStats
	for b.Loop() {
		turns := 0
		list := List(h)
		for _, transcript := range list {
			for _, err := range Read(transcript) {
				if err != nil {
					b.Fatal(err)
				}
				turns++
			}
			runtime.ReadMemStats(&memory)
			most = max(most, memory.HeapInuse)
		}
		b.ReportMetric(float64(turns), "turns")
		b.ReportMetric(float64(len(list)), "sessions")
	}
	b.ReportMetric(float64(most)/1e6, "MB-heap")
}

// BenchmarkList lists transcripts of which none has changed.
func BenchmarkList(b *testing.B) {
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprintf(".claude/projects/p%d/%d.jsonl", i%20, i)] = "{}"
		files[fmt.Sprintf(".codex/sessions/2026/%02d/%02d/rollout-%d.jsonl", i%12, i%28, i)] = "{}"
	}
	h := homes(b, files)
	for b.Loop() {
		if n := len(List(h)); n != 2000 {
			b.Fatalf("%d transcripts", n)
		}
	}
}
