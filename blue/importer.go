package blue

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"blue/blue/internal/sources"
	"blue/blue/internal/store"
	"blue/errors"
)

// An import goes through its source twice. The first time it looks: it judges each
// document, and settles under which name a note of it stands or will stand. Then
// links can be led, and the second time it takes the documents one by one. What is
// kept meanwhile are names, never texts.

// importer is an import under way.
type importer struct {
	p      *Project
	i      Importing
	r      *Imported
	source *sources.Source
	names  sources.Names
	plans  map[string]plan // of the documents to take, by path
	used   map[string]bool // names of files that the plans claim, in lower case
	trash  map[string]string
}

// plan is what the first look settled for a document.
type plan struct {
	name string // of the note's file, below .blue
	hash string // of what was read
	kept bool   // the document keeps its own id, by which it is known again
}

func (m *importer) progress(done, total int) {
	if m.i.Progress != nil {
		m.i.Progress(done, total)
	}
}

// look goes through the source for the first time.
func (m *importer) look(ctx context.Context) error {
	seen := map[string]bool{}
	for d, err := range m.source.Documents() {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			m.r.Stopped = true
			return nil
		}
		m.r.Found++
		m.progress(m.r.Found, 0)
		if d.Reason == "" && seen[d.Path] {
			d.Reason = "a second document of this name"
		}
		seen[d.Path] = true
		var n note
		if d.Reason == "" {
			n, d.Reason = m.draft(d)
		}
		if d.Reason != "" {
			m.r.left(d.Path, d.Reason)
			continue
		}
		m.place(d, n)
	}
	return nil
}

// draft makes a note of a document, without links and keys of Blue's own, or says
// why it cannot be one.
func (m *importer) draft(d sources.Document) (n note, reason string) {
	const nothing = "\x00" // no file has this name
	n = parse(nothing, []byte(d.Text))
	switch {
	case n.Problem != "":
		return n, n.Problem
	case n.Conflicted:
		return n, "it holds the conflict markers of a merge"
	case strings.TrimSpace(n.body) == "":
		return n, "it has no text"
	}
	if n.Title == nothing || d.ID == "" && !n.has("title") && !strings.HasPrefix(strings.TrimLeft(n.body, "\n"), "# ") {
		n.Title = d.Title
	}
	n.Title = errors.Clip(oneLine(n.Title), TitleLimit)
	if d.Type != "" && !n.has("type") {
		n.Type = errors.Clip(oneLine(d.Type), wordLimit)
	}
	if d.Hashtags {
		d.Tags = append(d.Tags, sources.Hashtags(withoutCode(n.body))...)
	}
	for _, tag := range clean(d.Tags) {
		if len(n.Tags) < listLimit && utf8.RuneCountInString(tag) <= wordLimit && !slices.Contains(n.Tags, tag) {
			n.Tags = append(n.Tags, tag)
		}
	}
	if n.Created.IsZero() {
		n.Created = timeOf(d.Created)
	}
	if n.Created.IsZero() {
		n.Created = d.Modified.UTC()
	}
	more, _ := sources.Related(d, &sources.Names{})
	if err := m.screen(n, d.Text, strings.Join(append(n.Tags, n.Title, n.Type, m.source.Origin(d), more), "\n")); err != nil {
		return n, err.Error()
	}
	n.body = allowed(n.body, m.i.AllowSecret)
	if err := n.check(); err != nil {
		return n, err.Error()
	}
	return n, ""
}

// screen refuses what must not reach the disk, in a text and in what is said of
// it. What a person allows may stand in the body alone.
func (m *importer) screen(n note, text, more string) error {
	if err := screened("what is said of it", "", more, false); err != nil {
		return err
	}
	if !m.i.AllowSecret {
		return screened("the text", "", text, false)
	}
	if err := screened("the front matter", "", n.front, false); err != nil {
		return err
	}
	return screened("the body", "", allowed(n.body, true), true)
}

// place settles which file a document is or will be, and enters its names.
func (m *importer) place(d sources.Document, n note) {
	dir := "notes/"
	if d.Private {
		dir = "private/"
	}
	there, name, kept := m.known(d, n, dir)
	m.names.Add(d, idOf(name))
	if there {
		m.r.Present++
		return
	}
	m.used[strings.ToLower(name)] = true
	m.plans[d.Path] = plan{name: name, hash: d.Hash, kept: kept}
}

// known finds the note that a document was made into before, in the trash too, or
// a free name for it.
func (m *importer) known(d sources.Document, n note, dir string) (there bool, name string, kept bool) {
	if own := dir + d.ID + ".md"; d.ID != "" && store.SafeName(d.ID+".md") == "" {
		row, ok := m.p.index.Row(own)
		switch {
		case ok && (row.Title == n.Title || m.began(own, n)):
			return true, own, true
		case m.trashed(own, func(was note) bool { return was.Title == n.Title }):
			return true, own, true
		case !ok && !m.used[strings.ToLower(own)]:
			return false, own, true
		}
	}
	from := m.from(d)
	if rows := m.p.index.Keyed("from:" + from); len(rows) > 0 {
		return true, rows[0].Name, false
	}
	for suffix := range suffixes(m.p.found.ID, "import\x00"+from) {
		name = dir + slug(n.Title) + "-" + suffix + ".md"
		if m.trashed(name, func(was note) bool { return was.From == from }) {
			return true, name, false
		}
		if _, ok := m.p.index.Row(name); !ok && !m.used[strings.ToLower(name)] {
			break
		}
	}
	return false, name, false
}

// from is what a note says of the document it was made of.
func (m *importer) from(d sources.Document) string { return m.source.Origin(d) + "#" + d.Hash }

// began reports whether the first revision of a note had the text of another.
func (m *importer) began(name string, n note) bool {
	_, _, ok := m.p.firstIs(name, n)
	return ok
}

// trashed reports whether a note of that name in the trash is the one meant.
func (m *importer) trashed(name string, is func(note) bool) bool {
	file, ok := m.trash[name]
	if !ok {
		return false
	}
	data, _, err := m.p.store.ReadTrashed(file)
	return err == nil && is(parse(name, data))
}
