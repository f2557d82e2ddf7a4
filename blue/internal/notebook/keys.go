package notebook

import (
	"slices"
	"strings"
	"time"

	"blue/blue/internal/note"
	"blue/errors"
)

// changeKeys changes the keys of the front matter that an edit names. Warnings say what it
// decided about cited files.
func (tx *Tx) changeKeys(n *note.Text, name string, c Change) (warnings []string, err error) {
	if c.ChangesKeys() && n.Problem != "" {
		return nil, errors.BrokenFrontMatter(note.IDOf(name), note.ShowLine(n.Problem))
	}
	var older []string
	if c.Supersedes != nil {
		if older, err = tx.findSuperseded(note.CleanWords(*c.Supersedes), name); err != nil {
			return nil, err
		}
	}
	if c.File != nil {
		if err := tx.checkSupersedes(n, name); err != nil {
			return nil, err
		}
	}
	if err := c.ApplyKeys(n, older); err != nil {
		return nil, err
	}
	return tx.changeEvidence(n, c)
}

// checkSupersedes refuses what a note may not supersede, and names what it may by whole ids
// and paths; what it has superseded before is not looked at again.
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

// changeEvidence cites the files that an edit names, or renews the evidence of a note that
// somebody has seen to hold, and says when that was and who.
func (tx *Tx) changeEvidence(n *note.Text, c Change) (warnings []string, err error) {
	var files []note.Cited
	switch {
	case c.Files != nil:
		files, warnings, err = tx.citedFiles().Cite(*c.Files)
	case c.Verified:
		files, warnings, err = tx.followedFiles().Renew(n.Files)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if c.Verified {
		verified := tx.o.Now().UTC().Format(time.DateOnly) + " by " + note.ShowWord(note.OneLine(tx.store.author()))
		if err := n.SetKey("verified", strings.TrimSuffix(verified, " by ")); err != nil {
			return nil, err
		}
	}
	switch {
	case len(files) > 0:
		err = n.SetKey("files", files)
	case c.Files != nil:
		err = n.SetKey("files", nil)
	}
	return warnings, err
}
