package transfer

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html"
	"html/template"
	"io"
	"net/url"
	"regexp"
	"strings"

	"blue/blue"
	"blue/blue/internal/note"
)

// site renders notes as pages of HTML that open from a file: an index by type, and a page for
// each tag and each note.
//
// A page makes a browser request nothing. Its style stands in it, allowed by its hash, and so
// do the script and the texts of the one page that searches; the content security policy
// allows nothing else. Pictures of the project stand in the page too, those of the web become
// links, and raw HTML in a note is shown as text. Pages are well-formed XML, so that a test can
// look at every element.
type site struct {
	project string
	tags    map[string]string // file of each tag
	find    func(ref string) (id string, ok bool)
	picture func(name string) (kind string, content []byte)
	pages   map[string]*template.Template // parsed when the first page is rendered
	found   []findable                    // the notes whose pages were rendered
}

// sitePage is a note as its page shows it.
type sitePage struct {
	blue.Note
	Day      string      // on which it was made, empty when it does not say
	Replaces []blue.Link // the notes that it supersedes
	Prose    template.HTML
}

// group is the part of a list of notes under one heading.
type group struct {
	Name  string
	Notes []blue.Published
}

// newSite returns the site of a project with tags, in order. find returns the note that a link
// means, and picture the media type and content of a file of the project; the type is empty
// when it is no picture.
func newSite(project string, tags []string, find func(ref string) (id string, ok bool), picture func(name string) (kind string, content []byte)) *site {
	return &site{project: project, tags: nameTagFiles(tags), find: find, picture: picture}
}

// noteFile returns the file of a note, from the top of the site.
func noteFile(id string) string { return "notes/" + id + ".html" }

// notePath returns the path of a note in a link, from the top of the site.
func notePath(id string) string { return "notes/" + url.PathEscape(id) + ".html" }

// TagFile returns the file of a tag, from the top of the site.
func (s *site) TagFile(tag string) string { return "tags/" + s.tags[tag] }

// nameTagFiles returns a file name for each tag that is safe everywhere.
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

// renderIndex renders the first page: the notes by type, and the tags.
func (s *site) renderIndex(w io.Writer, types, tags []group) error {
	count := 0
	for _, g := range types {
		count += len(g.Notes)
	}
	return s.render(w, "index", s.project, struct {
		Count       int
		Types, Tags []group
	}{count, types, tags})
}

// renderTag renders the page of a tag.
func (s *site) renderTag(w io.Writer, tag group) error {
	return s.render(w, "tag", "Tag "+tag.Name, tag.Notes)
}

// renderNote renders the page of a note.
func (s *site) renderNote(w io.Writer, page sitePage) (err error) {
	if page.Prose, err = s.renderBody(page.Note); err != nil {
		return err
	}
	s.found = append(s.found, makeFindable(page))
	return s.render(w, "note", page.Title, page)
}

// mostText is how many characters of a note are searched.
const mostText = 20_000

// findable is a note on the page that searches.
type findable struct {
	ID    string   `json:"id"`
	Path  string   `json:"path"`
	Title string   `json:"title"`
	Type  string   `json:"type"`
	Day   string   `json:"day"`
	Tags  []string `json:"tags"`
	Text  string   `json:"text"`
	cut   bool     // the text is longer
}

// markup matches the tags of a page, which is well-formed; of a footnote, also its number and
// its way back.
var markup = regexp.MustCompile(`<sup id="fnref[^>]*>.*?</sup>|<a [^>]*footnote-backref[^>]*>.*?</a>|<[^>]*>`)

// makeFindable returns a note with the words of its page.
func makeFindable(n sitePage) findable {
	text := strings.Join(strings.Fields(html.UnescapeString(markup.ReplaceAllString(string(n.Prose), ""))), " ")
	f := findable{ID: n.ID, Path: notePath(n.ID), Title: n.Title, Type: n.Type, Day: n.Day, Tags: append([]string{}, n.Tags...), Text: text}
	if letters := []rune(text); len(letters) > mostText {
		f.Text, f.cut = string(letters[:mostText]), true
	}
	return f
}

// renderSearch renders the page that searches the notes whose pages were rendered.
func (s *site) renderSearch(w io.Writer) error {
	cut := 0
	for _, f := range s.found {
		if f.cut {
			cut++
		}
	}
	return s.render(w, "search", "Search", struct {
		Notes     []findable
		Cut, Most int
	}{s.found, cut, mostText})
}

// frame is what the template around every page shows; Main is what the page shows.
type frame struct {
	*site
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
func (s *site) render(w io.Writer, name, title string, main any) error {
	if s.pages == nil {
		s.pages = parsePages()
	}
	f := frame{
		site: s, Project: s.project, Title: title, Below: name == "note" || name == "tag",
		Style: template.CSS(style), StyleSum: hashOf(style), Main: main,
	}
	if name == "search" {
		f.Script, f.ScriptSum = template.JS(script), hashOf(script)
	}
	return s.pages[name].Execute(w, f)
}

// hashOf returns the hash by which a policy allows a text.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// templates are the pages. html/template escapes each value as its place in the page needs.
//
//go:embed templates/*.html
var templates embed.FS

// parsePages parses the templates: each page by its name, in the frame that all have.
func parsePages() map[string]*template.Template {
	around := template.Must(template.New("frame.html").Funcs(template.FuncMap{"path": notePath, "line": note.ShowLine}).ParseFS(templates, "templates/frame.html"))
	pages := map[string]*template.Template{}
	for _, name := range []string{"index", "tag", "note", "search"} {
		pages[name] = template.Must(template.Must(around.Clone()).ParseFS(templates, "templates/"+name+".html"))
	}
	return pages
}
