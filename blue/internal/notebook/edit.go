package notebook

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/note"
	"blue/blue/internal/screen"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
)

// Edit changes a note. It first saves the former text to the history. With a stale revision it
// changes nothing, and the error contains the current text.
func (nb *Notebook) Edit(ctx context.Context, c Change) (e result.Edited, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return e, err
	}
	if err := c.Check(nb.store.author()); err != nil {
		return e, err
	}
	if err := nb.refreshWhole(ctx); err != nil {
		return e, err
	}
	row, err := nb.findNote(c.ID)
	if err != nil {
		return e, err
	}
	err = nb.Update(ctx, "edit", func(tx *Tx) (err error) {
		e, err = tx.edit(row.Name, c)
		return err
	})
	if by, ok := nb.index.Successor(row); ok && c.Status != nil {
		e.Warnings = append(e.Warnings, "it stays superseded while "+note.ShowTitle(by.ID)+" supersedes it")
	}
	if err != nil || e.Unchanged {
		return e, err
	}
	if c.ChangesText() {
		if nb.store.late() {
			_ = nb.refreshWhole(ctx) // if this fails, the next call sees the change
		}
		row, _ = nb.index.Row(row.Name)
		e.Similar = nb.similarTo(row)
	}
	nb.recordCited(c.Supersedes, c.Body, c.Append, c.NewText)
	e.Warnings = append(e.Warnings, nb.Loss(ctx)...)
	return e, nil
}

// edit changes the note of a file.
func (tx *Tx) edit(name string, c Change) (result.Edited, error) {
	e := result.Edited{About: tx.About(), ID: note.IDOf(name), Replaced: result.Replaced{Path: tx.pathOf(name)}}
	data, revision, err := tx.store.Read(name)
	if err != nil {
		return e, err
	}
	e.Revision = revision
	if c.Revision != "" && c.Revision != revision {
		if tx.isRepeated(name, data, c) {
			e.Unchanged, e.Durable = true, tx.held.Confirm(name, "")
			return e, nil
		}
		return e, result.StaleConflict(name, c.Revision, revision, data)
	}
	if !c.onlyVerifies() {
		if err := tx.refuseAgent(name, data); err != nil {
			return e, err
		}
	}
	after, told, err := tx.applyChange(name, data, c)
	if err != nil {
		return e, err
	}
	e.Warnings, e.Cites = append(e.Warnings, told.warnings...), result.Cites{Cites: result.ShowWords(told.parts, result.PathShown)}
	if string(after) == string(data) {
		e.Unchanged, e.Durable = true, tx.held.Confirm(name, "")
		return e, nil
	}
	if c.Restore == "" { // a former text may be restored as it was
		if err := screen.Refuse(e.ID, string(data), string(after), c.AllowSecret); err != nil {
			return e, err
		}
	}
	saved, err := tx.replace(name, revision, after)
	if err != nil {
		return e, err
	}
	e.Previous, e.Revision, e.Durable = revision, saved.Revision, saved.Durable
	if status := note.ParseText(name, after).Status; note.State(status) != note.Active {
		e.Status = result.PlainTags(note.ShowWord(status))
	}
	return e, nil
}

// isRepeated reports whether the caller has sent the same edit twice: applied to the revision that
// it names, it gives the current text.
func (tx *Tx) isRepeated(name string, now []byte, c Change) bool {
	base, err := tx.store.ReadPast(name, c.Revision)
	if err != nil {
		return false
	}
	after, _, err := tx.applyChange(name, base, c)
	return err == nil && string(after) == string(now)
}

// applyChange returns the file after the edit. Every byte that the edit does not concern stays
// the same.
func (tx *Tx) applyChange(name string, data []byte, c Change) (after []byte, told cites, err error) {
	was := note.ParseText(name, data)
	if c.Restore != "" {
		past, err := tx.store.ReadPast(name, c.Restore)
		if errors.Is(err, errors.NotFound) && store.Revision(data) == c.Restore {
			return data, told, nil
		}
		if err != nil {
			return nil, told, errors.NoRevision(note.IDOf(name), c.Restore)
		}
		data = past
	}
	n := note.ParseText(name, data)
	if n.Conflicted && c.Body == nil && c.File == nil && c.Restore == "" {
		return nil, told, errors.Conflicted(note.IDOf(name))
	}
	if err := c.ApplyText(&n, note.IDOf(name)); err != nil {
		return nil, told, err
	}
	if c.Rename {
		if err := rename(&n, note.OneLine(*c.Title)); err != nil {
			return nil, told, err
		}
	}
	if told, err = tx.changeKeys(&n, name, c); err != nil {
		return nil, told, err
	}
	if err := tx.propose(&n, c); err != nil {
		return nil, told, err
	}
	if was.Problem == "" {
		if err := n.KeepIdentity(was.Identity()); err != nil {
			return nil, told, err
		}
	}
	after = n.Bytes()
	checked := note.ParseText(name, after)
	return after, told, checked.CheckLimits()
}

