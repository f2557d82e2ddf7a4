package blue

import (
	"context"
	"fmt"
	"strings"

	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/errors"
)

// Change is an edit of one note: at most one way to change the body, and any of
// the keys of its front matter.
type Change struct {
	ID       string    `json:"id" jsonschema:"id or unique prefix"`
	Body     *string   `json:"body,omitempty" jsonschema:"the whole new body"`
	Append   *string   `json:"append,omitempty" jsonschema:"text to add at the end"`
	OldText  *string   `json:"old_text,omitempty" jsonschema:"passage found once, replaced by new_text"`
	NewText  *string   `json:"new_text,omitempty"`
	Restore  string    `json:"restore,omitempty" jsonschema:"an earlier revision to bring back"`
	Title    *string   `json:"title,omitempty"`
	Type     *string   `json:"type,omitempty"`
	Tags     *[]string `json:"tags,omitempty" jsonschema:"replaces all tags"`
	Files    *[]string `json:"files,omitempty" jsonschema:"replaces all cited files"`
	Status   *string   `json:"status,omitempty" jsonschema:"active or superseded"`
	Revision string    `json:"revision,omitempty" jsonschema:"only if still current"`

	AllowSecret bool `json:"-"` // as in Draft
	Shown       bool `json:"-"` // Body is what Read showed, edited: lines left as they were shown keep their bytes
}

// Edited is the answer to an edit.
type Edited struct {
	About
	ID        string `json:"id"`
	Path      string `json:"path"`
	Revision  string `json:"revision"`
	Previous  string `json:"previous,omitempty"`  // the revision that was replaced, kept in the history
	Unchanged bool   `json:"unchanged,omitempty"` // the content was already so
	Durable   bool   `json:"durable"`
}

// Text says what became of the note.
func (e Edited) Text() string {
	text := fmt.Sprintf("Edited %s, revision %s (was %s)\n", e.ID, e.Revision, e.Previous)
	if e.Unchanged {
		text = fmt.Sprintf("Unchanged: %s has that content already, revision %s\n", e.ID, e.Revision)
	}
	if !e.Durable {
		text += notDurable
	}
	return text + e.Lines()
}

// Current is a note's state, returned with a conflict so that it can be merged.
type Current struct {
	ID       string `json:"id"`
	Revision string `json:"revision"`
	Body     string `json:"body"`
	More     int    `json:"more,omitempty"` // bytes of the body left out
}

// Text shows the current body to the reader of a conflict.
func (c Current) Text() string {
	text := fmt.Sprintf("Current revision %s:\n%s", c.Revision, c.Body)
	if c.More > 0 {
		text += fmt.Sprintf("\n(%d bytes more: read it with its id)", c.More)
	}
	return text
}

// Edit changes a note. The former text is in the history before the new one is in
// place; a stale revision changes nothing and is answered with the current text.
func (p *Project) Edit(ctx context.Context, c Change) (e Edited, err error) {
	defer p.NameProject(&err)
	if err := p.one(); err != nil {
		return e, err
	}
	if err := screenedWords(c.words()); err != nil {
		return e, err
	}
	if err := c.check(); err != nil {
		return e, err
	}
	if err := p.sync(ctx); err != nil {
		return e, err
	}
	row, err := p.find(c.ID)
	if err != nil {
		return e, err
	}
	held, err := p.lock(ctx)
	if err != nil {
		return e, err
	}
	defer held.Unlock()
	return p.edit(held, row.Name, c)
}

// edit does the work under the lock.
func (p *Project) edit(held *store.Held, name string, c Change) (Edited, error) {
	e := Edited{About: p.About(), ID: note.IDOf(name), Path: ".blue/" + name}
	data, revision, err := p.store.Read(name)
	if err != nil {
		return e, err
	}
	e.Revision = revision
	if c.Revision != "" && c.Revision != revision {
		if p.doneBefore(name, data, c) {
			e.Unchanged, e.Durable = true, held.Confirm(name, "")
			return e, nil
		}
		return e, stale(name, c.Revision, revision, data)
	}
	after, err := p.changed(name, data, c)
	if err != nil {
		return e, err
	}
	if string(after) == string(data) {
		e.Unchanged, e.Durable = true, held.Confirm(name, "")
		return e, nil
	}
	if c.Restore == "" { // what was here before may come back as it was
		if err := Screen(e.ID, string(data), string(after), c.AllowSecret); err != nil {
			return e, err
		}
	}
	p.follow(held, name, after)
	saved, err := held.Replace(name, revision, after)
	if err != nil {
		return e, err
	}
	e.Previous, e.Revision, e.Durable = revision, saved.Revision, saved.Durable
	return e, nil
}

// doneBefore reports whether the same edit of the revision that the caller knew
// gives what stands there now: the caller sent it twice.
func (p *Project) doneBefore(name string, now []byte, c Change) bool {
	base, err := p.store.ReadPast(name, c.Revision)
	if err != nil {
		return false
	}
	after, err := p.changed(name, base, c)
	return err == nil && string(after) == string(now)
}

