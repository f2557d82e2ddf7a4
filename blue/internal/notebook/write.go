package notebook

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/note"
	"blue/blue/internal/screen"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
)

// Write adds a note. The same draft, by its key or by type, title and body, makes only one note.
func (nb *Notebook) Write(ctx context.Context, d Draft) (w result.Written, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return w, err
	}
	n, err := d.Note(nb.o.Now(), nb.store.author())
	if err != nil {
		return w, err
	}
	if n.Type == note.TypeCheckpoint {
		n.Branch = nb.Branch()
	}
	if nb.proposes() {
		n.Status = note.Proposed
	}
	var told cites
	if n.Files, told, err = nb.citedFiles().cite(d.Files, n.Says()); err != nil {
		return w, err
	}
	var alike func() result.Alike
	err = nb.Update(ctx, "write", func(tx *Tx) (err error) {
		w, err = tx.write(n, d)
		alike = tx.alike
		return err
	})
	if alike != nil {
		found := alike()
		if w.Created {
			found.Similar.Similar = slices.DeleteFunc(found.Similar.Similar, func(n result.Named) bool { return n.ID == w.ID })
			w.Alike = found
		}
	}
	if err == nil && !w.Created {
		nb.describeExisting(&w, note.FileOf(w.ID, d.Private))
	}
	if w.Created {
		nb.recordCited(&n.Supersedes, &n.Body)
	}
	w.Warnings = append(w.Warnings, told.warnings...)
	if w.Created {
		w.Cites = result.Cites{Cites: result.ShowWords(told.parts, result.PathShown)}
		w.Warnings = append(w.Warnings, nb.doubtType(w.ID, n.Type)...)
		if nb.proposes() {
			w.Status = note.Proposed
		}
	}
	if d.Private && w.Created {
		w.Warnings = append(w.Warnings, nb.Loss(ctx)...)
	}
	return w, err
}

// doubtType returns a warning if the type of a new note, which no other has, is probably a
// misspelled one.
func (nb *Notebook) doubtType(id, given string) []string {
	known := note.Types()
	if len(given) < 4 || slices.Contains(known, given) {
		return nil
	}
	for _, f := range nb.facets.at(nb.index.Version(), nb.index.CountFacets).Types {
		if f.Word == given && f.Count > 1 {
			return nil
		}
		known = append(known, f.Word)
	}
	at := slices.IndexFunc(known, func(word string) bool { return errors.Misspelled(given, word) })
	if at < 0 {
		return nil
	}
	meant := errors.Lines(known[at:at+1], 1, note.WordLimit)[0]
	how := "blue_edit " + id + " type " + meant
	if nb.Call.Door.Terminal {
		how = "blue edit " + id + " --type " + errors.Argument(meant)
	}
	return []string{fmt.Sprintf("no other note has the type %s; if you meant %s: %s", errors.Quote(given), meant, how)}
}

// write makes the note of a draft.
func (tx *Tx) write(n note.Text, d Draft) (w result.Written, err error) {
	if n.Supersedes, err = tx.findSuperseded(n.Supersedes, note.FileOf("", d.Private)); err != nil {
		return w, err
	}
	if err := n.RenderFront(); err != nil {
		return w, err
	}
	return tx.findOrCreate(n, d)
}