// rename makes the title of a note an alias of it, and changes a heading that says the title. The new
// title is no alias any more.
func rename(n *note.Text, title string) error {
	if title == n.Title || n.Problem != "" {
		return nil
	}
	if rest, ok := strings.CutPrefix(n.Body, "# "+n.Title+"\n"); ok {
		n.Body = "# " + title + "\n" + rest
	}
	aliases := slices.DeleteFunc(slices.Clone(n.Aliases), func(alias string) bool { return alias == title || alias == n.Title })
	return n.SetKey("aliases", note.InlineList(append(aliases, n.Title)))
}

// Change is an edit of one note: at most one change of the body, and any keys of its front matter.
type Change struct {
	ID         string    `json:"id" jsonschema:"id or unique prefix"`
	Body       *string   `json:"body,omitempty" jsonschema:"whole new body"`
	Append     *string   `json:"append,omitempty" jsonschema:"text to add at the end"`
	OldText    *string   `json:"old_text,omitempty" jsonschema:"passage found once, to replace"`
	NewText    *string   `json:"new_text,omitempty"`
	Restore    string    `json:"restore,omitempty" jsonschema:"earlier revision to bring back"`
	Title      *string   `json:"title,omitempty"`
	Type       *string   `json:"type,omitempty"`
	Tags       *[]string `json:"tags,omitempty" jsonschema:"replaces all"`
	Files      *[]string `json:"files,omitempty" jsonschema:"replaces all"`
	Supersedes *[]string `json:"supersedes,omitempty" jsonschema:"ids or documents it replaces; [] for none"`
	Status     *string   `json:"status,omitempty" jsonschema:"proposed, accepted, rejected, deprecated or any word"`
	Verified   bool      `json:"verified,omitempty" jsonschema:"it still holds: renews the evidence"`
	Revision   string    `json:"revision,omitempty" jsonschema:"only if still current"`

	AllowSecret bool `json:"-"` // as in Draft
	Shown       bool `json:"-"` // Body is what Read showed, edited: unchanged lines keep their bytes

	File   *string `json:"-"` // the whole file: an edited copy of what was shown
	Rename bool    `json:"-"` // the title that the note had becomes an alias; Title is set
}

// ChangesText reports whether the edit changes what a note says.
func (c Change) ChangesText() bool {
	return c.Title != nil || c.File != nil || c.Body != nil || c.Append != nil || c.OldText != nil || c.Restore != ""
}

// newWords returns the new values of the front matter.
func (c Change) newWords() map[string][]string {
	words := map[string][]string{}
	for name, word := range map[string]*string{"title": c.Title, "status": c.Status} {
		if word != nil {
			words[name] = []string{*word}
		}
	}
	if c.Type != nil {
		words["type"] = []string{note.TypeOf(*c.Type)}
	}
	for name, list := range map[string]*[]string{"tags": c.Tags, "files": c.Files, "supersedes": c.Supersedes} {
		if list != nil {
			words[name] = *list
		}
	}
	return words
}

// ChangesKeys reports whether the edit changes the front matter.
func (c Change) ChangesKeys() bool { return len(c.newWords()) > 0 || c.Verified }

