package transfer

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"blue/blue/internal/note"
)

var (
	wikiLink   = lazyPattern(`!?\[\[([^\[\]\n]+)\]\]`)
	target     = lazyPattern(`\]\([ \t]*(<[^<>\n]+>|[^()<>\s]+)`)
	definition = lazyPattern(`(?m)^ {0,3}\[[^\[\]\n]+\]:[ \t]+(<[^<>\n]+>|[^<>\s]+)`)
	bundleLink = lazyPattern(`\[([^\[\]\n|]+)\]\((/[^()<>\s#]+\.md)(#[^()<>\s]*)?\)`)
	scheme     = lazyPattern(`^[A-Za-z][A-Za-z0-9+.-]*:`)
)

// linkCounts counts the links of a text that lead to a new id, and those whose target is
// unknown.
type linkCounts struct{ New, Nowhere int }

// edit is one replacement in a text.
type edit struct {
	from, to int
	text     string
}

// rewriteLinks replaces the links in a document's body by links to the ids of their target
// documents. plain is the body with its code blanked, because code holds no links. Links to a
// target without an id stay unchanged.
func rewriteLinks(body, plain string, d document, names *nameTable) (string, linkCounts) {
	l := rewriter{body: body, plain: plain, from: d.Path, names: names}
	if d.Bundle {
		for _, m := range bundleLink().FindAllStringSubmatchIndex(plain, -1) {
			l.rewriteBundleLink(m)
		}
	}
	l.lineEnd = 0 // the offsets start over
	for _, m := range wikiLink().FindAllStringSubmatchIndex(plain, -1) {
		l.rewriteWikiLink(m)
	}
	for _, pattern := range []*regexp.Regexp{target(), definition()} {
		for _, m := range pattern.FindAllStringSubmatchIndex(plain, -1) {
			l.rewritePath(m[2], m[3])
		}
	}
	text := l.applyEdits()
	return text, l.led
}

// rewriter is a body whose links are being rewritten.
type rewriter struct {
	body, plain string
	from        string // path of the document
	names       *nameTable
	edits       []edit
	led         linkCounts
	lineEnd     int // end of the line that inTable examined last
	barred      bool
}

func (l *rewriter) addEdit(from, to int, text string) {
	l.edits = append(l.edits, edit{from, to, text})
}

// applyEdits applies the edits. Of two that overlap, it applies the one that starts first; of
// two with the same start, the one added first.
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
		return // a link within the same text
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

// wikiText returns a wiki link. It omits a text that equals the id.
func wikiText(id, part, text string) string {
	if text == id {
		return "[[" + id + part + "]]"
	}
	return "[[" + id + part + "|" + text + "]]"
}

// inTable reports whether the line at an offset has a bar outside its links. It may then be a
// table row, where a bar in a link would end the cell.
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
	file = note.UnescapePath(file)
	if scheme().MatchString(file) || strings.HasPrefix(file, "//") || !isMarkdown(file) {
		return
	}
	id, ok := l.names.ByPath(l.from, file)
	if !ok {
		l.led.Nowhere++
		return
	}
	if strings.TrimPrefix(strings.TrimSuffix(file, path.Ext(file)), "./") == id {
		return // the link already leads there
	}
	l.addEdit(from, to, url.PathEscape(id)+".md"+part)
}

// cutFragment splits off the fragment of a link, if it is not empty.
func cutFragment(link string) (before, fragment string) {
	before, name, _ := strings.Cut(link, "#")
	if name == "" {
		return before, ""
	}
	return before, "#" + name
}

// escapeFragment escapes a fragment for a Markdown target.
func escapeFragment(part string) string {
	if part == "" {
		return ""
	}
	return "#" + url.PathEscape(part[1:])
}

// renderRelations renders the relations of a document as a section with one link each. A target
// without an id is rendered as its bare name.
func renderRelations(d document, names *nameTable) (text string, led linkCounts) {
	if len(d.Relations) == 0 {
		return "", led
	}
	var b strings.Builder
	b.WriteString("\n## Relations\n\n")
	for _, r := range d.Relations {
		to := r.To
		if id, ok := names.ByName(d.Path, r.To); ok {
			led.New++
			to = wikiText(id, "", strings.NewReplacer("[", "(", "]", ")", "|", "/").Replace(r.To))
		} else {
			led.Nowhere++
		}
		fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(r.Word+" "+to))
	}
	return b.String(), led
}

