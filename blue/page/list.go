package page

import (
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"blue/blue"
	"blue/blue/result"
)

// Rows per page; scrolling loads more.
const (
	listRows   = 100
	searchRows = 10 // as at the terminal, so that both show the same documents
	allTokens  = 10000
)

// listView shows a list of notes or the results of a search. Listed notes are hits without passages.
type listView struct {
	result.Hits
	blue.Facts
	Text, Sort, Type, Tag string // as requested
	In                    string // restricts a search to documents or commits
	Trashed               string // the note just moved to the trash
	Searching             bool
	Above                 []result.ShelfHit // documents shown above the notes if no note matches
	Also                  []result.ShelfHit // other documents, and commits
	Documents, Commits    *result.Shelf     // counts, nil if unknown
	Facets                result.Facets
	Untrusted             bool
	View                  string // cards or table, if the URL says which
	Table                 bool
	Tree                  *result.Documents // nil for no outline of documents
}

// Rows returns the notes.
func (v *listView) Rows() []result.Hit { return v.Hits.Hits }

// Others counts the documents and the commits that are shown with the notes.
func (v *listView) Others() string {
	var all []string
	for _, kind := range []string{result.KindDocument, result.KindCommit} {
		n := 0
		for _, b := range slices.Concat(v.Above, v.Also) {
			if b.Kind == kind {
				n++
			}
		}
		if n > 0 {
			all = append(all, result.Plural(n, kind))
		}
	}
	return strings.Join(all, ", ")
}

// list shows all notes or the results of a search.
func (s *server) list(r *http.Request, p *blue.Project) (screen, error) {
	q := r.URL.Query()
	v := &listView{
		Facts: blue.Facts{Author: q.Get("author"), Status: q.Get("status"), Keep: q.Get("changed")},
		Text:  q.Get("q"), Sort: q.Get("sort"), View: q.Get("view"), Type: q.Get("type"), Tag: q.Get("tag"), In: q.Get("in"), Trashed: q.Get("trashed"),
	}
	v.Searching = strings.TrimSpace(v.Text) != ""
	title, fill := v.Text, v.search
	if !v.Searching {
		title, fill, v.In = "Notes", v.listAll, ""
	}
	v.Table = !v.Searching && (v.View == "table" || v.View == "" && remembered(r, "blue-rows") == "table")
	v.Untrusted = !p.Trusted()
	var err error
	if v.Facets, err = p.Facets(r.Context()); err != nil {
		return screen{}, err
	}
	if !v.Searching && len(v.Narrowed()) == 0 && !q.Has("cursor") {
		v.Documents, v.Commits = p.CountShelves(r.Context())
	}
	if !s.o.Served && !q.Has("cursor") {
		if docs, err := p.ListDocuments(r.Context(), "", 0); err == nil && docs.Count > 0 {
			v.Tree = &docs
		}
	}
	return screen{view: "list", title: title, main: v}, fill(r, p)
}

// filter returns the filter that the query parameters describe.
func (v *listView) filter(r *http.Request) blue.Filter {
	f := blue.Filter{
		Selection: blue.Selection{Type: v.Type, About: v.Facts}, Order: v.Sort,
		Paging: blue.Paging{Limit: listRows, MaxTokens: allTokens, Cursor: r.URL.Query().Get("cursor")},
	}
	if v.Tag != "" {
		f.Tags = []string{v.Tag}
	}
	return f
}

