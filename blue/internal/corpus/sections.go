package corpus

import (
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"blue/blue/internal/note"
)

// section is a heading of a document and the text below it, up to the next heading.
type section struct {
	Title  string
	Anchor string // names the section, as in docs/notes.md#anchor; unique in a document
	Level  int    // 1 is the highest
	At     int    // offset of the heading
	Below  int    // offset after the heading
	End    int    // offset of the next heading
}

// sectionsOf returns the sections of a document, in the format given by its name.
func sectionsOf(name, text string) (all []section) {
	find := headingFinder(name)
	if find == nil {
		return nil
	}
	anchors := map[string]int{}
	at := len(text) - len(skipFront(text))
	fence, before := "", line{}
	for at < len(text) && len(all) < sectionLimit {
		now := lineAt(text, at)
		at = now.end
		was := fence
		if fence = fenceBehind(name, now.text, fence); was+fence != "" {
			before = line{}
			continue
		}
		if _, end := commentIn(text, now); end > at && isMarkdown(name) {
			at = end
			continue
		}
		if h, ok := find(before, now); ok && h.Title != "" {
			h.Anchor = makeAnchor(h.Title, anchors)
			if len(all) > 0 {
				all[len(all)-1].End = h.At
			}
			h.End = len(text)
			all = append(all, h)
			now = line{}
		}
		before = now
	}
	return all
}

// line is a line of a text without its line end, and its offsets.
type line struct {
	text    string
	at, end int
}

func lineAt(text string, at int) line {
	end := len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i + 1
	}
	return line{strings.TrimRight(text[at:end], " \t\r\n"), at, end}
}

// skipFront returns a text without its front matter.
func skipFront(text string) string {
	if lineAt(text, 0).text != "---" {
		return text
	}
	for at := lineAt(text, 0).end; at < len(text); {
		l := lineAt(text, at)
		if l.text == "---" || l.text == "..." {
			return text[l.end:]
		}
		at = l.end
	}
	return text
}

// fenceBehind returns the mark of the code block that is open after a line, or "".
func fenceBehind(name, text, open string) string {
	mark := fenceOf(name, text)
	switch {
	case open == "":
		return mark
	case mark != "" && strings.HasPrefix(mark, open):
		return ""
	}
	return open
}

// fenceOf returns the mark of a line that opens or closes a code block, or "" for any other line.
func fenceOf(name, text string) string {
	marks := []string{"```", "~~~"}
	if isAsciiDoc(name) {
		marks = []string{"----", "....", "++++", "////"}
	} else if isReStructured(name) {
		return ""
	}
	text = strings.TrimLeft(text, " \t>")
	for _, mark := range marks {
		if strings.HasPrefix(text, mark) {
			return mark
		}
	}
	return ""
}

// isMarkdown reports whether the name of a document has an extension of Markdown.
func isMarkdown(name string) bool {
	return strings.EqualFold(path.Ext(name), ".md") || strings.EqualFold(path.Ext(name), ".markdown")
}

func isAsciiDoc(name string) bool     { return strings.EqualFold(path.Ext(name), ".adoc") }
func isReStructured(name string) bool { return strings.EqualFold(path.Ext(name), ".rst") }

// headingFinder returns a function that finds headings in a format: given a line and the line
// before, it returns the heading that they form. It is nil for plain text.
func headingFinder(name string) func(before, now line) (section, bool) {
	switch {
	case strings.EqualFold(path.Ext(name), ".txt"):
		return nil
	case isAsciiDoc(name):
		return func(_, now line) (section, bool) { return markedHeading(now, '=') }
	case isReStructured(name):
		styles := []byte{}
		return func(before, now line) (section, bool) {
			mark, ok := underline(before, now, `=-~^"'#*+.:`+"`_")
			at := strings.IndexByte(string(styles), mark)
			if ok && at < 0 {
				at = len(styles)
				styles = append(styles, mark)
			}
			return section{Title: strings.TrimSpace(before.text), Level: at + 1, At: before.at, Below: now.end}, ok
		}
	}
	return func(before, now line) (section, bool) {
		if h, ok := markedHeading(now, '#'); ok {
			return h, true
		}
		mark, ok := underline(before, now, "=-")
		title := strings.TrimSpace(before.text)
		ok = ok && !strings.ContainsAny(title[:min(len(title), 1)], "|>-*+<")
		return section{Title: title, Level: 1 + strings.IndexByte("=-", mark), At: before.at, Below: now.end}, ok
	}
}

// markedHeading parses a heading that begins with one sign per level.
func markedHeading(now line, sign byte) (h section, ok bool) {
	text := now.text
	if indent := len(text) - len(strings.TrimLeft(text, " ")); indent <= 3 {
		text = text[indent:]
	}
	rest := strings.TrimLeft(text, string(sign))
	level := len(text) - len(rest)
	if level == 0 || level > 6 || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return h, false
	}
	return section{Title: strings.TrimSpace(strings.TrimRight(rest, string(sign)+" \t")), Level: level, At: now.at, Below: now.end}, true
}

// underline reports whether now is an underline of one of the signs, below a line of text.
func underline(before, now line, signs string) (mark byte, ok bool) {
	if len(now.text) < 3 || strings.TrimSpace(before.text) == "" || strings.IndexByte(signs, now.text[0]) < 0 {
		return 0, false
	}
	mark = now.text[0]
	return mark, strings.Trim(now.text, string(mark)) == "" && strings.Trim(before.text, string(mark)+" ") != ""
}

// makeAnchor returns a unique anchor for a heading, with a number if necessary.
func makeAnchor(title string, taken map[string]int) string {
	anchor := note.HeadingAnchor(title)
	for len(anchor) > anchorLimit {
		_, size := utf8.DecodeLastRuneInString(anchor)
		anchor = anchor[:len(anchor)-size]
	}
	if anchor == "" {
		anchor = "section"
	}
	first := anchor
	for n, again := taken[anchor]; again; _, again = taken[anchor] {
		n++
		anchor = first + "-" + strconv.Itoa(n)
		taken[first] = n
	}
	taken[anchor] = max(taken[anchor], 0)
	return anchor
}

// findSection returns the part of a document that an anchor or the text of a heading names, up to
// the next heading of the same or a higher level. headings has all headings.
func findSection(name, text, want string) (part string, headings []string, ok bool) {
	all := sectionsOf(name, text)
	for _, s := range all {
		headings = append(headings, s.Title)
	}
	want = strings.ToLower(strings.TrimSpace(strings.TrimLeft(want, "#")))
	for i, s := range all {
		if s.Anchor != want && strings.ToLower(s.Title) != want {
			continue
		}
		end := len(text)
		for _, next := range all[i+1:] {
			if next.Level <= s.Level {
				end = next.At
				break
			}
		}
		return text[s.At:end], headings, true
	}
	return "", headings, false
}
