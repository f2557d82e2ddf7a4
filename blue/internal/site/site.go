// Package site renders notes as pages of HTML that open from a file: an index by
// type, a page for each tag and for each note. It is pure: what is to be shown goes
// in, pages come out.
//
// A page asks nobody for anything. Its style stands in it, allowed by its hash;
// the content security policy allows nothing else; pictures become links, and raw
// HTML in a note is shown as text. Pages are well-formed XML, so that a test can
// look at every element.
package site

import (
	"crypto/sha256"
	_ "embed" // the style and the pages
	"encoding/base64"
	"io"
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
}

// New makes the site of a project with the tags, in order. The function find says
// which note a link means.
func New(project string, tags []string, find func(ref string) (id string, ok bool)) *Site {
	return &Site{project: project, tags: tagFiles(tags), find: find}
}

// File is the file of a note, from the top of the site.
func File(id string) string { return "notes/" + id + ".html" }

// TagFile is the file of a tag, from the top of the site.
func (s *Site) TagFile(tag string) string { return "tags/" + s.tags[tag] }

// tagFiles gives each tag a file name that is safe everywhere.
func tagFiles(tags []string) map[string]string {
	files, taken := map[string]string{}, map[string]bool{}
	for _, tag := range tags {
		name := strings.Trim(strings.Map(plain, strings.ToLower(tag)), "-")
		if name = "tag-" + name[:min(len(name), 50)]; taken[name] || name == "tag-" {
			sum := sha256.Sum256([]byte(tag))
			name += "-" + strings.ToLower(strings.Map(plain, base64.RawURLEncoding.EncodeToString(sum[:9])))
		}
		taken[name] = true
		files[tag] = name + ".html"
	}
	return files
}

func plain(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return '-'
}

//go:embed site.css
var style string

// Index renders the first page: the notes by type, and the tags.
func (s *Site) Index(w io.Writer, types, tags []Group) error {
	count := 0
	for _, g := range types {
		count += len(g.Notes)
	}
	main := markup("<h1>%s</h1>\n<p class=\"soft\">%d notes</p>\n", s.project, count)
	if len(tags) > 0 {
		main += markup("<nav aria-label=\"Tags\">\n<h2>Tags</h2>\n<ul class=\"tags\">\n")
		for _, tag := range tags {
			main += markup("<li><a href=\"%s\">%s</a> <span class=\"soft\">%d</span></li>\n", ref("", s.TagFile(tag.Name)), tag.Name, len(tag.Notes))
		}
		main += "</ul>\n</nav>\n"
	}
	for _, g := range types {
		main += markup("<section>\n<h2>%s</h2>\n%s</section>\n", g.Name, list("", g.Notes))
	}
	return s.write(w, s.project, "", main)
}

// Tag renders the page of a tag.
func (s *Site) Tag(w io.Writer, tag Group) error {
	title := "Tag " + tag.Name
	return s.write(w, title, "../", markup("<h1>%s</h1>\n%s", title, list("../", tag.Notes)))
}

// Body renders the text of a note without a page around it.
func (s *Site) Body(n Note) (string, error) {
	body, err := s.markdown(n)
	return string(body), err
}

// Page renders the page of a note.
func (s *Site) Page(w io.Writer, n Note) error {
	body, err := s.markdown(n)
	if err != nil {
		return err
	}
	main := markup("<h1>%s</h1>\n%s<article>\n%s</article>\n", n.Title, s.facts(n), body)
	for _, part := range []struct {
		name  string
		links []Link
	}{{"Replaces", n.Supersedes}, {"Links", n.Links}, {"Linked from", n.Backlinks}} {
		if len(part.links) > 0 {
			main += markup("<section>\n<h2>%s</h2>\n%s</section>\n", part.name, links(part.links))
		}
	}
	return s.write(w, n.Title, "../", main)
}
