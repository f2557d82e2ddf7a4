package sources

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	wikiLink   = pattern(`!?\[\[([^\[\]\n]+)\]\]`)
	target     = pattern(`\]\([ \t]*(<[^<>\n]+>|[^()<>\s]+)`)
	definition = pattern(`(?m)^ {0,3}\[[^\[\]\n]+\]:[ \t]+(<[^<>\n]+>|[^<>\s]+)`)
	bundleLink = pattern(`\[([^\[\]\n|]+)\]\((/[^()<>\s#]+\.md)(#[^()<>\s]*)?\)`)
	memoryWord = pattern("`mem:([^`\\s]+)`")
	scheme     = pattern(`^[A-Za-z][A-Za-z0-9+.-]*:`)
)

// Led says how many links of a text lead to a new name, and how many to nothing
// that is known.
type Led struct{ New, Nowhere int }

// edit is one replacement in a text.
type edit struct {
	from, to int
	text     string
}

// Lead gives the links of a document's body the ids of the documents that they
// lead to. In plain, which is as long as the body, code is blank: what stands there
// is no link. Links to what has no id stay as they are.
func Lead(body, plain string, d Document, names *Names) (string, Led) {
	l := leading{body: body, plain: plain, from: d, names: names}
	if d.Bundle {
		for _, m := range bundleLink().FindAllStringSubmatchIndex(plain, -1) {
			l.bundle(m)
		}
	}
	l.lineEnd = 0 // the places begin anew
	for _, m := range wikiLink().FindAllStringSubmatchIndex(plain, -1) {
		l.wiki(m)
	}
	for _, pattern := range []*regexp.Regexp{target(), definition()} {
		for _, m := range pattern.FindAllStringSubmatchIndex(plain, -1) {
			l.path(m[2], m[3])
		}
	}
	for _, m := range memoryWord().FindAllStringSubmatchIndex(body, -1) {
		if id, ok := names.At(Document{}, "/"+body[m[2]:m[3]]+".md"); ok {
			l.put(m[0], m[1], wiki(id, "", body[m[2]:m[3]]))
		}
	}
	text := l.apply()
	return text, l.led
}

// leading is a body while its links are led.
type leading struct {
	body, plain string
	from        Document
	names       *Names
	edits       []edit
	led         Led
	lineEnd     int // of the line that was looked at last
	barred      bool
}

func (l *leading) put(from, to int, text string) {
	l.edits = append(l.edits, edit{from, to, text})
}

