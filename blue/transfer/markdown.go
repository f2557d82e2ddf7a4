package transfer

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/url"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	gmhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"blue/blue"
	"blue/blue/internal/note"
)

// renderBody renders the text of a note as the content of a page whose heading is the title.
// Only links to notes of the site and to the web stay links.
func (s *site) renderBody(n blue.Note) (template.HTML, error) {
	if note.TakesLongToParse(n.Body) {
		return template.HTML("<pre>" + template.HTMLEscapeString(n.Body) + "</pre>\n"), nil
	}
	p := &prose{site: s, title: n.Title}
	p.page = p.pageOfNote
	return p.render(n.Body)
}

// renderDocument renders a text in Markdown that is no note: no link in it leads to a note, and
// no picture is shown. The title is that of the page; page returns where a link leads that may
// stay one, and anchor the id of a heading.
func renderDocument(title, text string, page func(to string) (at string, ok bool), anchor func(heading string) string) (template.HTML, error) {
	none := newSite("", nil, func(string) (string, bool) { return "", false }, func(string) (string, []byte) { return "", nil })
	p := &prose{site: none, title: title, page: page}
	return p.render(text, parser.WithContext(parser.NewContext(parser.WithIDs(headingIDs(anchor)))))
}

// headingIDs returns the id of a heading by its text.
type headingIDs func(heading string) string

// Generate implements [parser.IDs].
func (ids headingIDs) Generate(heading []byte, _ ast.NodeKind) []byte {
	return []byte(ids(string(heading)))
}

// Put implements [parser.IDs].
func (ids headingIDs) Put([]byte) {}

// prose extends Markdown by what the pages of notes have.
type prose struct {
	site  *site
	title string
	page  func(to string) (at string, ok bool) // where a link leads, unless that is outside
	shown int                                  // bytes of pictures so far
}

// render renders a text in Markdown.
func (p *prose) render(text string, options ...parser.ParseOption) (template.HTML, error) {
	md := goldmark.New(
		goldmark.WithExtensions(extension.Strikethrough, extension.Linkify, extension.TaskList, extension.Footnote,
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(),
			parser.WithInlineParsers(util.Prioritized(p, 150)), // before the parser of links, which is 200
			parser.WithASTTransformers(util.Prioritized(p, 900))),
		goldmark.WithRendererOptions(gmhtml.WithXHTML(), renderer.WithNodeRenderers(util.Prioritized(p, 100))), // instead of 500 and 1000
	)
	var b bytes.Buffer
	err := md.Convert([]byte(text), &b, options...)
	return template.HTML(b.String()), err
}

// Trigger implements [parser.InlineParser]: wiki links and embeds begin with these characters.
func (p *prose) Trigger() []byte { return []byte{'[', '!'} }

// Parse implements [parser.InlineParser]: it parses [[id#part|text]] and ![[picture.png]].
func (p *prose) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	rest := bytes.TrimPrefix(line, []byte("!"))
	inner, after, closed := strings.Cut(strings.TrimPrefix(string(rest), "[["), "]]")
	if !bytes.HasPrefix(rest, []byte("[[")) || !closed || strings.ContainsAny(inner, "[]\n") || strings.HasPrefix(after, "(") {
		return nil
	}
	id, shown, named := strings.Cut(inner, "|")
	if len(rest) < len(line) {
		if picture := p.picture(strings.TrimSpace(id), cmp.Or(shown, strings.TrimSpace(id))); picture != nil {
			block.Advance(len("![[]]") + len(inner))
			return picture
		}
	}
	id, part, _ := strings.Cut(id, "#")
	to, ok := p.site.find(strings.TrimSpace(id))
	if !ok {
		return nil
	}
	if !named {
		shown = strings.TrimSpace(id)
	}
	link := ast.NewLink()
	link.Destination = []byte(notePage(to, part))
	link.AppendChild(link, rawText(shown))
	block.Advance(len(line) - len(rest) + len("[[]]") + len(inner))
	return link
}

// mostPictures is how many bytes of pictures one page holds.
const mostPictures = 8 << 20

// picture returns a picture of the project, embedded in the page so that the page requests
// nothing; nil when the project has none of that name.
func (p *prose) picture(name, shown string) ast.Node {
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	kind, content := p.site.picture(name)
	if kind == "" || p.shown+len(content) > mostPictures {
		return nil
	}
	p.shown += len(content)
	img := ast.NewString(fmt.Appendf(nil, `<img src="data:%s;base64,%s" alt="%s" />`, kind, base64.StdEncoding.EncodeToString(content), template.HTMLEscapeString(shown)))
	img.SetCode(true) // written as it is
	return img
}

// notePage returns the link from one page of a note to another.
func notePage(id, part string) string {
	at := url.PathEscape(id) + ".html"
	if part = headingID(part); part != "" {
		at += "#" + part
	}
	return at
}

