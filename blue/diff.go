package blue

import (
	"slices"
	"strings"
)

const (
	around   = 3    // equal lines that are kept on either side of a change
	maxSteps = 1000 // lines gone and new; beyond, all lines between the first and last change count as changed
)

// Diff compares two texts line by line. It is empty when they have the same lines.
func Diff(before, after string) []Differs {
	a, b := lineList(before), lineList(after)
	from, end := 0, 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	for end < min(len(a), len(b))-from && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	between := shortest(a[from:len(a)-end], b[from:len(b)-end])
	lines := append(allOf("same", a[:from]), between...)
	return besides(append(lines, allOf("same", a[len(a)-end:])...))
}

func lineList(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
}

func allOf(how string, lines []string) []Differs {
	out := make([]Differs, len(lines))
	for i, line := range lines {
		out[i] = Differs{how, line}
	}
	return out
}

// shortest is the way from a to b with the fewest lines gone and new, as Myers
// finds it: reach[steps] holds for each diagonal how far into a so many steps lead.
func shortest(a, b []string) []Differs {
	var reach [][]int
	for steps := 0; steps <= min(len(a)+len(b), maxSteps); steps++ {
		reach = append(reach, make([]int, 2*steps+1))
		for k := -steps; k <= steps; k += 2 {
			x, _ := step(reach, steps, k)
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			reach[steps][k+steps] = x
			if x >= len(a) && x-k >= len(b) {
				return walked(reach, a, b)
			}
		}
	}
	return append(allOf("gone", a), allOf("new", b)...)
}

// step is where the last of so many steps leads to on the diagonal k, and the
// diagonal that it comes from.
func step(reach [][]int, steps, k int) (x, from int) {
	if steps == 0 {
		return 0, k
	}
	last := reach[steps-1]
	at := func(k int) int { return last[k+steps-1] }
	if k == -steps || k != steps && at(k-1) < at(k+1) {
		return at(k + 1), k + 1 // a line is new
	}
	return at(k-1) + 1, k - 1 // a line is gone
}

// walked goes the way back, and tells it forwards.
func walked(reach [][]int, a, b []string) (lines []Differs) {
	x, k := len(a), len(a)-len(b)
	for steps := len(reach) - 1; steps >= 0; steps-- {
		begun, from := step(reach, steps, k)
		for ; x > begun; x-- {
			lines = append(lines, Differs{"same", a[x-1]})
		}
		switch {
		case from > k:
			lines = append(lines, Differs{"new", b[x-k-1]})
		case from < k:
			x--
			lines = append(lines, Differs{"gone", a[x]})
		}
		k = from
	}
	slices.Reverse(lines)
	return lines
}

// besides leaves out the equal lines that are not beside a change.
func besides(lines []Differs) []Differs {
	kept := []Differs{}
	for i, line := range lines {
		beside := slices.ContainsFunc(lines[max(0, i-around):min(len(lines), i+around+1)], func(l Differs) bool { return l.How != "same" })
		switch {
		case beside:
			kept = append(kept, line)
		case len(kept) == 0 || kept[len(kept)-1].How != "gap":
			kept = append(kept, Differs{How: "gap"})
		}
	}
	if len(kept) == 1 && kept[0].How == "gap" {
		return []Differs{}
	}
	return kept
}