// apply makes the edits. Of two that meet the one put first counts.
func (l *leading) apply() string {
	slices.SortStableFunc(l.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	at := 0
	for _, e := range l.edits {
		if e.from < at {
			continue
		}
		b.WriteString(l.body[at:e.from])
		b.WriteString(e.text)
		at = e.to
		l.led.New++
	}
	b.WriteString(l.body[at:])
	return b.String()
}

// bundle makes a wiki link of [text](/id.md), which is how bundles write one.
func (l *leading) bundle(m []int) {
	text, at := l.body[m[2]:m[3]], unescaped(l.body[m[4]:m[5]])
	id, ok := l.names.At(l.from, at)
	if !ok || l.inTable(m[0]) {
		return
	}
	part := ""
	if m[6] >= 0 {
		part = unescaped(l.body[m[6]:m[7]])
	}
	l.put(m[0], m[1], wiki(id, part, text))
}

// wiki leads [[name#part|text]].
func (l *leading) wiki(m []int) {
	inner := l.body[m[2]:m[3]]
	name, text, shown := strings.Cut(inner, "|")
	name = strings.TrimSuffix(name, `\`)
	name, part, _ := strings.Cut(name, "#")
	if part != "" {
		part = "#" + part
	}
	if name = strings.TrimSpace(name); name == "" {
		return // a part of the same text
	}
	id, ok := l.names.Called(l.from, name)
	if !ok {
		if path.Ext(name) == "" || markdown(name) {
			l.led.Nowhere++
		}
		return
	}
	if !shown {
		text = name
	}
	if l.inTable(m[0]) {
		l.put(m[0], m[1], fmt.Sprintf("[%s](%s.md%s)", text, url.PathEscape(id), fragment(part)))
		return
	}
	if l.body[m[0]] == '!' {
		m[0]++
	}
	l.put(m[0], m[1], wiki(id, part, text))
}

// wiki is a wiki link; a text that says no more than the id is left out.
func wiki(id, part, text string) string {
	if text == id {
		return "[[" + id + part + "]]"
	}
	return "[[" + id + part + "|" + text + "]]"
}

// inTable reports whether the line of a place has a bar beside its links: one in a
// link would end a cell.
func (l *leading) inTable(at int) bool {
	if at < l.lineEnd {
		return l.barred
	}
	start := strings.LastIndexByte(l.plain[:at], '\n') + 1
	l.lineEnd = len(l.plain)
	if i := strings.IndexByte(l.plain[at:], '\n'); i >= 0 {
		l.lineEnd = at + i
	}
	l.barred = strings.Contains(wikiLink().ReplaceAllString(l.plain[start:l.lineEnd], ""), "|")
	return l.barred
}

// path leads the target of a Markdown link or definition.
func (l *leading) path(from, to int) {
	written := strings.Trim(l.body[from:to], "<>")
	file, part, _ := strings.Cut(written, "#")
	file = unescaped(file)
	if scheme().MatchString(file) || strings.HasPrefix(file, "//") || !markdown(file) {
		return
	}
	id, ok := l.names.At(l.from, file)
	if !ok {
		l.led.Nowhere++
		return
	}
	if strings.TrimPrefix(strings.TrimSuffix(file, path.Ext(file)), "./") == id {
		return // it leads there as it stands
	}
	if part != "" {
		part = "#" + part
	}
	l.put(from, to, url.PathEscape(id)+".md"+part)
}

func unescaped(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// fragment makes the part of a link safe for a Markdown target.
func fragment(part string) string {
	if part == "" {
		return ""
	}
	return "#" + url.PathEscape(part[1:])
}

// Related renders the relations of a document as a section with a link each, or
// with the bare name of what has no id.
func Related(d Document, names *Names) (text string, led Led) {
	if len(d.Relations) == 0 {
		return "", led
	}
	var b strings.Builder
	b.WriteString("\n## Relations\n\n")
	for _, r := range d.Relations {
		to := r.To
		if id, ok := names.Called(d, r.To); ok {
			led.New++
			to = wiki(id, "", strings.NewReplacer("[", "(", "]", ")", "|", "/").Replace(r.To))
		} else {
			led.Nowhere++
		}
		fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(r.Word+" "+to))
	}
	return b.String(), led
}

// Carry is the opposite of [Lead] for a bundle: it writes the wiki links of a body
// as [text](/file), and leads relative links to the files of the bundle. The
// function file says under which name a note stands there.
func Carry(body, plain string, file func(id string) (name string, ok bool)) string {
	l := leading{body: body, plain: plain}
	for _, m := range wikiLink().FindAllStringSubmatchIndex(plain, -1) {
		id, text, shown := strings.Cut(body[m[2]:m[3]], "|")
		id, part, _ := strings.Cut(id, "#")
		if part != "" {
			part = "#" + part
		}
		name, ok := file(strings.TrimSpace(id))
		if !ok || body[m[0]] == '!' {
			continue
		}
		if !shown {
			text = strings.TrimSpace(id)
		}
		l.put(m[0], m[1], fmt.Sprintf("[%s](/%s%s)", text, url.PathEscape(name), fragment(part)))
	}
	for _, m := range target().FindAllStringSubmatchIndex(plain, -1) {
		written := strings.Trim(body[m[2]:m[3]], "<>")
		at, part, _ := strings.Cut(written, "#")
		clean := strings.TrimPrefix(strings.TrimPrefix(unescaped(at), "./"), "../notes/")
		name, ok := file(strings.TrimSuffix(clean, ".md"))
		if !ok || !strings.HasSuffix(clean, ".md") || strings.Contains(clean, "/") || name == unescaped(at) {
			continue
		}
		if part != "" {
			part = "#" + part
		}
		l.put(m[2], m[3], url.PathEscape(name)+part)
	}
	return l.apply()
}

// pattern is compiled when it is first asked for: most processes never do.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
