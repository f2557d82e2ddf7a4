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

// Rows per page; scrolling loads more.
const (
	listRows   = 100
	searchRows = 10 // as at the terminal, so that both show the same documents
	allTokens  = 10000
)

// listView shows a list of notes or the results of a search. Listed notes are hits without passages.
type listView struct {
	blue.Hits
	blue.Facts
	Text, Sort, Type, Tag string // as requested
	In                    string // restricts a search to documents or commits
	Trashed               string // the note just moved to the trash
	Searching             bool
	Above                 []blue.Beside // documents shown above the notes if no note matches
	Also                  []blue.Beside // other documents, and commits
	Documents, Commits    *blue.Shelf   // counts, nil if unknown
	Facets                blue.Facets
	Untrusted             bool
	ToReview              int   // unreviewed notes of others; 0 for a search
	At                    int64 // when the list was made, in Unix nanoseconds
}

// Rows returns the notes.
func (v *listView) Rows() []blue.Hit { return v.Hits.Hits }

// list shows all notes or the results of a search.
func (s *server) list(r *http.Request, p *blue.Project) (screen, error) {
	q := r.URL.Query()
	v := &listView{
		Facts: blue.Facts{Author: q.Get("author"), Status: q.Get("status"), Unreviewed: q.Has("unreviewed")},
		Text:  q.Get("q"), Sort: q.Get("sort"), Type: q.Get("type"), Tag: q.Get("tag"), In: q.Get("in"), Trashed: q.Get("trashed"),
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

// filter returns the filter that the query parameters describe.
func (v *listView) filter(r *http.Request) blue.Filter {
	f := blue.Filter{
		Selection: blue.Selection{Type: v.Type, About: v.Facts}, Sort: v.Sort,
		Paging: blue.Paging{Limit: listRows, MaxTokens: allTokens, Cursor: r.URL.Query().Get("cursor")},
	}
	if v.Tag != "" {
		f.Tags = []string{v.Tag}
	}
	return f
}

func (v *listView) listAll(r *http.Request, p *blue.Project) error {
	list, err := p.List(r.Context(), v.filter(r))
	for _, row := range list.Notes {
		v.Hits.Hits = append(v.Hits.Hits, blue.Hit{Row: row})
	}
	v.Total, v.More, v.Cursor, v.Reading = list.Total, list.More, list.Cursor, list.Reading
	return err
}

func (v *listView) search(r *http.Request, p *blue.Project) (err error) {
	f := v.filter(r)
	f.Limit = searchRows
	var in []string
	if v.In != "" {
		in = []string{v.In}
	}
	v.Hits, err = p.Search(r.Context(), blue.Query{
		In: in, Text: v.Text, Selection: f.Selection, Paging: f.Paging, Prefix: true, Brief: true,
	})
	v.Above, v.Also = v.Beside()
	v.Warnings = slices.DeleteFunc(v.Warnings, func(warning string) bool { return slices.Contains(p.About().Warnings, warning) })
	return err
}

// asked returns the parameters of the list's URL.
func (v *listView) asked() map[string]string {
	all := map[string]string{"q": v.Text, "type": v.Type, "tag": v.Tag, "author": v.Author, "status": v.Status, "in": v.In, "sort": v.Sort}
	if v.Unreviewed {
		all["unreviewed"] = "1"
	}
	return all
}

// Path returns the URL of the list with one parameter changed.
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

// Narrowed returns the URL parameters that narrow the list: a search keeps them.
func (v *listView) Narrowed() map[string]string {
	all := v.asked()
	maps.DeleteFunc(all, func(name, asked string) bool { return name == "q" || name == "sort" || asked == "" })
	return all
}

// facetGroup is a group of filter values, such as types or tags.
type facetGroup struct {
	Name, Title, Chosen string
	Words               []blue.Facet
}

// Groups returns the filter groups of the list. A group with a single value is left out.
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
