package notebook

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/errors"
)

// Filter says which notes to list.
type Filter struct {
	Selection
	Sort string `json:"sort,omitempty" jsonschema:"newest (default) or title"`
	Paging
	Review   bool   `json:"review,omitempty" jsonschema:"instead, what deserves a look"`
	Proposed bool   `json:"-"` // of a review: only proposals, however new
	Begun    bool   `json:"-"` // with the beginnings of the texts
	Order    string `json:"-"` // instead of Sort: title, type, status, author or age, from the end after a minus
}

// Selection says which notes a list or a search is about.
type Selection struct {
	Type  string   `json:"type,omitempty"`
	Tags  []string `json:"tags,omitempty" jsonschema:"all of them"`
	Since string   `json:"since,omitempty" jsonschema:"2026-01-31, 7d or 12h"`
	About Facts    `json:"-"`
}

// Paging says how much of an answer to show, and where it begins.
type Paging struct {
	Limit     int    `json:"limit,omitempty"`
	MaxTokens int    `json:"max_tokens,omitempty"`
	Cursor    string `json:"cursor,omitempty"`
	Whole     bool   `json:"-"` // bounded by Limit alone, or unbounded if that is negative: for the terminal
}

// addBeginnings fills in how the texts of notes begin.
func (nb *Notebook) addBeginnings(notes []result.Row, of []index.Row) {
	texts := nb.store.Texts()
	defer texts.Close()
	read := BodyReader(texts.Read)
	for i := range notes {
		body, _ := read(of[i])
		begins := strings.TrimPrefix(note.Beginning(body, beginning), of[i].Title) // a text without a title begins with it
		notes[i].Begins = note.ShowLabel(strings.TrimLeft(begins, " .:"), beginning)
	}
}

// beginning is how many characters of the text of a note a list shows.
const beginning = 160

// listLimit is the default number of notes in a list.
const listLimit = 50

// List returns notes without a query.
func (nb *Notebook) List(ctx context.Context, f Filter) (r result.Rows, err error) {
	defer nb.NameProject(&err)
	if f.Sort != "" && f.Sort != "newest" && f.Sort != "title" {
		return r, errors.BadValue("sort", f.Sort, "newest or title")
	}
	f.Limit = cmp.Or(f.Limit, listLimit)
	window, filter, err := nb.openWindow(ctx, "list\x00"+f.Sort+f.Order, f.Selection, f.Paging)
	if err != nil {
		return r, err
	}
	rows, total := nb.listRows(filter, f, window)
	r = result.Rows{About: nb.About(), Notes: []result.Row{}, Total: total}
	show := nb.shown()
	for _, found := range rows {
		row := show.row(found)
		if !window.MakeRoom(len(row.Line())) {
			break
		}
		r.Notes = append(r.Notes, row)
	}
	if f.Begun {
		nb.addBeginnings(r.Notes, rows)
	}
	if total == 0 {
		r.Warnings = append(r.Warnings, nb.unusedWords(f.Selection)...)
	}
	r.More, r.Cursor = window.CountRest(len(r.Notes), total)
	if r.Cursor == "" {
		r.OfBranch, _, _ = nb.replica().Leftovers(ctx, false)
	}
	return r, nil
}

// unusedWords returns a warning for the type and each tag of s that no note has but that resembles
// one in use.
func (nb *Notebook) unusedWords(s Selection) (warnings []string) {
	if s.Type == "" && len(s.Tags) == 0 {
		return nil
	}
	used := nb.facets.at(nb.index.Version(), nb.index.CountFacets)
	compare := func(what, word string, used []result.Facet) {
		var words []string
		for _, f := range used {
			words = append(words, f.Word)
		}
		near := errors.Near(word, words...)
		if len(near) > 0 && !slices.Contains(words, word) {
			warnings = append(warnings, fmt.Sprintf("no note has the %s %s; did you mean %s?", what,
				errors.Quote(word), errors.List(errors.Lines(near, 3, note.WordLimit), 3)))
		}
	}
	if s.Type != "" {
		compare("type", note.TypeOf(s.Type), used.Types)
	}
	for _, tag := range s.Tags {
		compare("tag", tag, used.Tags)
	}
	return warnings
}