// findOrCreate returns the note if it exists, and creates it otherwise.
func (tx *Tx) findOrCreate(n note.Text, d Draft) (result.Written, error) {
	w := result.Written{About: tx.About(), Durable: true}
	rows := tx.index.OfText(note.ScopeOf(note.FileOf("", d.Private)), n)
	if d.Key != "" {
		rows = tx.index.Keyed(requestKey + n.Request)
	}
	if len(rows) > 0 {
		w.Durable = tx.held.Confirm(rows[0].Name, "")
		return tx.place(w, rows[0].Name, rows[0].Revision), nil
	}
	if name, revision, err := tx.findNewPrivate(n, d); err != nil || name != "" {
		return tx.place(w, name, revision), err
	}
	tx.alike = tx.startAlike(n, d.Private)
	for suffix := range note.IDSuffixes(tx.Found.ID, d.Key) {
		name := note.FileOf(note.MakeSlug(n.Title)+"-"+suffix, d.Private)
		if d.Key != "" {
			if revision, trashed, ok := wasMadeOf(tx.store, name, n); ok {
				w = tx.place(w, name, revision)
				w.Trashed, w.Durable = trashed != "", tx.held.Confirm(name, trashed)
				return w, nil
			}
		}
		saved, err := tx.held.Create(name, n.Bytes())
		if errors.Is(err, errors.Exists) {
			continue
		}
		if err != nil {
			return w, err
		}
		if !tx.store.late() {
			tx.alike() // finds more while the index does not have the note
		}
		tx.written()
		w = tx.place(w, name, saved.Revision)
		w.Created, w.Durable = true, saved.Durable
		return w, nil
	}
	return w, errors.E(errors.Exists, "every id of %q is taken", n.Title).Hint("", "", "choose another title")
}

// place sets the id, path and revision of an answer.
func (nb *Notebook) place(w result.Written, name, revision string) result.Written {
	w.ID, w.Path, w.Revision = note.IDOf(name), nb.pathOf(name), revision
	return w
}

// findNewPrivate finds the same text among private notes that the index does not have yet.
func (tx *Tx) findNewPrivate(n note.Text, d Draft) (name, revision string, err error) {
	if !d.Private || d.Key != "" { // a note with a key is found by the name that the key makes
		return "", "", nil
	}
	names, err := tx.store.NewPrivate()
	for _, name := range names {
		data, revision, err := tx.store.Read(name)
		if err != nil {
			return "", "", err
		}
		if there := note.ParseText(name, data); there.Type == n.Type && there.Title == n.Title && strings.TrimSpace(there.Body) == strings.TrimSpace(n.Body) {
			return name, revision, nil
		}
	}
	return "", "", err
}

// Draft is a note to be written.
type Draft struct {
	Body       string   `json:"body" jsonschema:"Markdown"`
	Title      string   `json:"title,omitempty" jsonschema:"default: first heading or line"`
	Type       string   `json:"type,omitempty" jsonschema:"note, decision, checkpoint, fix, howto, reference or any word"`
	Tags       []string `json:"tags,omitempty"`
	Files      []string `json:"files,omitempty" jsonschema:"files it is about: a.go, a.go#L10-L42, a.go#Name"`
	Private    bool     `json:"private,omitempty" jsonschema:"keep out of git"`
	Supersedes []string `json:"supersedes,omitempty" jsonschema:"ids, or paths of documents, it replaces"`
	Key        string   `json:"key,omitempty" jsonschema:"any string; sent again, no second note"`

	AllowSecret bool `json:"-"` // a person at the terminal says that what looks like a secret is none
}

// Note checks and screens a draft, and turns it into a note without an id. It writes nothing.
func (d Draft) Note(now time.Time, author string) (n note.Text, err error) {
	if len(d.Body) > 2*note.BodyLimit { // too long even if trimmed: not worth screening
		return n, errors.TooLong("body", len(d.Body), note.BodyLimit, "bytes")
	}
	if err := screenWords(map[string][]string{"title": {d.Title}, "type": {d.Type}, "tags": d.Tags, "files": d.Files,
		"supersedes": d.Supersedes, "key": {d.Key}, "author": {note.ShowHidden(author)}}); err != nil {
		return n, err
	}
	body := screen.AllowSecrets(d.Body, d.AllowSecret)
	if err := screen.Refuse("body", "", body, d.AllowSecret); err != nil {
		return n, err
	}
	if body = strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n")); body == "" {
		return n, errors.Missing("body", "send the text of the note")
	}
	n = note.Text{
		Type: cmp.Or(note.TypeOf(note.OneLine(d.Type)), note.TypeNote), Title: note.OneLine(d.Title), Tags: note.CleanWords(d.Tags),
		Created: now.UTC().Truncate(time.Second), UID: note.NewUID(), Body: body + "\n",
		Details: note.Details{Author: note.ShowWord(note.OneLine(author)), Status: note.Active, Supersedes: note.CleanWords(d.Supersedes)},
	}
	if n.Title == "" {
		n.Title = errors.Clip(note.FindTitle(body, ""), note.TitleLimit)
	}
	if err := n.CheckLimits(); err != nil {
		return n, err
	}
	if d.AllowSecret && d.Title == "" && screen.Refuse("title", "", n.Title, false) != nil {
		return n, errors.Missing("title", "the first line holds what you allow, and would become the title and the file name: give another title")
	}
	if d.Key != "" { // identifies the note whatever becomes of its text, name and history
		n.Request = store.Revision([]byte(strings.Join([]string{note.ScopeDir(d.Private), d.Key, n.Title, body}, "\x00")))
	}
	return n, nil
}

