package transfer

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"blue/blue"
	"blue/blue/internal/note"
	"blue/blue/internal/site"
	"blue/blue/internal/sources"
)

// writeBundle writes the notes as they stand into a bundle of the Open Knowledge Format
// 0.2, each under its id. Only links change their form, and an import changes them
// back: [[ID]] is [ID](/ID.md) there, which every reader of bundles follows.
func (x *exporter) writeBundle() error {
	var taken []blue.Published
	err := x.eachNote(func(row blue.Published, data []byte) error {
		n := note.ParseText(row.Name, data)
		if n.Problem != "" {
			x.leaveOut(row, n.Problem)
			return nil
		}
		if !n.HasKey("type") {
			if err := n.SetKey("type", n.Type); err != nil {
				return err
			}
		}
		n.Body = sources.RewriteForBundle(n.Body, note.BlankCode(n.Body), x.bundleFile)
		x.out.Notes++
		taken = append(taken, row)
		return x.to.writeFile(sources.BundleFile(row.ID), func(w io.Writer) error {
			_, err := w.Write(n.Bytes())
			return err
		})
	})
	if err != nil {
		return err
	}
	return x.to.writeFile("index.md", func(w io.Writer) error {
		_, err := io.WriteString(w, listContents(taken))
		return err
	})
}

// bundleFile is the file of the note that a link means.
func (x *exporter) bundleFile(ref string) (file string, ok bool) {
	row, ok := x.notes.Find(ref)
	return sources.BundleFile(row.ID), ok
}

// listContents is the listing of a bundle: its notes by type.
func listContents(rows []blue.Published) string {
	var b strings.Builder
	b.WriteString("---\nokf_version: \"0.2\"\n---\n")
	for _, group := range groupByWord(rows, func(row blue.Published) []string { return []string{row.Type} }) {
		fmt.Fprintf(&b, "\n# %s\n\n", group.name)
		for _, row := range group.rows {
			title := strings.NewReplacer("[", `\[`, "]", `\]`).Replace(note.ShowLine(row.Title))
			fmt.Fprintf(&b, "* [%s](%s)\n", title, url.PathEscape(sources.BundleFile(row.ID)))
		}
	}
	return b.String()
}

// group is the notes under one word.
type group struct {
	name string
	rows []blue.Published
}

// groupByWord sorts notes under their words; the words are in the order of the
// alphabet, the notes in theirs.
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
				groups = append(groups, group{name: word})
			}
			groups[i].rows = append(groups[i].rows, row)
		}
	}
	slices.SortFunc(groups, func(a, b group) int { return strings.Compare(a.name, b.name) })
	return groups
}

// writeSite writes the notes as a site.
func (x *exporter) writeSite() error {
	tags := groupByWord(x.notes.Notes, func(row blue.Published) []string { return row.Tags })
	names := make([]string, len(tags))
	for i, tag := range tags {
		names[i] = tag.name
	}
	s := site.New(note.ShowLine(x.p.Ref().Name), names, func(ref string) (string, bool) {
		row, ok := x.notes.Find(ref)
		return row.ID, ok
	}, x.p.Picture)
	err := x.eachNote(func(row blue.Published, data []byte) error {
		x.out.Notes++
		page := x.sitePage(x.notes.Note(x.ctx, row, data))
		return x.to.writeFile(site.File(row.ID), func(w io.Writer) error { return s.Page(w, page) })
	})
	if err != nil {
		return err
	}
	groups := siteGroups(tags)
	for _, tag := range groups {
		if err := x.to.writeFile(s.TagFile(tag.Name), func(w io.Writer) error { return s.Tag(w, tag) }); err != nil {
			return err
		}
	}
	if err := x.to.writeFile("search.html", s.Search); err != nil {
		return err
	}
	types := siteGroups(groupByWord(x.notes.Notes, func(row blue.Published) []string { return []string{row.Type} }))
	return x.to.writeFile("index.html", func(w io.Writer) error { return s.Index(w, types, groups) })
}

// sitePage is a note as its page shows it.
func (x *exporter) sitePage(n blue.Note) site.Note {
	page := site.Note{
		Entry:  site.Entry{ID: n.ID, Title: n.Title, Type: n.Type, Status: n.Status, Day: n.Created[:min(len(n.Created), 10)], Tags: note.CleanWords(n.Tags)},
		Author: n.Author, Problem: n.Problem, Body: n.Body, Plain: note.TakesLongToParse(n.Body), Links: x.siteLinks(n.Links), Backlinks: x.siteLinks(n.Backlinks),
	}
	for _, f := range n.Files {
		page.Files = append(page.Files, f.Path)
	}
	for _, id := range n.Supersedes {
		row, ok := x.notes.Find(id)
		page.Supersedes = append(page.Supersedes, site.Link{ID: id, Missing: !ok})
		if ok {
			page.Supersedes[len(page.Supersedes)-1] = site.Link{ID: row.ID, Title: note.ShowLine(row.Title)}
		}
	}
	return page
}

// siteLinks are links between pages; what is no note of the site has none.
func (x *exporter) siteLinks(links []blue.Link) []site.Link {
	out := make([]site.Link, len(links))
	for i, link := range links {
		_, ok := x.notes.Find(link.ID)
		out[i] = site.Link{ID: link.ID, Title: link.Title, Missing: !ok}
	}
	return out
}

func siteGroups(groups []group) []site.Group {
	out := make([]site.Group, len(groups))
	for i, g := range groups {
		out[i].Name = g.name
		for _, row := range g.rows {
			e := site.Entry{ID: row.ID, Title: note.ShowLine(row.Title), Day: row.Time.Format(time.DateOnly), Status: note.Active}
			if row.Superseded {
				e.Status = note.Superseded
			}
			out[i].Notes = append(out[i].Notes, e)
		}
	}
	return out
}
