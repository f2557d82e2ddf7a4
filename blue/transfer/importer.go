package transfer

import (
	"context"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"blue/blue"
	"blue/blue/internal/note"
	"blue/errors"
)

// An import goes through its source twice. The first time it looks: it judges each
// document, and settles under which name a note of it stands or will stand. Then
// links can be led, and the second time it takes the documents one by one. What is
// kept meanwhile are names, never texts.

// importer is an import under way.
type importer struct {
	i      Importing
	r      *Imported
	source *source
	intake *blue.Intake
	names  nameTable
	plans  map[string]plan // of the documents to take, by path
	kin    []kin           // what decision records say of one another

	superseded []string // ids that the notes taken supersede
}

// kin is what one record says of others.
type kin struct {
	path, id                 string
	supersedes, supersededBy []string
}

// plan is what the first look settled for a document.
type plan struct {
	blue.Settled
	hash string // of what was read
}

func (m *importer) tellProgress(done, total int) {
	if m.i.Progress != nil {
		m.i.Progress(done, total)
	}
}

// documents are those of the source, as far as they can be completed: the title of one that
// has no text becomes its text, and hidden characters are spelled out when a person says so.
func (m *importer) documents() iter.Seq2[document, error] {
	return func(yield func(document, error) bool) {
		for d, err := range m.source.Documents() {
			if n := note.ParseText("", []byte(d.Text)); d.Reason == "" && strings.TrimSpace(n.Body) == "" && n.HasKey("title") {
				d.Text = strings.TrimRight(d.Text, "\n") + "\n\n# " + n.Title + "\n"
			}
			if m.i.EscapeHidden {
				d.Escape()
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// planNotes goes through the source for the first time.
func (m *importer) planNotes(ctx context.Context) error {
	seen := map[string]bool{}
	for d, err := range m.documents() {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			m.r.Stopped = true
			return nil
		}
		m.r.Found++
		m.tellProgress(m.r.Found, 0)
		if d.Reason == "" && seen[d.Path] {
			d.Reason = "a second document of this name"
		}
		seen[d.Path] = true
		var n note.Text
		if d.Reason == "" {
			n, d.Reason = m.draftNote(d)
		}
		if d.Reason == "" && d.Private && m.i.NoPrivate {
			d.Reason = "it is about the person alone, and private notes do not travel"
		}
		if d.Reason != "" {
			m.r.leaveOut(d.Path, d.Reason)
			continue
		}
		m.settleName(d, n)
	}
	return nil
}

// draftNote makes a note of a document, without links and keys of Blue's own, or says
// why it cannot be one.
func (m *importer) draftNote(d document) (n note.Text, reason string) {
	const nothing = "\x00" // no file has this name
	n = note.ParseText(nothing, []byte(d.Text))
	switch {
	case n.Problem != "":
		return n, n.Problem
	case n.Conflicted:
		return n, "it holds the conflict markers of a merge"
	case strings.TrimSpace(n.Body) == "":
		return n, "it has neither text nor title"
	}
	if n.Title == nothing || d.ID == "" && !n.HasKey("title") && !strings.HasPrefix(strings.TrimLeft(n.Body, "\n"), "# ") && !d.IsIndex() {
		n.Title = d.Title
	}
	n.Title = errors.Clip(note.OneLine(n.Title), note.TitleLimit)
	if d.Type != "" && !n.HasKey("type") {
		n.Type = errors.Clip(note.OneLine(d.Type), note.WordLimit)
	}
	if d.Hashtags {
		d.Tags = append(d.Tags, findHashtags(note.BlankCode(n.Body))...)
	}
	for _, tag := range note.CleanWords(d.Tags) {
		if len(n.Tags) < note.ListLimit && utf8.RuneCountInString(tag) <= note.WordLimit && !slices.Contains(n.Tags, tag) {
			n.Tags = append(n.Tags, tag)
		}
	}
	if word := note.StatusWord(d.Status); slices.Contains(note.Statuses(), word) {
		d.Status = word // without the links that may stand behind it
	}
	if d.Status != "" {
		n.Status = errors.Clip(note.OneLine(d.Status), note.StatusLimit)
	}
	if n.Created.IsZero() {
		n.Created = note.ParseTime(d.Created)
	}
	if n.Created.IsZero() {
		n.Created = d.Modified.UTC()
	}
	more, _ := renderRelations(d, &nameTable{})
	if err := m.screenNote(n, d.Text, strings.Join(append(n.Tags, n.Title, n.Type, m.source.Origin(d), more), "\n")); err != nil {
		m.r.hidden = m.r.hidden || errors.Is(err, errors.HiddenText)
		m.r.secret = m.r.secret || errors.Is(err, errors.SecretDetected)
		return n, err.Error()
	}
	n.Body = blue.AllowSecrets(n.Body, m.i.AllowSecret)
	if err := n.CheckLimits(); err != nil {
		return n, err.Error()
	}
	return n, ""
}

// screenNote refuses what must not reach the disk, in a text and in what is said of
// it. What a person allows may stand in the body alone.
func (m *importer) screenNote(n note.Text, text, more string) error {
	if err := blue.Screen("title, type, tags or path", "", more, false); err != nil {
		return err
	}
	if !m.i.AllowSecret {
		return blue.Screen("text", "", text, false)
	}
	if err := blue.Screen("front matter", "", n.Front, false); err != nil {
		return err
	}
	return blue.Screen("body", "", blue.AllowSecrets(n.Body, true), true)
}

// settleName finds out which file a document is or will be, and enters its names.
func (m *importer) settleName(d document, n note.Text) {
	at := m.intake.Settle(blue.Incoming{ID: d.ID, From: m.fromKey(d), Private: d.Private, Note: n})
	m.names.AddDocument(d, at.ID())
	if len(d.Supersedes)+len(d.SupersededBy) > 0 {
		m.kin = append(m.kin, kin{d.Path, at.ID(), d.Supersedes, d.SupersededBy})
	}
	if at.There {
		m.r.Present++
		return
	}
	m.plans[d.Path] = plan{at, d.Hash}
}

// fromKey is what a note says of the document it was made of.
func (m *importer) fromKey(d document) string { return m.source.Origin(d) + "#" + d.Hash }

// supersededBy returns the ids that the note of an id supersedes, by what its own record or
// the others say. None supersedes one that supersedes it.
func (m *importer) supersededBy(id string) (ids []string) {
	pairs := map[[2]string]bool{} // newer, older
	add := func(from, ref string, pair func(other string) [2]string) {
		other, ok := m.names.ByPath(from, ref)
		if !ok {
			other, ok = m.names.ByName(from, ref)
		}
		if p := pair(other); ok && p[0] != p[1] && !pairs[[2]string{p[1], p[0]}] {
			pairs[p] = true
		}
	}
	for _, k := range m.kin {
		for _, ref := range k.supersedes {
			add(k.path, ref, func(other string) [2]string { return [2]string{k.id, other} })
		}
		for _, ref := range k.supersededBy {
			add(k.path, ref, func(other string) [2]string { return [2]string{other, k.id} })
		}
	}
	for pair := range pairs {
		if pair[0] == id {
			ids = append(ids, pair[1])
		}
	}
	slices.Sort(ids)
	return ids
}