// Check rejects an edit that is contradictory or empty, or whose front matter must not be
// stored. author is the name under which the note is verified.
func (c Change) Check(author string) error {
	said := c.newWords()
	if c.Verified {
		said["author"] = []string{note.ShowHidden(author)}
	}
	if err := screenWords(said); err != nil {
		return err
	}
	ways := 0
	for _, given := range []bool{c.Body != nil, c.File != nil, c.Append != nil, c.OldText != nil || c.NewText != nil, c.Restore != ""} {
		if given {
			ways++
		}
	}
	switch {
	case strings.TrimSpace(c.ID) == "":
		return errors.Missing("id", "give the id of the note to edit")
	case ways > 1:
		return errors.Exclusive("body", "append", "old_text", "restore")
	case ways == 0 && !c.ChangesKeys():
		return errors.E(errors.Invalid, "the edit of %s changes nothing", errors.Quote(c.ID)).
			Hint("edit", c.ID,
				"give one of body, append, old_text with new_text, restore, title, type, tags, files, status, verified")
	case c.File != nil && strings.TrimSpace(*c.File) == "", c.Body != nil && strings.TrimSpace(*c.Body) == "":
		return errors.Missing("body", "send the whole new text, or remove the note")
	case c.Append != nil && strings.TrimSpace(*c.Append) == "":
		return errors.Missing("append", "send the text to add")
	case (c.OldText != nil || c.NewText != nil) && (c.OldText == nil || *c.OldText == ""):
		return errors.Missing("old_text", "send the passage that new_text replaces")
	case c.OldText != nil && c.NewText == nil:
		return errors.Missing("new_text", "send the text to put there, or an empty string to delete the passage")
	}
	return nil
}

// ApplyText applies an edit to the body of a note.
func (c Change) ApplyText(n *note.Text, id string) error {
	switch {
	case c.File != nil:
		return c.applyFile(n, id)
	case c.Body != nil && c.Shown:
		n.PutBody(screen.AllowSecrets(n.RestoreHidden(*c.Body), c.AllowSecret))
	case c.Body != nil:
		n.SetBody(screen.AllowSecrets(*c.Body, c.AllowSecret))
	case c.Append != nil:
		n.AppendBody(screen.AllowSecrets(*c.Append, c.AllowSecret))
	case c.OldText != nil:
		switch times := n.ReplacePassage(*c.OldText, screen.AllowSecrets(*c.NewText, c.AllowSecret)); times {
		case 1:
		case 0:
			return errors.E(errors.Invalid, "the text to replace is not in %s", errors.Quote(id)).
				Hint("read", id, "read the note and copy the passage exactly")
		default:
			return errors.E(errors.Invalid, "the text to replace occurs %d times in %s, not once", times, errors.Quote(id)).
				Hint("", "", "give a longer passage that occurs once")
		}
		if strings.TrimSpace(n.Body) == "" {
			return errors.Missing("body", "an edit cannot leave the note empty: remove it instead")
		}
	}
	return nil
}

// applyFile replaces the file that was shown with the one that a person has edited.
func (c Change) applyFile(n *note.Text, id string) error {
	was := *n
	*n = was.RestoreFile(*c.File)
	switch {
	case n.Problem != "" && was.Problem == "":
		line, problem := n.ProblemLine()
		return errors.BrokenFrontMatter(id, fmt.Sprintf("line %d: %s", line, note.ShowLine(problem)))
	case lostFront(*n) > 0 && lostFront(was) == 0:
		return textAboveFront(errors.Quote(id), lostFront(*n))
	case strings.TrimSpace(n.Body) == "" && strings.TrimSpace(was.Body) != "":
		return errors.Missing("body", "an edit cannot leave the note empty: remove it instead")
	}
	if allowed := screen.AllowSecrets(n.Body, c.AllowSecret); allowed != n.Body {
		n.PutBody(allowed)
	}
	return nil
}

// lostFront returns the line of the file on which front matter begins that stands in the body, or 0.
func lostFront(n note.Text) int {
	at, ok := n.LostFront()
	if !ok {
		return 0
	}
	return n.BodyLines()(at)
}

// textAboveFront returns the error for a note whose front matter does not begin its file.
func textAboveFront(what string, line int) error {
	return errors.E(errors.Invalid, "text stands above the front matter of %s, which begins on line %d", what, line).
		Hint("", "", "move what stands above it below its second line ---")
}

// ApplyKeys changes the keys of the front matter that an edit names, except the cited files.
// supersedes holds whole ids and paths.
func (c Change) ApplyKeys(n *note.Text, supersedes []string) error {
	words := c.newWords()
	for _, key := range []string{"type", "title", "tags", "supersedes", "status"} {
		given, ok := words[key]
		if !ok {
			continue
		}
		var value any
		switch key {
		case "tags":
			value = note.InlineList(note.CleanWords(given))
		case "supersedes":
			value = note.InlineList(supersedes)
		default:
			if word := note.OneLine(given[0]); word != "" || key != "status" {
				value = word
			}
		}
		if err := n.SetKey(key, value); err != nil {
			return err
		}
	}
	return nil
}