func (v *listView) listAll(r *http.Request, p *blue.Project) error {
	f := v.filter(r)
	f.Begun = v.Table
	list, err := p.List(r.Context(), f)
	for _, row := range list.Notes {
		v.Hits.Hits = append(v.Hits.Hits, result.Hit{Row: row})
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
	v.Above, v.Also = v.Around()
	v.Warnings = slices.DeleteFunc(v.Warnings, func(warning string) bool { return slices.Contains(p.About().Warnings, warning) })
	return err
}

// asked returns the parameters of the list's URL.
func (v *listView) asked() map[string]string {
	return map[string]string{"view": v.View, "q": v.Text, "type": v.Type, "tag": v.Tag, "author": v.Author, "status": v.Status, "in": v.In, "sort": v.Sort}
}

// Path returns the URL of the list with one parameter changed.
func (v *listView) Path(name, value string) string {
	q := url.Values{}
	all := v.asked()
	all[name] = value
	if name == "cursor" {
		all["changed"] = v.Keep
	}
	for key, asked := range all {
		if asked != "" {
			q.Set(key, asked)
		}
	}
	return "/?" + q.Encode()
}

// Query returns the parameters of the list's URL, encoded.
func (v *listView) Query() template.URL {
	return template.URL(strings.TrimPrefix(v.Path("cursor", ""), "/?"))
}

// Statuses returns the statuses to choose from in the table for a note of a type: those that the type takes
// and, but for a decision, words of the project that are in use. The present one of a note is spelled as
// it is there.
func (v *listView) Statuses(kind, now string) []string {
	all, known := blue.StatusesOf(kind), append(blue.Statuses(), blue.Done)
	for _, f := range v.Facets.Statuses {
		if kind != blue.TypeDecision && !slices.Contains(known, f.Word) {
			all = append(all, f.Shown)
		}
	}
	isNow := func(status string) bool { return strings.EqualFold(status, now) }
	if at := slices.IndexFunc(all, isNow); at >= 0 {
		all[at] = now
		return all
	}
	return append([]string{now}, all...)
}

// Narrowed returns the URL parameters that narrow the list: a search keeps them.
func (v *listView) Narrowed() map[string]string {
	all := v.asked()
	maps.DeleteFunc(all, func(name, asked string) bool { return name == "q" || name == "sort" || name == "view" || asked == "" })
	return all
}

// sortOrders are the orders of the list. A minus before a name reverses it.
var sortOrders = []struct{ Name, Title string }{
	{"", "Newest first"}, {"-age", "Oldest first"}, {"title", "By title"}, {"type", "By type"}, {"status", "By status"}, {"author", "By author"},
}

// Orders returns the orders to choose from, including the current one.
func (v *listView) Orders() []struct{ Name, Title string } {
	for _, o := range sortOrders {
		if name, backward := strings.CutPrefix(v.Sort, "-"); backward && name == o.Name {
			return append(slices.Clone(sortOrders), struct{ Name, Title string }{v.Sort, o.Title + ", from the end"})
		}
	}
	return sortOrders
}

// tableColumn is the head of a column of the table: a link that sorts by it.
type tableColumn struct{ Title, Sorted, Path string }

// Columns returns the columns of the table. The column that the list is sorted by links to the
// reverse order.
func (v *listView) Columns() (all []tableColumn) {
	for _, name := range []string{"title", "type", "status", "author", "age"} {
		c, order := tableColumn{Title: strings.ToUpper(name[:1]) + name[1:]}, name
		if name == "age" {
			order = "" // newest first is the default
		}
		switch backward := "-" + name; v.Sort {
		case order:
			c.Sorted, order = "ascending", backward
		case backward:
			c.Sorted = "descending"
		}
		c.Path = v.Path("sort", order)
		all = append(all, c)
	}
	return all
}

// facetGroup is a group of filter values, such as types or tags.
type facetGroup struct {
	Name, Title, Chosen string
	Words               []result.Facet
}

// firstFacets is how many values of a group the outline shows at once.
const firstFacets = 10

// First returns the most frequent values of a group, with the chosen one.
func (g facetGroup) First() []result.Facet {
	first := slices.Clone(g.Words[:min(len(g.Words), firstFacets)])
	for _, f := range g.Others() {
		if f.Word == g.Chosen {
			first = append(first, f)
		}
	}
	return first
}

// Others returns the less frequent values of a group.
func (g facetGroup) Others() []result.Facet { return g.Words[min(len(g.Words), firstFacets):] }

// facetChoice is a value in the outline, with a link that narrows the list to it, or no longer.
type facetChoice struct {
	result.Facet
	Group, Path string
	Chosen      bool
}

// Choice returns a value of a group as the outline shows it.
func (v *listView) Choice(g facetGroup, f result.Facet) facetChoice {
	c := facetChoice{Facet: f, Group: g.Name, Chosen: f.Word == g.Chosen}
	c.Path = v.Path(g.Name, choose(c.Chosen, "", f.Word))
	return c
}

// Groups returns the filter groups of the list. A group with a single value is left out.
func (v *listView) Groups() []facetGroup {
	if v.In != "" {
		return nil
	}
	groups := []facetGroup{
		{"type", "Types", v.Type, v.Facets.Types}, {"status", "Statuses", v.Status, v.Facets.Statuses},
		{"tag", "Tags", v.Tag, v.Facets.Tags}, {"author", "Authors", v.Author, v.Facets.Authors},
	}
	return slices.DeleteFunc(groups, func(g facetGroup) bool { return len(g.Words) < 2 && g.Chosen == "" })
}
