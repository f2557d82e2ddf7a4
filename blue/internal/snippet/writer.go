package snippet

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const ellipsis = "…"

// writer writes units on one line.
type writer struct {
	body    string
	heading string
	out     strings.Builder
	marks   [][2]int
}

// writePassage writes a passage. It writes an ellipsis where the section has more text before or
// after it, and between passages.
func (w *writer) writePassage(units []unit, p passage) {
	first, last := units[p.from], units[p.to-1]
	if w.out.Len() > 0 {
		w.omit()
	}
	w.writeHeading(first)
	if p.start <= first.start && p.from > 0 && units[p.from-1].heading == first.heading {
		w.omit()
	}
	for i, u := range units[p.from:p.to] {
		if i > 0 && u.isBehindGap {
			w.omit()
		}
		w.writeUnit(u, max(p.start, u.start), min(p.end, u.end))
	}
	if p.to < len(units) && units[p.to].heading == last.heading {
		w.omit()
	}
}

// omit writes an ellipsis unless one was just written.
func (w *writer) omit() {
	s := strings.TrimSuffix(w.out.String(), " ")
	if strings.HasSuffix(s, ellipsis) {
		return
	}
	w.space()
	w.out.WriteString(ellipsis)
}

// space writes a space unless one was just written.
func (w *writer) space() {
	if s := w.out.String(); s != "" && !strings.HasSuffix(s, " ") {
		w.out.WriteByte(' ')
	}
}

// writeHeading writes the heading of a unit if it differs from the last one.
func (w *writer) writeHeading(u unit) {
	if u.heading != w.heading && u.heading != "" {
		w.space()
		appendOnOneLine(&w.out, strings.ReplaceAll(strings.TrimRight(u.heading, "#: "), "**", ""))
		w.out.WriteByte(':')
	}
	w.heading = u.heading
}

// writeUnit writes the part of a unit between two offsets of the body, after its heading if that
// differs from the last one.
func (w *writer) writeUnit(u unit, from, to int) {
	w.writeHeading(u)
	if from > u.start {
		w.omit()
	} else {
		w.space()
	}
	isBold := !u.isCode && strings.Count(w.body[u.start:u.end], "**")%2 == 0 && !strings.Contains(w.body[u.start:u.end], "**/")
	plain := func(text string) {
		if isBold {
			text = strings.ReplaceAll(text, "**", "")
		}
		appendOnOneLine(&w.out, text)
	}
	at, to := from, max(from, to) // if a unit is cut away, its heading stays
	for _, m := range u.matches {
		if m.start < at || m.end > to {
			continue
		}
		plain(w.body[at:m.start])
		mark := w.out.Len()
		plain(w.body[m.start:m.end])
		w.marks = append(w.marks, [2]int{mark, w.out.Len()})
		at = m.end
	}
	plain(w.body[at:to])
	if to < u.end {
		w.out.WriteString(ellipsis)
	}
}

// appendOnOneLine appends a text. Each run of spaces and control characters becomes one space, and
// none is written at the beginning of a snippet.
func appendOnOneLine(b *strings.Builder, text string) {
	for at := 0; at < len(text); {
		if n := plainPrefix(text[at:]); n > 0 {
			b.WriteString(text[at : at+n])
			at += n
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			if s := b.String(); s == "" || s[len(s)-1] == ' ' || s == ellipsis {
				continue
			}
			r = ' '
		}
		b.WriteRune(r)
	}
}

// plainPrefix returns the length of the ASCII prefix of a text that can be written unchanged: words
// separated by single spaces.
func plainPrefix(text string) int {
	space := true
	for i := range len(text) {
		if text[i] < ' ' || text[i] >= 0x7f || text[i] == ' ' && space {
			return i
		}
		space = text[i] == ' '
	}
	return len(text)
}

// runeBoundary returns the rune boundary at or before an offset.
func runeBoundary(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// nextWordStart returns the start of the next word, or at if there is none before the limit.
func nextWordStart(text string, at, limit int) int {
	if at == 0 {
		return 0
	}
	if i := strings.IndexAny(text[at:limit], " \t\n\r"); i >= 0 {
		return at + i + 1
	}
	return at
}

// lastWordEnd returns the end of the last word before at, or at if that would drop more than half.
func lastWordEnd(text string, start, at int) int {
	if at == len(text) {
		return at
	}
	if i := strings.LastIndexAny(text[start:at], " \t\n\r"); i > (at-start)/2 {
		return start + i
	}
	return at
}
