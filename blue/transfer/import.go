// Package transfer carries notes between a project and the outside: [Import] makes notes of the
// documents of other tools, and [Export] writes a bundle or one JSON object for others to read.
//
// [blue.Intake] decides which documents are already notes, and [blue.Publication] which notes
// others may see. Reading a source touches no note: the input is an fs.FS.
package transfer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"blue/blue"
	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Import makes notes of the documents of another tool. It skips a document that was imported
// before and has not changed, whatever has become of its note, and it never overwrites a note.
// Documents that look like a secret, hold hidden characters or are not text are left out and
// reported. Import reads only what the path names and follows no symbolic link in it.
func Import(ctx context.Context, p *blue.Project, i Importing) (r Imported, err error) {
	defer p.NameProject(&err)
	r = Imported{About: p.About(), Durable: true, Notes: []Taken{}, Reasons: []NotTaken{}, reasons: map[string]int{}}
	r.Source, r.Path, r.DryRun = i.Source, i.Path, i.DryRun
	intake, err := p.Intake(ctx)
	if err != nil {
		return r, err
	}
	r.About = p.About()
	root, source, err := openSource(p, i)
	if err != nil {
		return r, err
	}
	defer root.Close()
	m := importer{i: i, r: &r, source: source, intake: intake}
	if err := m.draftNotes(ctx); err != nil || r.Stopped {
		return r, err
	}
	if err := m.takeDrafts(ctx); err != nil {
		e := *errors.Of(err)
		e.Message += fmt.Sprintf("; imported before that: %d", r.Taken)
		e.Hints = slices.Clone(e.Hints)
		return r, e.Hint("", "", "run the same command again: it goes on with what is missing")
	}
	return r, nil
}

// openSource opens the source of an import. The caller must close the root.
func openSource(p *blue.Project, i Importing) (*os.Root, *source, error) {
	kind, err := kindNamed(i.Source)
	if err != nil {
		return nil, nil, err
	}
	given, err := marker.Parse(i.Path)
	if err != nil {
		return nil, nil, err
	}
	if root, _ := marker.LinkOut(given); root != "" {
		return nil, nil, badSource(given, "a link leads out of "+root)
	}
	real, err := filepath.EvalSymlinks(given)
	if err != nil {
		return nil, nil, errors.PathUnusable(given, "it does not exist, or cannot be reached")
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, nil, errors.PathUnusable(given, "it does not exist, or cannot be reached")
	}
	if rel, err := filepath.Rel(filepath.Join(p.Root(), marker.Name), real); err == nil && filepath.IsLocal(rel) {
		return nil, nil, badSource(given, "these are the notes of this project")
	}
	dir, file := real, ""
	switch {
	case info.Mode().IsRegular():
		dir, file = filepath.Split(real)
	case !info.IsDir():
		return nil, nil, badSource(given, "it is neither a directory nor a regular file")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, errors.PathUnusable(given, "it cannot be opened")
	}
	source, err := openKind(kind, root.FS(), filepath.Base(dir), file)
	if err != nil {
		root.Close()
		return nil, nil, err
	}
	return root, source, nil
}

// Importing configures an import.
type Importing struct {
	Source       string                // kind of source, one of Sources
	Path         string                // absolute path of the directory or file
	DryRun       bool                  // write nothing
	NoPrivate    bool                  // leave out documents about the person
	EscapeHidden bool                  // spell hidden characters out as \u{…}
	AllowSecret  bool                  // a person has confirmed that apparent secrets are none
	Progress     func(done, total int) // may be nil; total is 0 while documents are read
}

// Imported is the result of an import.
type Imported struct {
	result.About
	Source         string     `json:"source"`
	Path           string     `json:"path"`
	DryRun         bool       `json:"dry_run,omitempty"` // nothing was written
	Stopped        bool       `json:"stopped,omitempty"` // interrupted; the next run continues
	Durable        bool       `json:"durable"`           // the disk has confirmed every note
	Found          int        `json:"found"`             // taken + present + left_out
	Taken          int        `json:"taken"`
	Changed        int        `json:"changed"`           // taken documents with changes
	Present        int        `json:"present"`           // documents imported before
	LeftOut        int        `json:"left_out"`          // see reasons
	Links          int        `json:"links"`             // links to the notes made of their targets
	Nowhere        int        `json:"links_nowhere"`     // links to other targets, left unchanged
	Escaped        int        `json:"escaped,omitempty"` // escaped hidden characters of taken notes
	Notes          []Taken    `json:"notes"`             // taken documents, at most 1,000
	More           int        `json:"more,omitempty"`
	Reasons        []NotTaken `json:"reasons"` // at most 1,000
	Unlisted       int        `json:"unlisted,omitempty"`
	reasons        map[string]int
	hidden, secret bool // documents left out for hidden characters or apparent secrets
}

