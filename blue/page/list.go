package page

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"blue/blue"
)

// Rows of one page of a list; what is more comes when it is scrolled to.
const (
	listRows   = 100
	searchRows = 10 // as at the terminal, for the same documents to stand with them
	allTokens  = 10000
)

// listView is a list of notes, or what a search found.
type listView struct {
	Text, Sort string // what was asked for
	Type, Tag  string
	Author     string
	Status     string
	In         string // documents or commits alone
	Unreviewed bool
	Trashed    string // a note that has just been moved to the trash
	Searching  bool
	Rows       []blue.Hit
	Total      int
	Searched   int
	More       int
	Cursor     string // to the rows that follow
	Unmatched  []string
	Repaired   map[string][]string
	Above      []blue.Beside // documents that answer where no note does
	Also       []blue.Beside // other documents, and commits
	Documents  *blue.Shelf   // how many there are, nil where that is not told, as Commits
	Commits    *blue.Shelf
	Empty      bool     // there are no notes
	Reading    []string // how far what is shown has been read
	Warnings   []string // of the search alone
	Facets     blue.Facets
	Untrusted  bool
	ToReview   int   // notes that came from others since the person last looked; not counted for a search
	At         int64 // when the list was made, in nanoseconds
}

// list shows the notes, or those that a search finds.
func (s *server) list(r *http.Request, p *blue.Project) (screen, error) {
	q := r.URL.Query()
	v := &listView{
		Text: q.Get("q"), Type: q.Get("type"), Tag: q.Get("tag"), Author: q.Get("author"), Status: q.Get("status"), In: q.Get("in"), Unreviewed: q.Has("unreviewed"),
		Sort: q.Get("sort"), Trashed: q.Get("trashed"),
	}
	v.Searching = strings.TrimSpace(v.Text) != ""
	title, fill := v.Text, v.search
	if !v.Searching {
		title, fill, v.In = "Notes", v.listAll, ""
	}
	v.Untrusted, v.At = !p.Trusted(), time.Now().UnixNano()
	var err error
	if v.Facets, err = p.Facets(r.Context()); err != nil {
		return screen{}, err
	}
	if !v.Searching {
		v.ToReview = p.CountUnreviewed()
	}
	if !v.Searching && len(v.Narrowed()) == 0 && !q.Has("cursor") {
		v.Documents, v.Commits = p.CountBeside(r.Context())
	}
	return screen{view: "list", title: title, main: v}, fill(r, p)
}

// filter is what the notes must have.
func (v *listView) filter(r *http.Request) blue.Filter {
	f := blue.Filter{
		Type: v.Type, About: blue.Facts{Author: v.Author, Status: v.Status, Unreviewed: v.Unreviewed}, Sort: v.Sort,
		Limit: listRows, MaxTokens: allTokens, Cursor: r.URL.Query().Get("cursor"),
	}
	if v.Tag != "" {
		f.Tags = []string{v.Tag}
	}
	return f
}

func (v *listView) listAll(r *http.Request, p *blue.Project) error {
	list, err := p.List(r.Context(), v.filter(r))
	for _, row := range list.Notes {
		v.Rows = append(v.Rows, blue.Hit{Row: row})
	}
	v.Total, v.More, v.Cursor, v.Reading = list.Total, list.More, list.Cursor, list.Reading
	return err
}

func (v *listView) search(r *http.Request, p *blue.Project) error {
	f := v.filter(r)
	var in []string
	if v.In != "" {
		in = []string{v.In}
	}
	found, err := p.Search(r.Context(), blue.Query{
		In: in, Text: v.Text, Type: f.Type, Tags: f.Tags, About: f.About, Limit: searchRows, MaxTokens: allTokens, Cursor: f.Cursor, Prefix: true, Brief: true,
	})
	v.Rows, v.Total, v.Searched, v.More, v.Cursor = found.Hits, found.Total, found.Searched, found.More, found.Cursor
	v.Unmatched, v.Repaired, v.Empty, v.Reading = found.Unmatched, found.Repaired, found.Empty, found.Reading
	v.Above, v.Also = found.Beside()
	v.Warnings = slices.DeleteFunc(found.Warnings, func(warning string) bool { return slices.Contains(p.About().Warnings, warning) })
	return err
}

// asked are the words that the address of the list has, by their names there.
func (v *listView) asked() map[string]string {
	all := map[string]string{"q": v.Text, "type": v.Type, "tag": v.Tag, "author": v.Author, "status": v.Status, "in": v.In, "sort": v.Sort}
	if v.Unreviewed {
		all["unreviewed"] = "1"
	}
	return all
}

// Path is the list with one thing asked for otherwise.
func (v *listView) Path(name, value string) string {
	q := url.Values{}
	all := v.asked()
	all[name] = value
	for key, asked := range all {
		if asked != "" {
			q.Set(key, asked)
		}
	}
	return "/?" + q.Encode()
}

// Narrowed are the words that narrow the list, by their names in its address: a search keeps
// them.
func (v *listView) Narrowed() map[string]string {
	all := v.asked()
	maps.DeleteFunc(all, func(name, asked string) bool { return name == "q" || name == "sort" || asked == "" })
	return all
}

// facetGroup is what a list can be narrowed by in one way.
type facetGroup struct {
	Name, Title, Chosen string
	Words               []blue.Facet
}

// Groups are the ways in which the notes of the list can be narrowed. One that has a single word
// narrows nothing.
func (v *listView) Groups() []facetGroup {
	if v.In != "" {
		return nil
	}
	groups := []facetGroup{
		{"type", "Type", v.Type, v.Facets.Types}, {"tag", "Tag", v.Tag, v.Facets.Tags},
		{"author", "Author", v.Author, v.Facets.Authors}, {"status", "Status", v.Status, v.Facets.Statuses},
	}
	return slices.DeleteFunc(groups, func(g facetGroup) bool { return len(g.Words) < 2 && g.Chosen == "" })
}