// listRows returns the rows of a window and the total number of notes that pass the filter.
func (nb *Notebook) listRows(filter index.Filter, f Filter, w result.Window) (rows []index.Row, total int) {
	column, backward := strings.CutPrefix(f.Order, "-")
	if f.Order == "" {
		return nb.index.List(filter, f.Sort == "title", w.From, w.Limit)
	}
	rows, total = nb.index.List(filter, column == "title", 0, math.MaxInt)
	if column != "title" && column != "age" {
		keys := make(map[string]string, total)
		for _, row := range rows {
			keys[row.Name] = sortKey(row, column)
		}
		slices.SortStableFunc(rows, func(a, b index.Row) int { return cmp.Compare(keys[a.Name], keys[b.Name]) })
	}
	if backward {
		slices.Reverse(rows)
	}
	return rows[min(w.From, total):min(w.From+w.Limit, total)], total
}

// sortKey returns what a column of the list shows of a note.
func sortKey(row index.Row, column string) string {
	switch column {
	case "type":
		return row.Type
	case "status":
		return ExtraOf(row).State()
	}
	return strings.ToLower(ExtraOf(row).Author)
}

// Facts narrow a list or a search further than its type and tags.
type Facts struct {
	Author string
	Status string // as [note.State] returns it
	Keep   string // name of a note that passes all the same
}

// pass reports whether a note has the author and the status of f, or is the one that f keeps.
func (f Facts) pass(row index.Row) bool {
	more := ExtraOf(row)
	if f.Keep != "" && f.Keep == strings.TrimPrefix(strings.TrimSuffix(row.Name, ".md"), "notes/") {
		return true
	}
	return (f.Author == "" || more.Author == f.Author) && (f.Status == "" || more.State() == f.Status)
}

// Facets counts the notes by type, tag, author and status.
func (nb *Notebook) Facets(ctx context.Context) (f result.Facets, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return f, err
	}
	return nb.facets.at(nb.index.Version(), nb.index.CountFacets), nil
}

// Tags lists the tags of all notes, with how many notes have each.
func (nb *Notebook) Tags(ctx context.Context) (t result.TagList, err error) {
	defer nb.NameProject(&err)
	f, err := nb.Facets(ctx)
	return result.TagList{About: nb.About(), Tags: f.Tags}, err
}

// completionTime bounds the time that a shell waits for the index to be brought in line.
const completionTime = time.Second

// KnownTags returns the tags that begin with start, for completion in a shell.
func (nb *Notebook) KnownTags(ctx context.Context, start string) []Choice {
	return completeWords(nb.facetsNow(ctx).Tags, start)
}

// KnownTypes returns the types that begin with start: those of the project, and those with a
// meaning.
func (nb *Notebook) KnownTypes(ctx context.Context, start string) []Choice {
	return completeWords(nb.facetsNow(ctx).Types, start, note.Types()...)
}

// facetsNow counts the notes as far as the index can be brought in line within a short time. It
// has to try because the index of a small project is not saved in a file.
func (nb *Notebook) facetsNow(ctx context.Context) result.Facets {
	ctx, stop := context.WithTimeout(ctx, completionTime)
	defer stop()
	f, err := nb.Facets(ctx)
	if err != nil {
		f = nb.index.CountFacets()
	}
	return f
}

// Graph returns every note, by title, and the links between them. A link counts as it does
// among the backlinks of a note.
func (nb *Notebook) Graph(ctx context.Context) (g result.Graph, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return g, err
	}
	g = result.Graph{About: nb.About(), Notes: []result.Node{}, Links: [][2]int{}}
	rows := nb.index.All(true)
	place := make(map[string]int, len(rows))
	for i, row := range rows {
		place[row.Name] = i
		g.Notes = append(g.Notes, result.Node{
			ID: row.ID, Title: note.ShowTitle(row.Title), Type: note.ShowWord(row.Type),
			Private: note.IsPrivate(row.Name), Superseded: row.Superseded,
		})
	}
	citing := map[string]int{} // the last note that cites a file
	for from, row := range rows {
		more := ExtraOf(row)
		for _, id := range more.Supersedes {
			if old := nb.index.Linked(id); len(old) == 1 {
				if to, ok := place[old[0].Name]; ok && to != from {
					g.Supersedes = append(g.Supersedes, [2]int{from, to})
				}
			}
		}
		for _, file := range more.Files {
			if other, ok := citing[file.Path]; ok && other != from {
				g.SameFile = append(g.SameFile, [2]int{other, from})
			}
			citing[file.Path] = from
		}
	}
	for to, row := range rows {
		for _, other := range nb.index.LinkingTo(row) {
			if from, ok := place[other.Name]; ok {
				g.Links = append(g.Links, [2]int{from, to})
			}
		}
	}
	return g, nil
}

