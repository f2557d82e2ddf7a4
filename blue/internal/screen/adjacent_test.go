package screen_test

import (
	"fmt"
	"strings"
	"testing"

	"blue/blue/internal/screen"
	"blue/fixtures"
)

// Each of adjacent lines with a secret is found, whatever stands beside it, and also below a line
// that is allowed or was there before.
func TestAdjacentLinesAreAllFound(t *testing.T) {
	t.Parallel()
	all := samples()
	c := seeded(7)
	var oneLine []sample
	for _, s := range all {
		if !strings.Contains(s.hit(c), "\n") {
			oneLine = append(oneLine, s)
		}
	}
	for i, s := range oneLine {
		for _, n := range fixtures.Size([]int{4}, []int{2, 3, 6}, []int{2, 3, 6, 20}) {
			for name, next := range map[string]func(int) string{
				"of one kind": func(int) string { return s.hit(c) },
				"of several":  func(at int) string { return oneLine[(i+at*7)%len(oneLine)].hit(c) },
				"named": func(at int) string {
					if at%2 == 0 {
						return s.hit(c)
					}
					return fmt.Sprintf("SERVICE_%d_PASSWORD=%s", at, c.of(alnum, 12)+"9xQ4")
				},
			} {
				var lines []string
				for at := range n {
					lines = append(lines, next(at))
				}
				checkLines(t, s.rule+" "+name, lines)
			}
		}
	}
}

// checkLines checks that each of the lines that is found alone is found beside the others.
func checkLines(t *testing.T, name string, lines []string) {
	t.Helper()
	text := strings.Join(lines, "\n")
	found := map[int]bool{}
	for _, f := range screen.Secrets(text) {
		for n := f.Line; n <= max(f.Line, f.Last); n++ {
			found[n] = true
		}
	}
	for i, line := range lines {
		if len(screen.Secrets(line)) == 0 {
			continue
		}
		if !found[i+1] {
			t.Errorf("%s: line %d of %d is not found:\n%s", name, i+1, len(lines), text)
		}
		if i != len(lines)/2 { // the checks of edits take longer
			continue
		}
		before := strings.Join(append(lines[:i:i], lines[i+1:]...), "\n")
		if screen.Refuse("body", before, text, false) == nil {
			t.Errorf("%s: line %d is taken by an edit:\n%s", name, i+1, text)
		}
		if screen.Refuse("body", "", screen.AllowSecrets(strings.Join(lines[:i], "\n"), true)+"\n"+line, true) == nil {
			t.Errorf("%s: line %d is taken below allowed lines:\n%s", name, i+1, text)
		}
	}
}
