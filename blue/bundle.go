package blue

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/site"
	"blue/blue/internal/sources"
)

// bundle writes the notes as they stand into a bundle of the Open Knowledge Format
// 0.2, each under its id. Only links change their form, and an import changes them
// back: [[id]] is [id](/id.md) there, which every reader of bundles follows.
func (x *exporter) bundle() error {
	var taken []index.Row
	err := x.each(func(row index.Row, data []byte) error {
		n := parse(row.Name, data)
		if n.Problem != "" {
			x.leave(row, n.Problem)
			return nil
		}
		if !n.has("type") {
			if err := n.setFront("type", n.Type); err != nil {
				return err
			}
		}
		n.body = sources.Carry(n.body, withoutCode(n.body), x.bundled)
		x.out.Notes++
		taken = append(taken, row)
		return x.to.write(sources.BundleFile(row.ID), func(w io.Writer) error {
			_, err := w.Write(n.bytes())
			return err
		})
	})
	if err != nil {
		return err
	}
	return x.to.write("index.md", func(w io.Writer) error {
		_, err := io.WriteString(w, contents(taken))
		return err
	})
}

// bundled is the file of the note that a link means.
func (x *exporter) bundled(ref string) (file string, ok bool) {
	row, ok := x.target(ref)
	return sources.BundleFile(row.ID), ok
}

// contents is the listing of a bundle: its notes by type.
func contents(rows []index.Row) string {
	var b strings.Builder
	b.WriteString("---\nokf_version: \"0.2\"\n---\n")
	for _, group := range grouped(rows, func(row index.Row) []string { return []string{row.Type} }) {
		fmt.Fprintf(&b, "\n# %s\n\n", group.name)
		for _, row := range group.rows {
			title := strings.NewReplacer("[", `\[`, "]", `\]`).Replace(shownLine(row.Title))
			fmt.Fprintf(&b, "* [%s](%s)\n", title, url.PathEscape(sources.BundleFile(row.ID)))
		}
	}
	return b.String()
}

// group is the notes under one word.
type group struct {
	name string
	rows []index.Row
}

// grouped sorts notes under their words; the words are in the order of the
// alphabet, the notes in theirs.
func grouped(rows []index.Row, words func(index.Row) []string) []group {
	at := map[string]int{}
	var groups []group
	for _, row := range rows {
		for _, word := range clean(words(row)) {
			word = shownLine(word)
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

// pages writes the notes as a site.
func (x *exporter) pages() error {
	tags := grouped(x.rows, func(row index.Row) []string { return row.Tags })
	names := make([]string, len(tags))
	for i, tag := range tags {
		names[i] = tag.name
	}
	s := site.New(shownLine(x.p.found.Name), names, func(ref string) (string, bool) {
		row, ok := x.target(ref)
		return row.ID, ok
	})
	err := x.each(func(row index.Row, data []byte) error {
		x.out.Notes++
		page := x.page(x.note(row, data))
		return x.to.write(site.File(row.ID), func(w io.Writer) error { return s.Page(w, page) })
	})
	if err != nil {
		return err
	}
	groups := entries(tags)
	for _, tag := range groups {
		if err := x.to.write(s.TagFile(tag.Name), func(w io.Writer) error { return s.Tag(w, tag) }); err != nil {
			return err
		}
	}
	types := entries(grouped(x.rows, func(row index.Row) []string { return []string{row.Type} }))
	return x.to.write("index.html", func(w io.Writer) error { return s.Index(w, types, groups) })
}

// page is a note as its page shows it.
func (x *exporter) page(n Note) site.Note {
	page := site.Note{
		Entry:  site.Entry{ID: n.ID, Title: n.Title, Type: n.Type, Status: n.Status, Day: n.Created[:min(len(n.Created), 10)], Tags: clean(n.Tags)},
		Author: n.Author, Problem: n.Problem, Body: n.Body, Plain: Involved(n.Body), Links: pageLinks(n.Links), Backlinks: pageLinks(n.Backlinks),
	}
	for _, f := range n.Files {
		page.Files = append(page.Files, f.Path)
	}
	for _, id := range n.Supersedes {
		row, ok := x.target(id)
		page.Supersedes = append(page.Supersedes, site.Link{ID: id, Missing: !ok})
		if ok {
			page.Supersedes[len(page.Supersedes)-1] = site.Link{ID: row.ID, Title: shownLine(row.Title)}
		}
	}
	return page
}

func pageLinks(links []Link) []site.Link {
	out := make([]site.Link, len(links))
	for i, link := range links {
		out[i] = site.Link(link)
	}
	return out
}

func entries(groups []group) []site.Group {
	out := make([]site.Group, len(groups))
	for i, g := range groups {
		out[i].Name = g.name
		for _, row := range g.rows {
			e := site.Entry{ID: row.ID, Title: shownLine(row.Title), Day: row.Time.Format(time.DateOnly), Status: Active}
			if row.Superseded {
				e.Status = Superseded
			}
			out[i].Notes = append(out[i].Notes, e)
		}
	}
	return out
}
