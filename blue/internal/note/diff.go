package note

import (
	"slices"
	"strings"
)

const (
	around   = 3    // context lines around a change
	maxSteps = 1000 // edit distance; beyond it all lines between the first and last change count as changed
)

// DiffLine is a line of a diff.
type DiffLine struct {
	How   string `json:"how"` // "same", "gone", "new", or "gap" for omitted equal lines
	Text  string `json:"text,omitempty"`
	Lines int    `json:"lines,omitempty"` // number of lines that a gap omits
}

// DiffLines returns the line diff of two texts, or nil if they are equal.
func DiffLines(before, after string) []DiffLine {
	return dropFarLines(compareLines(splitLines(before), splitLines(after)))
}

// MatchLines returns, for each line of a, the matching line of b or -1.
func MatchLines(a, b []string) []int {
	matched, from, to := make([]int, len(a)), 0, 0
	for _, line := range compareLines(a, b) {
		switch line.How {
		case "same":
			matched[from] = to
			from, to = from+1, to+1
		case "gone":
			matched[from] = -1
			from++
		default:
			to++
		}
	}
	return matched
}

// compareLines returns the diff without gaps.
func compareLines(a, b []string) []DiffLine {
	from, end := 0, 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	for end < min(len(a), len(b))-from && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	between := findShortest(a[from:len(a)-end], b[from:len(b)-end])
	lines := append(markAll("same", a[:from]), between...)
	return append(lines, markAll("same", a[len(a)-end:])...)
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
}

func markAll(how string, lines []string) []DiffLine {
	out := make([]DiffLine, len(lines))
	for i, line := range lines {
		out[i] = DiffLine{How: how, Text: line}
	}
	return out
}

// findShortest implements Myers' algorithm for the shortest edit script. reach[steps] holds, for
// each diagonal, the furthest position in a.
func findShortest(a, b []string) []DiffLine {
	var reach [][]int
	for steps := 0; steps <= min(len(a)+len(b), maxSteps); steps++ {
		reach = append(reach, make([]int, 2*steps+1))
		for k := -steps; k <= steps; k += 2 {
			x, _ := lastStep(reach, steps, k)
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			reach[steps][k+steps] = x
			if x >= len(a) && x-k >= len(b) {
				return traceBack(reach, a, b)
			}
		}
	}
	return append(markAll("gone", a), markAll("new", b)...)
}

// lastStep returns the position on diagonal k after a number of steps, and the previous diagonal.
func lastStep(reach [][]int, steps, k int) (x, from int) {
	if steps == 0 {
		return 0, k
	}
	last := reach[steps-1]
	at := func(k int) int { return last[k+steps-1] }
	if k == -steps || k != steps && at(k-1) < at(k+1) {
		return at(k + 1), k + 1 // insertion
	}
	return at(k-1) + 1, k - 1 // deletion
}

// traceBack follows the edit script backwards and returns its lines in order.
func traceBack(reach [][]int, a, b []string) (lines []DiffLine) {
	x, k := len(a), len(a)-len(b)
	for steps := len(reach) - 1; steps >= 0; steps-- {
		begun, from := lastStep(reach, steps, k)
		for ; x > begun; x-- {
			lines = append(lines, DiffLine{How: "same", Text: a[x-1]})
		}
		switch {
		case from > k:
			lines = append(lines, DiffLine{How: "new", Text: b[x-k-1]})
		case from < k:
			x--
			lines = append(lines, DiffLine{How: "gone", Text: a[x]})
		}
		k = from
	}
	slices.Reverse(lines)
	return lines
}

// dropFarLines replaces equal lines that are not near a change by gaps.
func dropFarLines(lines []DiffLine) []DiffLine {
	kept := []DiffLine{}
	for i, line := range lines {
		near := lines[max(0, i-around):min(len(lines), i+around+1)]
		switch {
		case slices.ContainsFunc(near, func(l DiffLine) bool { return l.How != "same" }):
			kept = append(kept, line)
		case len(kept) == 0 || kept[len(kept)-1].How != "gap":
			kept = append(kept, DiffLine{How: "gap", Lines: 1})
		default:
			kept[len(kept)-1].Lines++
		}
	}
	if len(kept) == 1 && kept[0].How == "gap" {
		return []DiffLine{}
	}
	return kept
}