// The functions below offer words for a command line that is being typed. They read the files
// or take what the index has counted, and change no note. A completion should cost little, and
// leaves out what cannot be read.

// Choice is a word that may stand on a command line, and what it means.
type Choice struct{ Word, Means string }

// titled is the maximum number of notes that are opened for their titles.
const titled = 500

// Notes returns the notes whose ids begin with start. It adds their titles if titles is set and
// there are not too many notes.
func (nb *Notebook) Notes(ctx context.Context, start string, titles bool) (found []Choice) {
	var names []string
	seen := map[string]bool{} // a name in both notes/ and private/ means the former
	for file, err := range nb.store.Files(ctx) {
		id := note.IDOf(file.Name)
		if err == nil && file.Problem == "" && strings.HasPrefix(id, start) && !seen[id] {
			seen[id] = true
			names = append(names, file.Name)
		}
	}
	for _, name := range names {
		choice := Choice{Word: note.IDOf(name)}
		if titles && len(names) <= titled {
			if data, _, err := nb.store.Read(name); err == nil {
				choice.Means = note.ShowTitle(note.ParseText(name, data).Title)
			}
		}
		found = append(found, choice)
	}
	return found
}

// TrashedNotes returns the notes in the trash whose ids begin with start.
func (nb *Notebook) TrashedNotes(start string) (found []Choice) {
	seen := map[string]bool{}
	trash, _ := nb.store.Trash()
	for _, file := range trash {
		id := note.IDOf(file.Name)
		if strings.HasPrefix(id, start) && !seen[file.Name] {
			found = append(found, Choice{Word: id, Means: "in the trash since " + result.FormatTime(file.Time)})
		}
		seen[file.Name] = true
	}
	return found
}

// Revisions returns the former revisions of a note that begin with start, newest first.
func (nb *Notebook) Revisions(ctx context.Context, id, start string) (found []Choice) {
	if some := nb.Notes(ctx, id, false); len(some) == 1 {
		id = some[0].Word
	}
	for _, private := range []bool{false, true} {
		past, err := nb.store.Revisions(note.FileOf(id, private))
		for _, rev := range past {
			if err == nil && strings.HasPrefix(rev.Revision, start) {
				found = append(found, Choice{rev.Revision, fmt.Sprintf("until %s, %s", result.FormatTime(rev.Time), result.Plural(int(rev.Size), "byte"))})
			}
		}
	}
	return found
}

// completeWords returns the words that begin with start and how many notes have each, and after
// them those of others that no note has.
func completeWords(words []result.Facet, start string, others ...string) (found []Choice) {
	for _, f := range words {
		if strings.HasPrefix(f.Word, start) {
			found = append(found, Choice{Word: f.Word, Means: result.Plural(f.Count, "note")})
		}
	}
	for _, word := range others {
		if strings.HasPrefix(word, start) && !slices.ContainsFunc(found, func(c Choice) bool { return c.Word == word }) {
			found = append(found, Choice{Word: word})
		}
	}
	return found
}

// openWindow opens a window on the selected notes for a call, which its words identify, and
// brings the index in line.
func (nb *Notebook) openWindow(ctx context.Context, call string, s Selection, p Paging) (w result.Window, filter index.Filter, err error) {
	filter = index.Filter{Type: note.TypeOf(s.Type), Tags: s.Tags}
	if s.About != (Facts{}) {
		filter.Pass = s.About.pass
	}
	if filter.Since, err = result.ParseSince(s.Since, nb.o.Now()); err != nil {
		return w, filter, err
	}
	call = strings.Join(append([]string{call, s.Type, s.Since, fmt.Sprint(s.About)}, s.Tags...), "\x00")
	if w, err = result.OpenWindow(call, p.Cursor, p.Limit, p.MaxTokens, p.Whole); err != nil {
		return w, filter, err
	}
	return w, filter, nb.refresh(ctx)
}