// Taken is a note that an import made.
type Taken struct {
	From    string   `json:"from"`
	ID      string   `json:"id"`
	Private bool     `json:"private,omitempty"`
	Changes []string `json:"changes,omitempty"` // how the note differs from the document
}

// NotTaken is a reason for leaving documents out.
type NotTaken struct {
	Reason string   `json:"reason"`
	Count  int      `json:"count"`
	From   []string `json:"from"` // at most 20
}

const (
	reportLimit = 1000 // entries of each list in the report of an import
	textLimit   = 20   // entries of each list that the text shows
)

// Sound reports whether the import ran to completion.
func (r Imported) Sound() bool { return !r.Stopped }

// Text describes the outcome of the import.
func (r Imported) Text() string {
	var b strings.Builder
	word := "imported"
	if r.DryRun {
		b.WriteString("Dry run, nothing was written\n")
		word = "would be imported"
	}
	fmt.Fprintf(&b, "%s from %s: %d %s", result.Plural(r.Found, "document"), r.Source, r.Taken, word)
	for _, more := range []struct {
		n     int
		words string
	}{{r.Changed, ", %d of them with changes"}, {r.Present, ", %d imported before"}, {r.LeftOut, ", %d left out"}} {
		if more.n > 0 {
			fmt.Fprintf(&b, more.words, more.n)
		}
	}
	b.WriteString("\n")
	if r.Links+r.Nowhere > 0 {
		fmt.Fprintf(&b, "Links: %d to new notes, %d to what was not imported\n", r.Links, r.Nowhere)
	}
	for _, n := range r.Notes[:min(len(r.Notes), textLimit)] {
		fmt.Fprintf(&b, "  %s  from %s", n.ID, n.From)
		if len(n.Changes) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(n.Changes, "; "))
		}
		b.WriteString("\n")
	}
	if rest := r.Taken - min(len(r.Notes), textLimit); rest > 0 {
		fmt.Fprintf(&b, "  and %s more\n", result.Plural(rest, "note"))
	}
	r.writeRest(&b)
	return b.String() + r.Lines()
}

// writeRest writes what was left out and why, and what to do about it.
func (r Imported) writeRest(b *strings.Builder) {
	for _, n := range r.Reasons {
		fmt.Fprintf(b, "Left out: %s: %s", n.Reason, strings.Join(n.From[:min(len(n.From), 5)], ", "))
		if n.Count > 5 {
			fmt.Fprintf(b, " and %d more", n.Count-5)
		}
		b.WriteString("\n")
	}
	if r.Unlisted > 0 {
		fmt.Fprintf(b, "Left out for other reasons: %d\n", r.Unlisted)
	}
	if r.Escaped > 0 {
		fmt.Fprintf(b, "%s spelled out as \\u{…}\n", result.Plural(r.Escaped, "hidden character"))
	}
	if r.hidden {
		b.WriteString("To import documents with hidden characters, add --escape-hidden: it spells them out as \\u{…}\n")
	}
	if r.secret {
		b.WriteString("To import documents in which a line only looks like a secret, add --allow-secret: it marks the line\n")
	}
	if r.Stopped {
		b.WriteString("Stopped before the end; run it again to go on\n")
	}
	if !r.Durable {
		b.WriteString("Not durable: the disk did not confirm a directory; check the disk\n")
	}
}

// leaveOut records that a document was left out.
func (r *Imported) leaveOut(from, reason string) {
	from, reason = note.ShowLine(from), note.ShowLine(reason)
	r.LeftOut++
	at, ok := r.reasons[reason]
	if !ok {
		if len(r.Reasons) == reportLimit {
			r.Unlisted++
			return
		}
		at = len(r.Reasons)
		r.reasons[reason] = at
		r.Reasons = append(r.Reasons, NotTaken{Reason: reason, From: []string{}})
	}
	n := &r.Reasons[at]
	if n.Count++; len(n.From) < textLimit {
		n.From = append(n.From, from)
	}
}

// addTaken records that a document was taken.
func (r *Imported) addTaken(t Taken) {
	r.Taken++
	if len(t.Changes) > 0 {
		r.Changed++
	}
	if len(r.Notes) == reportLimit {
		r.More++
		return
	}
	r.Notes = append(r.Notes, t)
}

