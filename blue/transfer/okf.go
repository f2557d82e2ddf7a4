package transfer

import (
	"fmt"
	"net/url"
	"strings"
)

// A bundle of the Open Knowledge Format writes a link as [text](/file).

// isReserved reports whether bundles use a file of that name otherwise.
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
// body as [text](/file), and makes relative links lead to the files of the bundle. file returns
// the name of a note there.
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
		written := strings.Trim(body[m[2]:m[3]], "<>")
		at, part := cutFragment(written)
		clean := strings.TrimPrefix(strings.TrimPrefix(unescapePath(at), "./"), "../notes/")
		name, ok := file(strings.TrimSuffix(clean, ".md"))
		if !ok || !strings.HasSuffix(clean, ".md") || strings.Contains(clean, "/") || name == unescapePath(at) {
			continue
		}
		l.addEdit(m[2], m[3], url.PathEscape(name)+part)
	}
	return l.applyEdits()
}

// rewriteBundleLink turns [text](/ID.md), the form of a wiki link in a bundle, into a wiki link.
func (l *rewriter) rewriteBundleLink(m []int) {
	text, at := l.body[m[2]:m[3]], unescapePath(l.body[m[4]:m[5]])
	id, ok := l.names.ByPath(l.from, at)
	if !ok || l.inTable(m[0]) {
		return
	}
	part := ""
	if m[6] >= 0 {
		part = unescapePath(l.body[m[6]:m[7]])
	}
	l.addEdit(m[0], m[1], wikiText(id, part, text))
}