// lazyPattern returns a function that compiles a pattern once: most processes never need it.
func lazyPattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// nameTable maps names of documents to ids: first paths, then other names, the more precise
// ones first. A name that two documents have at the same rank maps to none: no link is better
// than a wrong one.
type nameTable struct{ ids map[string]named }

type named struct {
	id    string
	rank  int
	clash bool
}

// AddDocument adds a document under its path and its names.
func (n *nameTable) AddDocument(d document, id string) {
	if n.ids == nil {
		n.ids = map[string]named{}
	}
	n.addName("/"+strings.TrimSuffix(d.Path, path.Ext(d.Path)), id, 0)
	if path.Ext(d.Path) != "" && !isMarkdown(d.Path) {
		n.addName("/"+d.Path, id, 0) // the name of a record that happens to contain a dot
	}
	for i, name := range d.Names {
		n.addName(name, id, i+1)
	}
}

func (n *nameTable) addName(name, id string, rank int) {
	key := strings.ToLower(name)
	was, ok := n.ids[key]
	switch {
	case !ok || rank < was.rank:
		n.ids[key] = named{id: id, rank: rank}
	case rank == was.rank && id != was.id:
		was.clash = true
		n.ids[key] = was
	}
}

func (n *nameTable) findName(key string) (id string, ok bool) {
	found, ok := n.ids[strings.ToLower(key)]
	return found.id, ok && !found.clash
}

// ByPath returns the id of the file that a path in the document at from leads to. A path that
// leads out of the source has no id.
func (n *nameTable) ByPath(from, target string) (id string, ok bool) {
	if !strings.HasPrefix(target, "/") {
		target = path.Join(path.Dir(from), target)
		if target == ".." || strings.HasPrefix(target, "../") {
			return "", false
		}
		target = "/" + target
	}
	target = path.Clean(target)
	return n.findName(strings.TrimSuffix(target, path.Ext(target)))
}

// ByName returns the id of the document that the document at from refers to by a name, or by a
// path without extension, relative to its own directory or to the top.
func (n *nameTable) ByName(from, name string) (id string, ok bool) {
	name = strings.TrimSpace(name)
	if isMarkdown(name) {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	for _, key := range []string{path.Join("/", path.Dir(from), name), path.Join("/", name), name} {
		if id, ok := n.findName(key); ok {
			return id, true
		}
	}
	return "", false
}

// A bundle of the Open Knowledge Format writes a link as [text](/file).

// isReserved reports whether bundles reserve a file name for another purpose.
func isReserved(id string) bool {
	return strings.EqualFold(id, "index") || strings.EqualFold(id, "log")
}

// bundleFile returns the file of a note in a bundle.
func bundleFile(id string) string {
	if isReserved(id) {
		return "note-" + id + ".md"
	}
	return id + ".md"
}

// rewriteForBundle is the inverse of [rewriteLinks] for a bundle: it writes the wiki links of a
// body as [text](/file), and points relative links to the files of the bundle. file returns the
// name of a note there.
func rewriteForBundle(body, plain string, file func(id string) (name string, ok bool)) string {
	l := rewriter{body: body, plain: plain}
	for _, m := range wikiLink().FindAllStringSubmatchIndex(plain, -1) {
		id, text, shown := strings.Cut(body[m[2]:m[3]], "|")
		id, part := cutFragment(id)
		name, ok := file(strings.TrimSpace(id))
		if !ok || body[m[0]] == '!' {
			continue
		}
		if !shown {
			text = strings.TrimSpace(id)
		}
		l.addEdit(m[0], m[1], fmt.Sprintf("[%s](/%s%s)", text, url.PathEscape(name), escapeFragment(part)))
	}
	for _, m := range target().FindAllStringSubmatchIndex(plain, -1) {
		at, part := cutFragment(strings.Trim(body[m[2]:m[3]], "<>"))
		id, ok := note.IDOfPath(at)
		if name, known := file(id); ok && known && name != note.UnescapePath(at) {
			l.addEdit(m[2], m[3], url.PathEscape(name)+part)
		}
	}
	return l.applyEdits()
}

// rewriteBundleLink turns [text](/ID.md), the form of a wiki link in a bundle, into a wiki link.
func (l *rewriter) rewriteBundleLink(m []int) {
	text, at := l.body[m[2]:m[3]], note.UnescapePath(l.body[m[4]:m[5]])
	id, ok := l.names.ByPath(l.from, at)
	if !ok || l.inTable(m[0]) {
		return
	}
	part := ""
	if m[6] >= 0 {
		part = note.UnescapePath(l.body[m[6]:m[7]])
	}
	l.addEdit(m[0], m[1], wikiText(id, part, text))
}
