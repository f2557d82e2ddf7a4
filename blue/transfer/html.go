package transfer

import (
	"html/template"
	"net/url"
	"path"
	"strconv"
	"strings"

	"blue/blue"
	"blue/blue/internal/note"
)

// HTML returns the body of a note as the pages of an export show it. Only links to notes and
// documents, which are pages ID.html and PATH.html beside this one, and to the web stay links.
// Raw HTML is shown as text, a picture of the project stands in the text itself and another
// one becomes a link; nothing in the text makes a browser request anything.
func HTML(p *blue.Project, n blue.Note) (template.HTML, error) {
	return newSite(p.Ref().Name, nil, p.FindID, p.Picture).renderBody(n)
}

// DocumentHTML returns the text of a document in Markdown, rendered in the same way; links to
// other documents lead to the paths that the function at returns. It is empty for a text that
// is shown as it is.
func DocumentHTML(p *blue.Project, d blue.Document, at func(name, anchor string) string) (template.HTML, error) {
	text := d.Body()
	if !d.Markdown || note.TakesLongToParse(text) {
		return "", nil
	}
	page := func(to string) (string, bool) {
		name, anchor, ok := followLink(d.Path, to)
		return at(name, anchor), ok && p.HasDocument(name)
	}
	return renderDocument(d.Title, text, page, anchorsOf(d.Parts))
}

// followLink returns the path, from the top of the project, that a link of a document names.
func followLink(from, link string) (name, anchor string, ok bool) {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" {
		return "", "", false
	}
	dir := path.Dir(from)
	if path.IsAbs(u.Path) {
		dir = "."
	}
	return path.Join(dir, u.Path), strings.ToLower(u.Fragment), true
}

// anchorsOf returns the function that gives each heading of a text its anchor, in their order.
func anchorsOf(parts []blue.Part) func(heading string) string {
	left, unknown := map[string][]string{}, 0
	for _, part := range parts {
		left[part.Heading] = append(left[part.Heading], part.Anchor)
	}
	return func(heading string) string {
		heading = strings.TrimSpace(strings.TrimRight(heading, "# \t"))
		if all := left[heading]; heading != "" && len(all) > 0 {
			left[heading] = all[1:]
			return all[0]
		}
		unknown++
		return "heading:" + strconv.Itoa(unknown) // no anchor has the sign
	}
}
