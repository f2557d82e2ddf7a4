// Package site renders notes as pages of HTML that open from a file: an index by
// type, a page for each tag and for each note. It is pure: what is to be shown goes
// in, pages come out.
//
// A page asks nobody for anything. Its style stands in it, allowed by its hash, and so do
// the script and the texts of the one page that searches;
// the content security policy allows nothing else; pictures of the project stand in it
// too, those of the web become links, and raw HTML in a note is shown as text. Pages are well-formed XML, so that a test can
// look at every element.
package site

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"net/url"
	"strings"
)

// Note is one note as its page shows it. Texts are safe to show: hidden characters
// are spelled out.
type Note struct {
	Entry
	Author     string
	Supersedes []Link
	Files      []string
	Problem    string // why its front matter cannot be used
	Body       string // Markdown
	Plain      bool   // the body is shown as it is
	Links      []Link
	Backlinks  []Link
}

// Entry is a note in a list.
type Entry struct {
	ID, Title, Type, Status string
	Day                     string // on which it was made, empty when it does not say
	Tags                    []string
}

// Link leads to a note, unless that is missing.
type Link struct {
	ID, Title string
	Missing   bool
}

// Group is the part of a list under one heading.
type Group struct {
	Name  string
	Notes []Entry
}

// Site renders the pages of one project.
type Site struct {
	project string
	tags    map[string]string // file of each tag
	find    func(ref string) (id string, ok bool)
	picture func(name string) (kind string, content []byte)
	pages   map[string]*template.Template // read when the first page is rendered
	found   []findable                    // the notes whose pages were rendered
}

// New makes the site of a project with the tags, in order. The function find says
// which note a link means, picture what a file of the project shows and its media type, empty
// when it is no picture.
func New(project string, tags []string, find func(ref string) (id string, ok bool), picture func(name string) (kind string, content []byte)) *Site {
	return &Site{project: project, tags: nameTagFiles(tags), find: find, picture: picture}
}

// File is the file of a note, from the top of the site.
func File(id string) string { return "notes/" + id + ".html" }

// notePath is the path to a note in a link, from the top of the site.
func notePath(id string) string { return "notes/" + url.PathEscape(id) + ".html" }

// TagFile is the file of a tag, from the top of the site.
func (s *Site) TagFile(tag string) string { return "tags/" + s.tags[tag] }

// nameTagFiles gives each tag a file name that is safe everywhere.
func nameTagFiles(tags []string) map[string]string {
	files, taken := map[string]string{}, map[string]bool{}
	for _, tag := range tags {
		name := strings.Trim(strings.Map(fileLetter, strings.ToLower(tag)), "-")
		if name = "tag-" + name[:min(len(name), 50)]; taken[name] || name == "tag-" {
			sum := sha256.Sum256([]byte(tag))
			name += "-" + strings.ToLower(strings.Map(fileLetter, base64.RawURLEncoding.EncodeToString(sum[:9])))
		}
		taken[name] = true
		files[tag] = name + ".html"
	}
	return files
}

func fileLetter(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return '-'
}

// Index renders the first page: the notes by type, and the tags.
func (s *Site) Index(w io.Writer, types, tags []Group) error {
	count := 0
	for _, g := range types {
		count += len(g.Notes)
	}
	return s.render(w, "index", s.project, struct {
		Count       int
		Types, Tags []Group
	}{count, types, tags})
}

// Tag renders the page of a tag.
func (s *Site) Tag(w io.Writer, tag Group) error {
	return s.render(w, "tag", "Tag "+tag.Name, tag.Notes)
}

// Page renders the page of a note.
func (s *Site) Page(w io.Writer, n Note) error {
	body, err := s.Body(n)
	if err != nil {
		return err
	}
	s.found = append(s.found, makeFindable(n, body))
	return s.render(w, "note", n.Title, struct {
		Note
		Prose template.HTML
	}{n, body})
}

// frame is what the template around every page shows; Main is what the page shows.
type frame struct {
	*Site
	Project, Title string
	Below          bool // it lies below the top of the site
	Style          template.CSS
	StyleSum       string
	Script         template.JS
	ScriptSum      string // empty on a page that has no script
	Main           any
}

//go:embed site.css
var style string

//go:embed search.js
var script string

// render writes a page by the template of that name.
func (s *Site) render(w io.Writer, name, title string, main any) error {
	if s.pages == nil {
		s.pages = parsePages()
	}
	f := frame{
		Site: s, Project: s.project, Title: title, Below: name == "note" || name == "tag",
		Style: template.CSS(style), StyleSum: hashOf(style), Main: main,
	}
	if name == "search" {
		f.Script, f.ScriptSum = template.JS(script), hashOf(script)
	}
	return s.pages[name].Execute(w, f)
}

// hashOf is the hash by which a policy allows a text.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// templates are the pages, as html/template reads them: it knows for each place of a
// page how a value is escaped there.
//
//go:embed templates/*.html
var templates embed.FS

// parsePages reads the templates: each page by its name, in the frame that all have.
func parsePages() map[string]*template.Template {
	around := template.Must(template.New("frame.html").Funcs(template.FuncMap{"path": notePath}).ParseFS(templates, "templates/frame.html"))
	pages := map[string]*template.Template{}
	for _, name := range []string{"index", "tag", "note", "search"} {
		pages[name] = template.Must(template.Must(around.Clone()).ParseFS(templates, "templates/"+name+".html"))
	}
	return pages
}