// importer is one run of Import. It reads all documents before it makes the first note, because
// links can only be rewritten when every document has an id.
type importer struct {
	i      Importing
	r      *Imported
	source *source
	intake *blue.Intake
	names  nameTable
	drafts []draft             // documents that are not notes yet
	kin    []kin               // relations between documents
	older  map[string][]string // ids that each note supersedes, sorted
}

// kin holds the relations of one document.
type kin struct {
	path, id                 string
	supersedes, supersededBy []string
}

// draft is a document and the note that it becomes.
type draft struct {
	document
	note note.Text
	at   blue.Settled
}

func (m *importer) tellProgress(done, total int) {
	if m.i.Progress != nil {
		m.i.Progress(done, total)
	}
}

// complete uses the title of a document as its text if it has none, and escapes hidden
// characters if the options say so.
func (m *importer) complete(d *document) {
	if n := note.ParseText("", []byte(d.Text)); d.Reason == "" && strings.TrimSpace(n.Body) == "" && n.HasKey("title") {
		d.Text = strings.TrimRight(d.Text, "\n") + "\n\n# " + n.Title + "\n"
	}
	if m.i.EscapeHidden {
		d.Escape()
	}
}

// draftNotes reads the source, checks each document, and chooses its id.
func (m *importer) draftNotes(ctx context.Context) error {
	seen := map[string]bool{}
	for d, err := range m.source.Documents() {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			m.r.Stopped = true
			return nil
		}
		m.complete(&d)
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

// draftNote makes a note of a document, not yet with rewritten links and Blue's own keys, or
// returns the reason why it cannot.
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
		d.Status = word // without the links that may follow it
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

// screenNote rejects what must not reach the disk, in a text and in its metadata. Only the body
// may hold an apparent secret that a person has allowed.
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

// settleName determines the file of a document's note, and records the document's names.
func (m *importer) settleName(d document, n note.Text) {
	at := m.intake.Settle(blue.Incoming{ID: d.ID, From: m.fromKey(d), Private: d.Private, Note: n})
	m.names.AddDocument(d, at.ID())
	if older := slices.Concat(d.Supersedes, n.Supersedes); len(older)+len(d.SupersededBy) > 0 {
		m.kin = append(m.kin, kin{d.Path, at.ID(), older, d.SupersededBy})
	}
	if at.There {
		m.r.Present++
		return
	}
	m.drafts = append(m.drafts, draft{d, n, at})
}

// fromKey returns the value by which a note identifies the document it was made of.
func (m *importer) fromKey(d document) string { return m.source.Origin(d) + "#" + d.Hash }

// relate records which notes supersede which, according to the record of either. Two records cannot
// supersede each other: the first statement counts.
func (m *importer) relate() {
	m.older = map[string][]string{}
	for _, k := range m.kin {
		for i, ref := range slices.Concat(k.supersedes, k.supersededBy) {
			other, ok := m.names.ByPath(k.path, ref)
			if !ok {
				other, ok = m.names.ByName(k.path, ref)
			}
			newer, older := k.id, other
			if i >= len(k.supersedes) {
				newer, older = other, k.id
			}
			if ok && newer != older && !slices.Contains(m.older[older], newer) && !slices.Contains(m.older[newer], older) {
				m.older[newer] = append(m.older[newer], older)
			}
		}
	}
	for _, ids := range m.older {
		slices.Sort(ids)
	}
}

// takeDrafts creates the notes.
func (m *importer) takeDrafts(ctx context.Context) error {
	m.relate()
	for i, d := range m.drafts {
		if ctx.Err() != nil {
			m.r.Stopped = true
			return nil
		}
		reason, err := m.takeDraft(ctx, d)
		if err != nil {
			return err
		}
		if reason != "" {
			m.r.leaveOut(d.Path, reason)
		}
		m.tellProgress(i+1, len(m.drafts))
	}
	return nil
}

// takeDraft creates the note of one document, or returns the reason why not. An error ends the
// import.
func (m *importer) takeDraft(ctx context.Context, d draft) (reason string, err error) {
	n := d.note
	changes, led := m.rewriteLinks(&n, d.document)
	if d.Escaped > 0 {
		changes = append(changes, result.Plural(d.Escaped, "hidden character")+" spelled out as \\u{…}")
	}
	if err := m.completeFront(&n, d); err != nil {
		return "its front matter cannot be completed: " + err.Error(), nil
	}
	data := n.Bytes()
	if err := n.CheckLimits(); err != nil {
		return err.Error(), nil
	}
	if err := m.screenNote(n, string(data), ""); err != nil {
		return err.Error(), nil
	}
	if earlier, ok := m.intake.Earlier(m.source.Origin(d.document)); ok && !d.at.Kept {
		changes = append(changes, fmt.Sprintf("it has changed since it was imported as %s, which is kept", earlier))
	}
	if !m.i.DryRun {
		durable, err := m.intake.Create(ctx, d.at.File, data)
		switch {
		case errors.Is(err, errors.Exists) && m.intake.Holds(d.at.File, data):
			m.r.Present++ // a concurrent import took it
			return "", nil
		case errors.Is(err, errors.Exists), errors.Is(err, errors.TooLarge):
			return err.Error(), nil
		case err != nil:
			return "", err
		}
		m.r.Durable = m.r.Durable && durable
	}
	m.r.Links, m.r.Nowhere = m.r.Links+led.New, m.r.Nowhere+led.Nowhere
	m.r.Escaped += d.Escaped
	m.r.addTaken(Taken{From: note.ShowLine(d.Path), ID: note.ShowLine(d.at.ID()), Private: d.Private, Changes: changes})
	return "", nil
}

// rewriteLinks points the links of a note to the ids of their targets, and returns how the text
// differs from the document.
func (m *importer) rewriteLinks(n *note.Text, d document) (changes []string, led linkCounts) {
	if n.Body != note.ParseText("", []byte(d.Text)).Body {
		changes = append(changes, "lines marked as allowed")
	}
	body, led := rewriteLinks(n.Body, note.BlankCode(n.Body), d, &m.names)
	if led.New > 0 {
		changes = append(changes, result.Plural(led.New, "link")+" changed to new ids")
	}
	more, related := renderRelations(d, &m.names)
	if more != "" {
		changes = append(changes, result.Plural(len(d.Relations), "relation")+" added as links")
	}
	n.Body = strings.TrimRight(body, "\n") + "\n" + more
	return changes, linkCounts{New: led.New + related.New, Nowhere: led.Nowhere + related.Nowhere}
}

// completeFront adds the keys that the front matter of a note lacks. It keeps existing keys
// byte for byte.
func (m *importer) completeFront(n *note.Text, d draft) error {
	want := *n
	set := func(key string, value any) error {
		if n.HasKey(key) && key != "title" && key != "tags" && key != "supersedes" && key != note.ImportedFrom {
			return nil
		}
		return n.SetKey(key, value)
	}
	was := note.ParseText(d.at.File, []byte(d.Text))
	err := set("type", want.Type)
	if was.Title != want.Title {
		err = errors.Join(err, set("title", want.Title))
	}
	if !slices.Equal(was.Tags, want.Tags) && len(want.Tags) > 0 {
		err = errors.Join(err, set("tags", note.InlineList(want.Tags)))
	}
	if !want.Created.IsZero() {
		err = errors.Join(err, set("created", want.Created.Truncate(1e9)))
	}
	err = errors.Join(err, m.completeUID(n, d.at))
	if was.Status != want.Status {
		err = errors.Join(err, n.SetKey("status", want.Status))
	}
	ids, changed := m.rewriteSuperseded(d.document, want.Supersedes)
	for _, id := range m.older[d.at.ID()] {
		if !slices.Contains(ids, id) && len(ids) < note.ListLimit {
			ids, changed = append(ids, id), true
		}
	}
	if changed {
		err = errors.Join(err, set("supersedes", note.InlineList(ids)))
	}
	if !d.at.Kept {
		err = errors.Join(err, set(note.ImportedFrom, m.fromKey(d.document)))
	}
	now := note.ParseText(d.at.File, n.Bytes())
	kept := now.Title == want.Title && now.Type == want.Type && (d.at.Kept || now.From == m.fromKey(d.document))
	if err == nil && (now.Problem != "" || !kept) {
		err = errors.New("its form does not allow further keys")
	}
	return err
}

// completeUID writes the identity of a note: the document's own, if no other note has it. It
// writes nothing if the identity follows from the id that the document keeps.
func (m *importer) completeUID(n *note.Text, at blue.Settled) error {
	now := note.ParseText(at.File, n.Bytes())
	uid := m.intake.UID(at.File, now.Identity())
	if uid == now.UID || at.Kept && uid == now.Identity() || now.UID == "" && n.HasKey(note.UIDKey) {
		return nil
	}
	return n.SetKey(note.UIDKey, uid)
}

// rewriteSuperseded replaces the ids of superseded documents by those of their notes.
func (m *importer) rewriteSuperseded(d document, ids []string) (now []string, changed bool) {
	for _, id := range ids {
		if to, ok := m.names.ByName(d.Path, id); ok && to != id {
			id, changed = to, true
		}
		now = append(now, id)
	}
	return now, changed
}
