package notebook

import (
	"strings"

	"blue/blue/internal/note"
	"blue/blue/internal/screen"
	"blue/errors"
)

// Change is an edit of one note: at most one way to change the body, and any of
// the keys of its front matter.
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
	Shown       bool `json:"-"` // Body is what Read showed, edited: lines left as they were shown keep their bytes

	File *string `json:"-"` // the whole file as it was shown, edited
}

// ChangesText reports an edit of what a note says.
func (c Change) ChangesText() bool {
	return c.Title != nil || c.File != nil || c.Body != nil || c.Append != nil || c.OldText != nil || c.Restore != ""
}

// newWords returns the new values of the front matter.
func (c Change) newWords() map[string][]string {
	words := map[string][]string{}
	for name, word := range map[string]*string{"title": c.Title, "type": c.Type, "status": c.Status} {
		if word != nil {
			words[name] = []string{*word}
		}
	}
	for name, list := range map[string]*[]string{"tags": c.Tags, "files": c.Files, "supersedes": c.Supersedes} {
		if list != nil {
			words[name] = *list
		}
	}
	return words
}

// ChangesKeys reports an edit of the front matter.
func (c Change) ChangesKeys() bool { return len(c.newWords()) > 0 || c.Verified }

// Check refuses an edit that says too much or nothing, or holds in the front matter what
// must not reach the disk. The author is who verifies the note.
func (c Change) Check(author string) error {
	said := c.newWords()
	if c.Verified {
		said["author"] = []string{note.ShowHidden(author)}
	}
	if err := screenWords(said); err != nil {
		return err
	}
	var ways []string
	for name, given := range map[string]bool{"body": c.Body != nil, "file": c.File != nil, "append": c.Append != nil,
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
	case len(ways) == 0 && !c.ChangesKeys():
		return errors.NoChange(c.ID)
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

// ApplyText changes the body of a note as an edit says.
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
		if times := n.ReplacePassage(*c.OldText, screen.AllowSecrets(*c.NewText, c.AllowSecret)); times != 1 {
			return errors.TextNotFound(id, times)
		}
		if strings.TrimSpace(n.Body) == "" {
			return errors.Missing("body", "an edit cannot leave the note empty: remove it instead")
		}
	}
	return nil
}

// applyFile puts the file that a person has edited in the place of the one that was shown.
func (c Change) applyFile(n *note.Text, id string) error {
	was := *n
	*n = was.RestoreFile(*c.File)
	switch {
	case n.Problem != "" && was.Problem == "":
		return errors.BrokenFrontMatter(id, note.ShowLine(n.Problem))
	case strings.TrimSpace(n.Body) == "" && strings.TrimSpace(was.Body) != "":
		return errors.Missing("body", "an edit cannot leave the note empty: remove it instead")
	}
	if allowed := screen.AllowSecrets(n.Body, c.AllowSecret); allowed != n.Body {
		n.PutBody(allowed)
	}
	return nil
}

// ApplyKeys changes the keys of the front matter that an edit names, but for the cited files;
// supersedes are the whole ids of the notes, and the paths of the documents, that it replaces.
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

// Removal says which note goes to the trash, or comes back from it.
type Removal struct {
	ID       string `json:"id" jsonschema:"id or unique prefix"`
	Revision string `json:"revision,omitempty" jsonschema:"only if still current"`
	Restore  bool   `json:"restore,omitempty" jsonschema:"bring it back from the trash"`
}
