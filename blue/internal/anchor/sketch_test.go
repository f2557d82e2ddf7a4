package anchor

import (
	"fmt"
	"slices"
	"testing"
)

// A sketch tells how many lines have changed, and whether one of them is near the note.
func TestSketch(t *testing.T) {
	const said = "three tries, after attempts of the bank"
	file := func(n int) (lines []string) {
		for i := range n {
			lines = append(lines, fmt.Sprintf("call(%d)", i*i))
		}
		lines[n/2] = "attempts.tries = bank(3)"
		return lines
	}
	for _, n := range []int{40, sketchGroups, 1000, 5000} {
		sketch, exact := NewCode(file(n)).Sketch(Span{}, said), n <= sketchGroups
		if len(sketch) > 2+sketchGroups+nearLetters {
			t.Errorf("%d lines: a sketch of %d letters", n, len(sketch))
		}
		for _, c := range []struct {
			name   string
			change func(lines []string) []string
			lines  int
			near   bool
		}{
			{"nothing", func(lines []string) []string { return lines }, 0, false},
			{"empty lines", func(lines []string) []string { return slices.Insert(lines, 4, "", "") }, 0, false},
			{"a line", func(lines []string) []string { lines[2] = "other"; return lines }, 1, false},
			{"lines above", func(lines []string) []string { return slices.Insert(lines, 0, "one", "two") }, 2, false},
			{"lines removed", func(lines []string) []string { return slices.Delete(lines, 0, 3) }, 3, false},
			{"the line", func(lines []string) []string { lines[n/2] = "attempts.tries = bank(4)"; return lines }, 1, true},
			{"the line is gone", func(lines []string) []string { return slices.Delete(lines, n/2, n/2+1) }, 1, true},
			{"one more", func(lines []string) []string { return append(lines, "attempts.tries = bank(5)") }, 1, true},
		} {
			now := c.change(file(n))
			got, ok := NewCode(now).ChangeSince(sketch, Span{}, said)
			if !ok || got.Near != c.near || exact && got.Lines != c.lines || got.Lines < c.lines || got.Lines > c.lines+8*n/sketchGroups {
				t.Errorf("%d lines, %s: %+v", n, c.name, got)
			}
			all, _ := NewCode(now).ChangeSince(NewCode(file(n)).Sketch(Span{}, ""), Span{}, said)
			if all.Near != (c.lines > 0) {
				t.Errorf("%d lines, %s, without words: %+v", n, c.name, all)
			}
		}
		other := make([]string, n)
		for i := range other {
			other[i] = fmt.Sprintf("let v%d", i)
		}
		if got, _ := NewCode(other).ChangeSince(sketch, Span{}, said); 2*got.Lines < n || got.Of < n || !got.Near {
			t.Errorf("%d lines, another file: %+v", n, got)
		}
	}
	for _, sketch := range []string{"", ".", "é", "A B", "_AA", "A.BC"} {
		if _, ok := NewCode(file(40)).ChangeSince(sketch, Span{}, said); ok {
			t.Errorf("%q is a sketch", sketch)
		}
	}
}
