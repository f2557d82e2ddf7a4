package merge

import (
	"slices"
	"strings"

	"blue/blue/internal/note"
)

// mergeLines merges two texts line by line. It is not ok when both have changed the same
// lines, or lines that touch.
//
// Lines that all three have stand between regions in which at least one side differs; in
// each region the side that has changed is taken.
func mergeLines(base, ours, theirs string) (text string, ok bool) {
	if text, both := pick(base, ours, theirs); !both {
		return text, true
	}
	b, bEnd := splitLines(base)
	o, oEnd := splitLines(ours)
	t, tEnd := splitLines(theirs)
	inOurs, inTheirs := note.MatchLines(b, o), note.MatchLines(b, t)
	var merged []string
	atB, atO, atT := 0, 0, 0
	for atB < len(b) || atO < len(o) || atT < len(t) {
		if atB < len(b) && inOurs[atB] == atO && inTheirs[atB] == atT {
			merged = append(merged, b[atB])
			atB, atO, atT = atB+1, atO+1, atT+1
			continue
		}
		endB, endO, endT := atB, len(o), len(t)
		for endB < len(b) && (inOurs[endB] < 0 || inTheirs[endB] < 0) {
			endB++
		}
		if endB < len(b) {
			endO, endT = inOurs[endB], inTheirs[endB]
		}
		region, ok := mergeRegion(b[atB:endB], o[atO:endO], t[atT:endT])
		if !ok {
			return "", false
		}
		merged = append(merged, region...)
		atB, atO, atT = endB, endO, endT
	}
	text = strings.Join(merged, "")
	if end, _ := pick(bEnd, oEnd, tEnd); !end {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	return text, true
}

func mergeRegion(b, o, t []string) (lines []string, ok bool) {
	switch {
	case slices.Equal(o, t), slices.Equal(t, b):
		return o, true
	case slices.Equal(o, b):
		return t, true
	}
	return nil, false
}

// splitLines returns the lines of a text with their ends; the last one gets one when it
// has none, and ended says that it had.
func splitLines(text string) (lines []string, ended bool) {
	ended = text == "" || strings.HasSuffix(text, "\n")
	if !ended {
		text += lineEnd(text)
	}
	return slices.Collect(strings.Lines(text)), ended
}

// pick is a value three ways; both reports that the sides have changed it to different
// ones, and the value is ours.
func pick[V comparable](base, ours, theirs V) (value V, both bool) {
	switch {
	case ours == theirs, theirs == base:
		return ours, false
	case ours == base:
		return theirs, false
	}
	return ours, true
}

// lineEnd is the line end of the first line.
func lineEnd(text string) string {
	if first, _, ok := strings.Cut(text, "\n"); ok && strings.HasSuffix(first, "\r") {
		return "\r\n"
	}
	return "\n"
}