// screenWords screens the fields of the front matter as they were sent, because cleaning could
// hide what they contain.
func screenWords(fields map[string][]string) error {
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if err := screen.Refuse(field, "", strings.Join(fields[field], "\n"), false); err != nil {
			return err
		}
	}
	return nil
}

// Template returns the text that a person completes in an editor.
func (d Draft) Template() string {
	n := note.ParseText("", nil)
	set := func(key string, value any) { _ = n.SetKey(key, value) } // words can be written as YAML
	set("type", cmp.Or(note.TypeOf(d.Type), note.TypeNote))
	set("title", d.Title)
	set("tags", []string{})
	for key, words := range map[string][]string{"tags": d.Tags, "files": d.Files, "supersedes": d.Supersedes} {
		if len(words) > 0 {
			set(key, note.InlineList(words))
		}
	}
	return string(n.Bytes())
}

// Completed returns the draft that a person has made from its [Draft.Template].
func (d Draft) Completed(text string) (Draft, error) {
	n := note.ParseText(".md", []byte(text)) // this name gives the note no title
	if n.Problem != "" {
		return d, errors.Usage("the new note has a broken %s", note.ShowLine(n.Problem)).Hint("", "", "mend what stands between the two lines ---")
	}
	if line := lostFront(n); line > 0 {
		return d, textAboveFront("the new note", line)
	}
	keys, _ := n.Segments()
	for _, key := range keys {
		if key.Key != "" && !slices.Contains([]string{"type", "title", "tags", "files", "supersedes"}, key.Key) {
			return d, errors.Usage("the front matter of a new note has no key %q", key.Key).Hint("", "", "keep type, title, tags, files and supersedes; blue edit adds others")
		}
	}
	d.Body = n.Body
	if len(keys) == 0 {
		return d, nil
	}
	d.Type, d.Title, d.Tags, d.Supersedes, d.Files = n.Type, "", n.Tags, n.Supersedes, nil
	if n.Title != note.FindTitle(n.Body, "") {
		d.Title = n.Title
	}
	for _, f := range n.Files {
		d.Files = append(d.Files, f.Ref())
	}
	return d, nil
}

// wasMadeOf reports whether the file of that name, in place or in the trash, was made by the
// request of n. If it or n names no request, wasMadeOf compares the title and body of its first
// revision with those of n.
func wasMadeOf(from Reader, name string, n note.Text) (revision, trashed string, ok bool) {
	data, revision, err := from.Read(name)
	if errors.Is(err, errors.NotFound) {
		var file store.Trashed
		data, revision, file, err = readTrashed(from, name)
		trashed = file.File
	}
	if err != nil {
		return "", "", false
	}
	if was := note.ParseText(name, data); was.Request != "" && n.Request != "" {
		return revision, trashed, was.Request == n.Request
	}
	if past, err := from.Revisions(name); err == nil && len(past) > 0 {
		if first, err := from.ReadPast(name, past[len(past)-1].Revision); err == nil {
			data = first
		}
	}
	was := note.ParseText(name, data)
	return revision, trashed, was.Title == n.Title && strings.TrimSpace(was.Body) == strings.TrimSpace(n.Body)
}
