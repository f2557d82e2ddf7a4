package sessions

import (
	"fmt"
	"testing"
)

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
