package cli

import (
	"runtime"
	"strings"
	"testing"

	"blue/fixtures"
)

// What is laid out takes memory, and so work, in proportion to its size. It measures
// the memory of its process, and is not parallel.
func TestShapes(t *testing.T) {
	fixtures.Slow(t)
	nested := func(n int) (text string) {
		for depth := 0; len(text) < n; depth++ {
			text += strings.Repeat("  ", depth) + "- x\n"
		}
		return text
	}
	fill := func(part string) func(n int) string {
		return func(n int) string { return strings.Repeat(part, n/len(part)) }
	}
	for name, shape := range map[string]func(n int) string{
		"lists in lists": nested, "form feeds": fill("\f"), "rules": fill("---\n\n"), "quotes": fill("> "), "emphasis": fill("*a "),
		"brackets": fill("["), "link definitions": fill("[a]: /b\n"), "table": func(n int) string { return "|a|b|\n|-|-|\n" + fill("|x|y|\n")(n) },
		"footnotes": fill("[^1]: x\n\n"), "a long line": fill("word "),
	} {
		used := func(n int) uint64 {
			text := shape(n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			layOutNote("T", text, 80, true)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		if small, large := used(30_000), used(120_000); large > 7*small+1<<20 {
			t.Errorf("%s: 30 kB take %d bytes, 120 kB take %d", name, small, large)
		}
	}
}