// changeKeys changes the keys of the front matter that an edit names, and tells what it has cited.
func (tx *Tx) changeKeys(n *note.Text, name string, c Change) (told cites, err error) {
	if c.ChangesKeys() && n.Problem != "" {
		return told, errors.BrokenFrontMatter(note.IDOf(name), note.ShowLine(n.Problem))
	}
	var older []string
	if c.Supersedes != nil {
		if older, err = tx.findSuperseded(note.CleanWords(*c.Supersedes), name); err != nil {
			return told, err
		}
	}
	if c.File != nil {
		if err := tx.checkSupersedes(n, name); err != nil {
			return told, err
		}
	}
	if err := c.ApplyKeys(n, older); err != nil {
		return told, err
	}
	return tx.changeEvidence(n, c)
}

// checkSupersedes completes the entries of supersedes to whole ids and paths, and rejects those
// that the note may not supersede. Entries that it had before are not checked again.
func (tx *Tx) checkSupersedes(n *note.Text, name string) error {
	row, _ := tx.index.Row(name)
	known := ExtraOf(row).Supersedes
	changed := false
	for i, word := range n.Supersedes {
		if slices.Contains(known, word) {
			continue
		}
		older, err := tx.findSuperseded([]string{word}, name)
		if err != nil {
			return err
		}
		changed = changed || older[0] != word
		n.Supersedes[i] = older[0]
	}
	if !changed {
		return nil
	}
	return n.SetKey("supersedes", note.InlineList(n.Supersedes))
}

// changeEvidence cites the files that an edit names, or renews the evidence of a note that was
// verified.
func (tx *Tx) changeEvidence(n *note.Text, c Change) (told cites, err error) {
	var files []note.Cited
	switch {
	case c.Files != nil:
		files, told, err = tx.citedFiles().cite(*c.Files, n.Says())
	case c.Verified:
		files, told, err = tx.followedFiles().renew(n.Files, n.Says())
	default:
		return told, nil
	}
	if err != nil {
		return told, err
	}
	if c.Verified {
		verified := tx.o.Now().UTC().Format(time.DateOnly) + " by " + note.ShowWord(note.OneLine(tx.store.author()))
		if err := n.SetKey("verified", strings.TrimSuffix(verified, " by ")); err != nil {
			return told, err
		}
	}
	switch {
	case len(files) > 0:
		err = n.SetKey("files", files)
	case c.Files != nil:
		err = n.SetKey("files", nil)
	}
	return told, err
}

// Locate returns the files of notes.
func (nb *Notebook) Locate(ctx context.Context, refs ...string) (l result.Located, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return l, err
	}
	l = result.Located{About: nb.About()}
	for _, ref := range refs {
		row, err := nb.findNote(ref)
		if err != nil {
			return l, err
		}
		l.Files = append(l.Files, result.NoteFile{ID: row.ID, Path: nb.absolutePath(row.Name), Name: row.Name})
	}
	return l, nil
}

// ShowFile returns the file of a note in a form that is safe to show, for a person to edit. See
// Change.File.
func (nb *Notebook) ShowFile(ctx context.Context, ref string) (id, text, revision string, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return "", "", "", err
	}
	row, err := nb.findNote(ref)
	if err != nil {
		return "", "", "", err
	}
	data, revision, err := nb.store.Read(row.Name)
	if note.ParseText(row.Name, data).Body == "" {
		data = append(data, '\n')
	}
	return row.ID, note.ShowHidden(string(data)), revision, err
}

// ChangeInPlace lets a program change the file of a note, and saves the former text to the history.
func (nb *Notebook) ChangeInPlace(ctx context.Context, ref string, change func(path string) error) (e result.Edited, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return e, err
	}
	l, err := nb.Locate(ctx, ref)
	if err != nil {
		return e, err
	}
	name := l.Files[0].Name
	before, was, err := nb.store.Read(name)
	if err != nil {
		return e, err
	}
	failed := change(l.Files[0].Path)
	_, now, err := nb.store.Read(name)
	e = result.Edited{About: nb.About(), ID: l.Files[0].ID, Replaced: result.Replaced{Path: nb.pathOf(name), Revision: now, Unchanged: now == was}}
	if err := errors.Join(failed, err); err != nil {
		return e, err
	}
	err = nb.update(ctx, "edit", func(tx *Tx) error {
		if tx.files == nil {
			return errors.New("a note in a database has no file")
		}
		e.Durable = tx.held.Confirm(name, "")
		if e.Unchanged {
			return nil
		}
		e.Previous = was
		return tx.files.Keep(name, before)
	})
	return e, err
}
