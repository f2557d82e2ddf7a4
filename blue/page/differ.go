package page

import (
	"strings"
	"unicode/utf8"

	"blue/blue"
)

// diffLine is a line of a diff with its changed part marked.
type diffLine struct {
	How    string // as in [blue.DiffLine]
	Pieces []piece
}

// diffLines pairs each run of removed lines with the added lines that follow it. If both runs have
// the same length it marks the difference within each pair.
func diffLines(lines []blue.DiffLine) (out []diffLine) {
	for at := 0; at < len(lines); {
		gone := leadingRun(lines[at:], "gone")
		fresh := leadingRun(lines[at+len(gone):], "new")
		if len(gone)+len(fresh) == 0 {
			out = append(out, diffLine{lines[at].How, []piece{{Text: lines[at].Text}}})
			at++
			continue
		}
		out = append(append(out, markAgainst(gone, fresh)...), markAgainst(fresh, gone)...)
		at += len(gone) + len(fresh)
	}
	return out
}

// leadingRun returns the leading lines that are of one kind.
func leadingRun(lines []blue.DiffLine, how string) []blue.DiffLine {
	for i, l := range lines {
		if l.How != how {
			return lines[:i]
		}
	}
	return lines
}

// markAgainst marks the part of each line that its counterpart lacks.
func markAgainst(lines, others []blue.DiffLine) []diffLine {
	out := make([]diffLine, len(lines))
	for i, l := range lines {
		out[i] = diffLine{l.How, []piece{{Text: l.Text}}}
		if len(lines) == len(others) {
			out[i].Pieces = markDifference(l.Text, others[i].Text)
		}
	}
	return out
}

// markDifference marks the text between a common prefix and a common suffix. Texts with little in
// common are marked whole.
func markDifference(text, other string) []piece {
	from, end := 0, 0
	for from < min(len(text), len(other)) && text[from] == other[from] {
		from++
	}
	for end < min(len(text), len(other))-from && text[len(text)-1-end] == other[len(other)-1-end] {
		end++
	}
	for from > 0 && from < len(text) && !utf8.RuneStart(text[from]) {
		from--
	}
	for end > 0 && !utf8.RuneStart(text[len(text)-end]) {
		end--
	}
	if from+end < len(text)/3 || strings.TrimSpace(text[from:len(text)-end]) == "" {
		return []piece{{Text: text}}
	}
	return cutAtMarks(text, [][2]int{{from, len(text) - end}})
}
