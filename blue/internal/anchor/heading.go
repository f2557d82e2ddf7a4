package anchor

import (
	"slices"
	"strings"

	"blue/blue/internal/note"
)

type heading struct {
	line, level int
	anchor      string
}

// findHeading returns the section whose heading has the words of a name, or its anchor, and
// how many such sections there are.
func (t Text) findHeading(name string) (first Span, count int) {
	all, anchor := t.headings(), note.HeadingAnchor(strings.Trim(name, "# \t"))
	for i, h := range all {
		if h.anchor != anchor || anchor == "" {
			continue
		}
		if count++; count > 1 {
			continue
		}
		end := len(t.lines)
		if next := slices.IndexFunc(all[i+1:], func(other heading) bool { return other.level <= h.level }); next >= 0 {
			end = all[i+1+next].line
		}
		for end > h.line+1 && strings.TrimSpace(t.lines[end-1]) == "" {
			end--
		}
		first = Span{h.line + 1, end}
	}
	return first, count
}

// headings returns the headings outside of code blocks.
func (t Text) headings() (all []heading) {
	fence := ""
	for i := range t.lines {
		line := t.shown(i)
		mark := strings.TrimLeft(line, "`~")
		switch fenced := line[:len(line)-len(mark)]; {
		case fence != "" && fenced == fence && mark == "":
			fence = ""
		case fence == "" && len(fenced) >= 3:
			fence = fenced
		case fence == "":
			title := strings.TrimLeft(line, "#")
			if level := len(line) - len(title); level >= 1 && level <= 6 && strings.HasPrefix(title, " ") {
				all = append(all, heading{i, level, note.HeadingAnchor(strings.Trim(title, "# \t"))})
			}
		}
	}
	return all
}