// headingID returns the id that goldmark gives to a heading.
func headingID(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r == ' ' || r == '-' || r == '_':
			return '-'
		}
		return -1
	}, strings.TrimSpace(heading))
}

// Transform implements [parser.ASTTransformer].
func (p *prose) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	source := reader.Source()
	if first, ok := doc.FirstChild().(*ast.Heading); ok && p.isTitle(first, source) {
		doc.RemoveChild(doc, first)
	}
	var found []ast.Node
	var above []int // levels of the headings that the present one stands below
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading: // below the title, and no level is left out
			for len(above) > 0 && above[len(above)-1] >= n.Level {
				above = above[:len(above)-1]
			}
			above = append(above, n.Level)
			n.Level = min(len(above)+1, 6)
		case *ast.Link, *ast.Image, *ast.AutoLink:
			found = append(found, n)
		case *east.TableCell:
			if _, ok := n.Parent().(*east.TableHeader); ok {
				n.SetAttributeString("scope", []byte("col"))
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range found {
		p.settleLink(n, source)
	}
}

// isTitle reports whether a heading has the words of the title, with its marks or without.
func (p *prose) isTitle(h *ast.Heading, source []byte) bool {
	return strings.TrimSpace(plainText(h, source)) == p.title || strings.TrimSpace(string(h.Lines().Value(source))) == p.title
}

// settleLink keeps, redirects or removes a link or picture.
func (p *prose) settleLink(n ast.Node, source []byte) {
	switch n := n.(type) {
	case *ast.AutoLink:
		if !isOutside(string(n.URL(source))) && n.AutoLinkType != ast.AutoLinkEmail {
			replaceNode(n, rawText(string(n.Label(source))))
			return
		}
		markOutside(n)
	case *ast.Image:
		shown := plainText(n, source)
		if picture := p.picture(string(n.Destination), shown); picture != nil {
			replaceNode(n, picture)
			return
		}
		if shown == "" {
			shown = "picture"
		}
		label := rawText(shown)
		if !isOutside(string(n.Destination)) || isInLink(n) {
			replaceNode(n, label)
			return
		}
		link := ast.NewLink()
		link.Destination = n.Destination
		link.AppendChild(link, label)
		replaceNode(n, link)
		markOutside(link)
	case *ast.Link:
		to := string(n.Destination)
		switch at, ok := p.page(to); {
		case ok:
			n.Destination = []byte(at)
		case isOutside(to):
			markOutside(n)
		case !strings.HasPrefix(to, "#"):
			unwrapLink(n)
		}
	}
}

// pageOfNote returns the page that a link to a note leads to.
func (p *prose) pageOfNote(to string) (at string, ok bool) {
	written, part, _ := strings.Cut(to, "#")
	file := written
	if plain, err := url.PathUnescape(file); err == nil {
		file = plain
	}
	file = strings.TrimPrefix(strings.TrimPrefix(file, "./"), "../notes/")
	switch {
	case strings.HasSuffix(file, ".html") && !strings.Contains(written, "/"):
		return to, p.isNote(strings.TrimSuffix(file, ".html"))
	case !strings.HasSuffix(file, ".md") || strings.Contains(file, "/"):
		return "", false
	}
	id, ok := p.site.find(strings.TrimSuffix(file, ".md"))
	return notePage(id, part), ok
}

// isNote reports whether a note has that id: Parse may have linked to its page.
func (p *prose) isNote(id string) bool {
	to, ok := p.site.find(id)
	return ok && to == id
}

// isOutside reports whether a link leads to the web or to a mailbox.
func isOutside(to string) bool {
	to = strings.ToLower(to)
	return strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://") || strings.HasPrefix(to, "mailto:")
}

// markOutside marks a link that leaves the site.
func markOutside(n ast.Node) { n.SetAttributeString("rel", []byte("external noopener noreferrer")) }

func isInLink(n ast.Node) bool {
	for up := n.Parent(); up != nil; up = up.Parent() {
		if up.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}

// rawText returns text that is escaped and otherwise shown as it is.
func rawText(text string) ast.Node {
	s := ast.NewString([]byte(text))
	s.SetRaw(true)
	return s
}

func replaceNode(old, by ast.Node) { old.Parent().ReplaceChild(old.Parent(), old, by) }

// unwrapLink replaces a link by its text.
func unwrapLink(n ast.Node) {
	up := n.Parent()
	for child := n.FirstChild(); child != nil; {
		next := child.NextSibling()
		up.InsertBefore(up, n, child)
		child = next
	}
	up.RemoveChild(up, n)
}

func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(source))
			}
		case *ast.String:
			if entering && !n.IsCode() {
				b.Write(n.Value)
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
