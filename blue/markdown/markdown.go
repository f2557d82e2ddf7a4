// Package markdown renders the text of notes and documents: as HTML for pages, and as a syntax tree
// for terminals.
package markdown

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"strconv"
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
	"blue/blue/result"
)

// Parse returns the syntax tree of a text for a terminal, without a first heading that repeats the
// title. The result is nil for a text that should be shown as it is.
func Parse(title, body string) ast.Node {
	if note.TakesLongToParse(body) {
		return nil
	}
	source := []byte(body)
	doc := goldmark.New(goldmark.WithExtensions(extension.Linkify, extension.Table)).Parser().Parse(text.NewReader(source))
	if first, ok := doc.FirstChild().(*ast.Heading); ok && strings.TrimSpace(string(first.Lines().Value(source))) == title {
		doc.RemoveChild(doc, first)
	}
	return doc
}

// HTML returns the body of a note, below a heading that is its title. Links to notes and
// documents lead to ID.html and PATH.html next to this page; these and links to the web are
// kept, other links are removed. Raw HTML is shown as text, a picture of the project is
// embedded, and any other picture becomes a link: nothing in the text makes the browser request
// anything.
func HTML(p *blue.Project, n result.Note) (template.HTML, error) {
	return (&prose{find: p.LinkTo, read: p.Picture}).body(n)
}

// DocumentHTML returns the text of a Markdown document rendered in the same way. Links to other
// documents lead to the paths that the function at returns. The result is empty for a text that
// should be shown as it is.
func DocumentHTML(p *blue.Project, d result.Document, at func(name, anchor string) string) (template.HTML, error) {
	text := d.Body()
	if !d.Markdown || note.TakesLongToParse(text) {
		return "", nil
	}
	page := func(to string) (string, bool) {
		name, anchor, ok := followLink(d.Path, to)
		return at(name, anchor), ok && p.HasDocument(name)
	}
	in := &prose{title: d.Title, page: page, find: findNone, read: func(string) (string, []byte) { return "", nil }}
	return in.render(text, parser.WithContext(parser.NewContext(parser.WithIDs(headingIDs(anchorsOf(d.Parts))))))
}

// followLink returns the path, relative to the top of the project, that a link in a document
// leads to.
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

// anchorsOf returns a function that returns the anchor of each heading of a text, called in
// order.
func anchorsOf(parts []result.Part) func(heading string) string {
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
		return "heading:" + strconv.Itoa(unknown) // no anchor contains a colon
	}
}

// body renders the text of a note. It keeps only links to notes and to the web.
func (p *prose) body(n result.Note) (template.HTML, error) {
	if note.TakesLongToParse(n.Body) {
		return template.HTML("<pre>" + template.HTMLEscapeString(n.Body) + "</pre>\n"), nil
	}
	p.title, p.page = n.Title, p.pageOfNote
	return p.render(n.Body)
}

// CheckTask checks or clears a box of the task lists in the text of a note. The number counts the
// boxes in the order in which [HTML] renders them, from 0. It reports whether there is such a box.
func CheckTask(n result.Note, number int, done bool) (body string, ok bool) {
	if note.TakesLongToParse(n.Body) {
		return "", false
	}
	p := &prose{title: n.Title, find: findNone, read: func(string) (string, []byte) { return "", nil }}
	p.page = p.pageOfNote
	source, at := []byte(n.Body), -1
	_ = ast.Walk(p.markdown().Parser().Parse(text.NewReader(source)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if _, isBox := node.(*east.TaskCheckBox); isBox && entering {
			if number--; number == -1 {
				at = node.Parent().Lines().At(0).Start // a box begins the text of its item
				return ast.WalkStop, nil
			}
		}
		return ast.WalkContinue, nil
	})
	if at < 0 {
		return "", false
	}
	source[at+1] = ' '
	if done {
		source[at+1] = 'x'
	}
	return string(source), true
}

// headingIDs is a [parser.IDs] that derives the id of a heading from its text.
type headingIDs func(heading string) string

// Generate implements [parser.IDs].
func (ids headingIDs) Generate(heading []byte, _ ast.NodeKind) []byte {
	return []byte(ids(string(heading)))
}

// Put implements [parser.IDs].
func (ids headingIDs) Put([]byte) {}

// prose is a goldmark extension with the features of note pages.
type prose struct {
	find  func(ref string) result.Link                    // returns the note that a link refers to
	read  func(name string) (kind string, content []byte) // returns a picture, or an empty kind
	page  func(to string) (at string, ok bool)            // returns the page of an inside link
	title string
	shown int // bytes of embedded pictures
}

// render renders a text in Markdown.
func (p *prose) render(text string, options ...parser.ParseOption) (template.HTML, error) {
	var b bytes.Buffer
	err := p.markdown().Convert([]byte(text), &b, options...)
	return template.HTML(b.String()), err
}