// stale is the conflict of an edit or removal that names another revision.
func stale(name, given, now string, data []byte) error {
	n := note.ParseText(name, data)
	body, more := cutBytes(note.ShowHidden(n.Body), listTokens*bytesPerToken)
	return errors.Stale(note.IDOf(name), given, now, Current{ID: note.IDOf(name), Revision: now, Body: body, More: more})
}

// words are the new values of the front matter.
func (c Change) words() map[string][]string {
	words := map[string][]string{}
	for name, word := range map[string]*string{"title": c.Title, "type": c.Type, "status": c.Status} {
		if word != nil {
			words[name] = []string{*word}
		}
	}
	for name, list := range map[string]*[]string{"tags": c.Tags, "files": c.Files} {
		if list != nil {
			words[name] = *list
		}
	}
	return words
}

// check refuses an edit that says too much or nothing.
func (c Change) check() error {
	var ways []string
	for name, given := range map[string]bool{"body": c.Body != nil, "append": c.Append != nil,
		"old_text": c.OldText != nil || c.NewText != nil, "restore": c.Restore != ""} {
		if given {
			ways = append(ways, name)
		}
	}
	switch {
	case strings.TrimSpace(c.ID) == "":
		return errors.Missing("id", "give the id of the note to edit")
	case len(ways) > 1:
		return errors.Exclusive("body", "append", "old_text", "restore")
	case len(ways) == 0 && c.Title == nil && c.Type == nil && c.Tags == nil && c.Files == nil && c.Status == nil:
		return errors.NoChange(c.ID)
	case c.Body != nil && strings.TrimSpace(*c.Body) == "":
		return errors.Missing("body", "send the whole new text, or remove the note")
	case c.Append != nil && strings.TrimSpace(*c.Append) == "":
		return errors.Missing("append", "send the text to add")
	case (c.OldText != nil || c.NewText != nil) && (c.OldText == nil || *c.OldText == ""):
		return errors.Missing("old_text", "send the passage that new_text replaces")
	case c.OldText != nil && c.NewText == nil:
		return errors.Missing("new_text", "send what stands there instead, an empty string to delete")
	case c.Status != nil && *c.Status != note.Active && *c.Status != note.Superseded:
		return errors.BadValue("status", *c.Status, "active or superseded")
	}
	return nil
}

// changed is the file after the edit; every byte that the edit does not name stays.
func (p *Project) changed(name string, data []byte, c Change) ([]byte, error) {
	if c.Restore != "" {
		past, err := p.store.ReadPast(name, c.Restore)
		if errors.Is(err, errors.NotFound) && store.Revision(data) == c.Restore {
			return data, nil
		}
		if err != nil {
			return nil, errors.NoRevision(note.IDOf(name), c.Restore)
		}
		data = past
	}
	n := note.ParseText(name, data)
	if n.Conflicted && c.Body == nil && c.Restore == "" {
		return nil, errors.Conflicted(note.IDOf(name))
	}
	if err := c.changeBody(&n, note.IDOf(name)); err != nil {
		return nil, err
	}
	if err := p.changeFront(&n, note.IDOf(name), c); err != nil {
		return nil, err
	}
	after := n.Bytes()
	checked := note.ParseText(name, after)
	return after, checked.CheckLimits()
}

// changeBody changes the body of a note as an edit says.
func (c Change) changeBody(n *note.Text, id string) error {
	switch {
	case c.Body != nil && c.Shown:
		n.PutBody(AllowSecrets(n.RestoreHidden(*c.Body), c.AllowSecret))
	case c.Body != nil:
		n.SetBody(AllowSecrets(*c.Body, c.AllowSecret))
	case c.Append != nil:
		n.AppendBody(AllowSecrets(*c.Append, c.AllowSecret))
	case c.OldText != nil:
		if times := n.ReplacePassage(*c.OldText, AllowSecrets(*c.NewText, c.AllowSecret)); times != 1 {
			return errors.TextNotFound(id, times)
		}
		if strings.TrimSpace(n.Body) == "" {
			return errors.Missing("body", "an edit cannot leave the note empty: remove it instead")
		}
	}
	return nil
}

func (p *Project) changeFront(n *note.Text, id string, c Change) error {
	set := map[string]any{}
	if c.Title != nil {
		set["title"] = note.OneLine(*c.Title)
	}
	if c.Type != nil {
		set["type"] = note.OneLine(*c.Type)
	}
	if c.Status != nil {
		set["status"] = *c.Status
	}
	if c.Tags != nil {
		set["tags"] = note.InlineList(note.CleanWords(*c.Tags))
	}
	if c.Files != nil {
		files, err := p.cite(*c.Files)
		if err != nil {
			return err
		}
		set["files"] = files
		if len(files) == 0 {
			set["files"] = nil
		}
	}
	if len(set) > 0 && n.Problem != "" {
		return errors.BrokenFrontMatter(id, note.ShowLine(n.Problem))
	}
	for _, key := range []string{"type", "title", "tags", "files", "status"} {
		if value, ok := set[key]; ok {
			if err := n.SetKey(key, value); err != nil {
				return err
			}
		}
	}
	return nil
}
