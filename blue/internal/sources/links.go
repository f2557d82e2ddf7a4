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
	wikiLink   = lazyPattern(`!?\[\[([^\[\]\n]+)\]\]`)
	target     = lazyPattern(`\]\([ \t]*(<[^<>\n]+>|[^()<>\s]+)`)
	definition = lazyPattern(`(?m)^ {0,3}\[[^\[\]\n]+\]:[ \t]+(<[^<>\n]+>|[^<>\s]+)`)
	bundleLink = lazyPattern(`\[([^\[\]\n|]+)\]\((/[^()<>\s#]+\.md)(#[^()<>\s]*)?\)`)
	memoryWord = lazyPattern("`mem:([^`\\s]+)`")
	scheme     = lazyPattern(`^[A-Za-z][A-Za-z0-9+.-]*:`)
)

// LinkCounts says how many links of a text lead to a new name, and how many to nothing
// that is known.
type LinkCounts struct{ New, Nowhere int }

// edit is one replacement in a text.
type edit struct {
	from, to int
	text     string
}

// RewriteLinks gives the links of a document's body the ids of the documents that they
// lead to. In plain, which is as long as the body, code is blank: what stands there
// is no link. Links to what has no id stay as they are.
func RewriteLinks(body, plain string, d Document, names *Names) (string, LinkCounts) {
	l := rewriter{body: body, plain: plain, from: d, names: names}
	if d.Bundle {
		for _, m := range bundleLink().FindAllStringSubmatchIndex(plain, -1) {
			l.rewriteBundleLink(m)
		}
	}
	l.lineEnd = 0 // the places begin anew
	for _, m := range wikiLink().FindAllStringSubmatchIndex(plain, -1) {
		l.rewriteWikiLink(m)
	}
	for _, pattern := range []*regexp.Regexp{target(), definition()} {
		for _, m := range pattern.FindAllStringSubmatchIndex(plain, -1) {
			l.rewritePath(m[2], m[3])
		}
	}
	for _, m := range memoryWord().FindAllStringSubmatchIndex(body, -1) {
		if id, ok := names.ByPath(Document{}, "/"+body[m[2]:m[3]]+".md"); ok {
			l.addEdit(m[0], m[1], wikiText(id, "", body[m[2]:m[3]]))
		}
	}
	text := l.applyEdits()
	return text, l.led
}

// rewriter is a body whose links are being rewritten.
type rewriter struct {
	body, plain string
	from        Document
	names       *Names
	edits       []edit
	led         LinkCounts
	lineEnd     int // of the line that was looked at last
	barred      bool
}

func (l *rewriter) addEdit(from, to int, text string) {
	l.edits = append(l.edits, edit{from, to, text})
}

// applyEdits makes the edits. Of two that overlap the one added first counts.
func (l *rewriter) applyEdits() string {
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

// rewriteWikiLink rewrites [[name#part|text]].
func (l *rewriter) rewriteWikiLink(m []int) {
	inner := l.body[m[2]:m[3]]
	name, text, shown := strings.Cut(inner, "|")
	name = strings.TrimSuffix(name, `\`)
	name, part := cutFragment(name)
	if name = strings.TrimSpace(name); name == "" {
		return // a part of the same text
	}
	id, ok := l.names.ByName(l.from, name)
	if !ok {
		if path.Ext(name) == "" || isMarkdown(name) {
			l.led.Nowhere++
		}
		return
	}
	if !shown {
		text = name
	}
	if l.inTable(m[0]) {
		l.addEdit(m[0], m[1], fmt.Sprintf("[%s](%s.md%s)", text, url.PathEscape(id), escapeFragment(part)))
		return
	}
	if l.body[m[0]] == '!' {
		m[0]++
	}
	l.addEdit(m[0], m[1], wikiText(id, part, text))
}

// wikiText is a wiki link; a text that says no more than the id is left out.
func wikiText(id, part, text string) string {
	if text == id {
		return "[[" + id + part + "]]"
	}
	return "[[" + id + part + "|" + text + "]]"
}

// inTable reports whether the line of a place has a bar beside its links: one in a
// link would end a cell.
func (l *rewriter) inTable(at int) bool {
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

// rewritePath rewrites the target of a Markdown link or definition.
func (l *rewriter) rewritePath(from, to int) {
	written := strings.Trim(l.body[from:to], "<>")
	file, part := cutFragment(written)
	file = unescapePath(file)
	if scheme().MatchString(file) || strings.HasPrefix(file, "//") || !isMarkdown(file) {
		return
	}
	id, ok := l.names.ByPath(l.from, file)
	if !ok {
		l.led.Nowhere++
		return
	}
	if strings.TrimPrefix(strings.TrimSuffix(file, path.Ext(file)), "./") == id {
		return // it leads there as it stands
	}
	l.addEdit(from, to, url.PathEscape(id)+".md"+part)
}

func unescapePath(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// cutFragment cuts off the part of a link that begins with #, if it says any.
func cutFragment(link string) (before, fragment string) {
	before, name, _ := strings.Cut(link, "#")
	if name == "" {
		return before, ""
	}
	return before, "#" + name
}

// escapeFragment makes the part of a link safe for a Markdown target.
func escapeFragment(part string) string {
	if part == "" {
		return ""
	}
	return "#" + url.PathEscape(part[1:])
}

// RenderRelations renders the relations of a document as a section with a link each, or
// with the bare name of what has no id.
func RenderRelations(d Document, names *Names) (text string, led LinkCounts) {
	if len(d.Relations) == 0 {
		return "", led
	}
	var b strings.Builder
	b.WriteString("\n## Relations\n\n")
	for _, r := range d.Relations {
		to := r.To
		if id, ok := names.ByName(d, r.To); ok {
			led.New++
			to = wikiText(id, "", strings.NewReplacer("[", "(", "]", ")", "|", "/").Replace(r.To))
		} else {
			led.Nowhere++
		}
		fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(r.Word+" "+to))
	}
	return b.String(), led
}

// lazyPattern is compiled when it is first asked for: most processes never do.
func lazyPattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
