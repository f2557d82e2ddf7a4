package transfer

import (
	"io"
	"slices"
	"strings"

	"blue/blue"
	"blue/blue/internal/note"
)

// writeSite writes the notes as a site.
func (x *exporter) writeSite() error {
	tags := groupByWord(x.notes.Notes, tagsOf)
	names := make([]string, len(tags))
	for i, tag := range tags {
		names[i] = tag.Name
	}
	s := newSite(note.ShowLine(x.p.Ref().Name), names, func(ref string) (string, bool) {
		row, ok := x.notes.Find(ref)
		return row.ID, ok
	}, x.p.Picture)
	err := x.eachNote(func(row blue.Published, data []byte) error {
		x.out.Notes++
		page := x.sitePage(x.notes.Note(x.ctx, row, data))
		return x.to.writeFile(noteFile(row.ID), func(w io.Writer) error { return s.renderNote(w, page) })
	})
	if err != nil {
		return err
	}
	for _, tag := range tags {
		if err := x.to.writeFile(s.TagFile(tag.Name), func(w io.Writer) error { return s.renderTag(w, tag) }); err != nil {
			return err
		}
	}
	if err := x.to.writeFile("search.html", s.renderSearch); err != nil {
		return err
	}
	types := groupByWord(x.notes.Notes, typeOf)
	return x.to.writeFile("index.html", func(w io.Writer) error { return s.renderIndex(w, types, tags) })
}

// sitePage returns the page of a note, in which links to what is no note of the site lead
// nowhere.
func (x *exporter) sitePage(n blue.Note) sitePage {
	page := sitePage{Note: n, Day: n.Created[:min(len(n.Created), 10)]}
	page.Tags = note.CleanWords(n.Tags)
	for _, links := range [][]blue.Link{n.Links, n.Backlinks} {
		for i := range links {
			_, ok := x.notes.Find(links[i].ID)
			links[i].Missing = !ok
		}
	}
	for _, id := range n.Supersedes {
		row, ok := x.notes.Find(id)
		if ok {
			id = row.ID
		}
		page.Replaces = append(page.Replaces, blue.Link{ID: id, Title: note.ShowLine(row.Title), Missing: !ok})
	}
	return page
}

// groupByWord groups notes by words, in alphabetical order. The notes of a group keep their
// order.
func groupByWord(rows []blue.Published, words func(blue.Published) []string) []group {
	at := map[string]int{}
	var groups []group
	for _, row := range rows {
		for _, word := range note.CleanWords(words(row)) {
			word = note.ShowLine(word)
			i, ok := at[word]
			if !ok {
				i = len(groups)
				at[word] = i
				groups = append(groups, group{Name: word})
			}
			groups[i].Notes = append(groups[i].Notes, row)
		}
	}
	slices.SortFunc(groups, func(a, b group) int { return strings.Compare(a.Name, b.Name) })
	return groups
}

func typeOf(row blue.Published) []string { return []string{row.Type} }
func tagsOf(row blue.Published) []string { return row.Tags }
