package page

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"blue/blue"
)

// Rows of one page of a list; what is more comes when it is scrolled to.
const (
	listRows   = 100
	searchRows = 30
	allTokens  = 10000
)

// listView is a list of notes, or what a search found.
type listView struct {
	Text, Type, Tag, Sort string // what was asked for
	Trashed               string // a note that has just been moved to the trash
	Searching             bool
	Rows                  []blue.Hit
	Total, Searched, More int
	Cursor                string // to the rows that follow
	Unmatched             []string
	Repaired              map[string][]string
	Also                  []blue.Beside // documents and commits
	Warnings              []string      // of the search alone
}

// list shows the notes, or those that a search finds.
func (s *server) list(r *http.Request, p *blue.Project) (screen, error) {
	q := r.URL.Query()
	v := &listView{Text: q.Get("q"), Type: q.Get("type"), Tag: q.Get("tag"), Sort: q.Get("sort"), Trashed: q.Get("trashed")}
	v.Searching = strings.TrimSpace(v.Text) != ""
	title, fill := "Notes", v.listAll
	if v.Searching {
		title, fill = v.Text, v.search
	}
	return screen{view: "list", title: title, main: v}, fill(r, p)
}

// tags are the tags that the notes must have.
func (v *listView) tags() []string {
	if v.Tag == "" {
		return nil
	}
	return []string{v.Tag}
}

func (v *listView) listAll(r *http.Request, p *blue.Project) error {
	list, err := p.List(r.Context(), blue.Filter{
		Type: v.Type, Tags: v.tags(), Sort: v.Sort, Limit: listRows, MaxTokens: allTokens, Cursor: r.URL.Query().Get("cursor"),
	})
	for _, row := range list.Notes {
		v.Rows = append(v.Rows, blue.Hit{Row: row})
	}
	v.Total, v.More, v.Cursor = list.Total, list.More, list.Cursor
	return err
}

func (v *listView) search(r *http.Request, p *blue.Project) error {
	found, err := p.Search(r.Context(), blue.Query{
		Text: v.Text, Type: v.Type, Tags: v.tags(), Limit: searchRows, MaxTokens: allTokens, Cursor: r.URL.Query().Get("cursor"), Prefix: true, Brief: true,
	})
	v.Rows, v.Total, v.Searched, v.More, v.Cursor = found.Hits, found.Total, found.Searched, found.More, found.Cursor
	v.Unmatched, v.Repaired, v.Also = found.Unmatched, found.Repaired, found.Also
	v.Warnings = slices.DeleteFunc(found.Warnings, func(warning string) bool { return slices.Contains(p.About().Warnings, warning) })
	return err
}

// Path is the list with one thing asked for otherwise.
func (v *listView) Path(name, value string) string {
	q := url.Values{}
	for key, asked := range map[string]string{"q": v.Text, "type": v.Type, "tag": v.Tag, "sort": v.Sort, name: value} {
		if asked != "" && (key != name || asked == value) {
			q.Set(key, asked)
		}
	}
	return "/?" + q.Encode()
}