// markdown returns the parser and renderer of a text.
func (p *prose) markdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Strikethrough, extension.Linkify, extension.TaskList, extension.Footnote,
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(),
			parser.WithInlineParsers(util.Prioritized(p, 150)), // links have 200
			parser.WithASTTransformers(util.Prioritized(p, 900))),
		goldmark.WithRendererOptions(gmhtml.WithXHTML(), renderer.WithNodeRenderers(util.Prioritized(p, 100))), // instead of 500 and 1000
	)
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
	to := p.find(strings.TrimSpace(id))
	if to.Missing {
		return nil
	}
	link := ast.NewLink()
	if !named {
		shown = cmp.Or(to.Title, to.ID)
		link.Title = []byte(to.ID)
	}
	link.Destination = []byte(notePage(to.ID, part))
	link.AppendChild(link, rawText(shown))
	block.Advance(len(line) - len(rest) + len("[[]]") + len(inner))
	return link
}

// mostPictures is how many bytes of pictures one page embeds.
const mostPictures = 8 << 20

// picture returns a picture of the project, embedded so that the page requests nothing. It
// returns nil if the project has no such picture.
func (p *prose) picture(name, shown string) ast.Node {
	kind, content := p.read(note.UnescapePath(name))
	if kind == "" || p.shown+len(content) > mostPictures {
		return nil
	}
	p.shown += len(content)
	img := ast.NewString(fmt.Appendf(nil, `<img src="data:%s;base64,%s" alt="%s" />`, kind, base64.StdEncoding.EncodeToString(content), template.HTMLEscapeString(shown)))
	img.SetCode(true) // written as it is
	return img
}

// notePage returns the link from one note page to another.
func notePage(id, part string) string {
	at := url.PathEscape(id) + ".html"
	if part = headingID(part); part != "" {
		at += "#" + part
	}
	return at
}

// headingID returns the id that goldmark generates for a heading.
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
	if first, ok := doc.FirstChild().(*ast.Heading); ok { // the title, with or without its markup
		if strings.TrimSpace(plainText(first, source)) == p.title || strings.TrimSpace(string(first.Lines().Value(source))) == p.title {
			doc.RemoveChild(doc, first)
		}
	}
	var found []ast.Node
	var above []int // levels of the headings above the current one
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading: // below the title, without gaps between levels
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
	file, part, _ := strings.Cut(to, "#")
	if id, made := strings.CutSuffix(note.UnescapePath(file), ".html"); made && !strings.Contains(file, "/") {
		found := p.find(id) // Parse may have linked to its page
		return to, !found.Missing && found.ID == id
	}
	id, ok := note.IDOfPath(file)
	found := p.find(id)
	return notePage(found.ID, part), ok && !found.Missing
}

// findNone finds no note.
func findNone(ref string) result.Link { return result.Link{ID: ref, Missing: true} }

// isOutside reports whether a link leads to the web or to a mailbox.
func isOutside(to string) bool {
	to = strings.ToLower(to)
	return strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://") || strings.HasPrefix(to, "mailto:")
}

// markOutside marks a link that leaves the page.
func markOutside(n ast.Node) { n.SetAttributeString("rel", []byte("external noopener noreferrer")) }

func isInLink(n ast.Node) bool {
	for up := n.Parent(); up != nil; up = up.Parent() {
		if up.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}

// rawText returns a node whose text is escaped and otherwise not interpreted.
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

// RegisterFuncs implements [renderer.NodeRenderer]: it renders raw HTML as text, and a check
// box as a symbol.
func (p *prose) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHTMLBlock, renderHTMLBlock)
	r.Register(ast.KindRawHTML, renderRawHTML)
	r.Register(east.KindTaskCheckBox, renderCheckBox)
}

func renderHTMLBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if b := n.(*ast.HTMLBlock); entering {
		if b.HasClosure() {
			b.Lines().Append(b.ClosureLine)
		}
		if shown := withoutComment(string(b.Lines().Value(source))); shown != "" {
			_, _ = w.WriteString("<pre><code>" + string(util.EscapeHTML([]byte(shown))) + "</code></pre>\n")
		}
	}
	return ast.WalkSkipChildren, nil
}

func renderRawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		text := n.(*ast.RawHTML).Segments.Value(source)
		_, _ = w.Write(util.EscapeHTML([]byte(withoutComment(string(text)))))
	}
	return ast.WalkSkipChildren, nil
}

// withoutComment returns "" if a text is a single comment, which readers of a page would not
// see anyway.
func withoutComment(text string) string {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "<!--") && strings.Index(trimmed, "-->") == len(trimmed)-3 {
		return ""
	}
	return text
}

func renderCheckBox(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		sign := `<span role="img" aria-label="not done">☐</span> `
		if n.(*east.TaskCheckBox).IsChecked {
			sign = `<span role="img" aria-label="done">☑</span> `
		}
		_, _ = w.WriteString(sign)
	}
	return ast.WalkContinue, nil
}
