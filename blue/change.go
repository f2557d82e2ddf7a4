package blue

import (
	"slices"
	"strings"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/draft"
	"blue/blue/internal/note"
	"blue/errors"
)

// Change is an edit of one note: at most one way to change the body, and any of the keys of
// its front matter.
type Change = draft.Change

// changeKeys changes the keys of the front matter that an edit names. Warnings say what it
// decided about cited files.
func (p *Project) changeKeys(n *note.Text, name string, c Change) (warnings []string, err error) {
	if c.ChangesKeys() && n.Problem != "" {
		return nil, errors.BrokenFrontMatter(note.IDOf(name), note.ShowLine(n.Problem))
	}
	var ids []string
	if c.Supersedes != nil {
		rows, err := p.findSuperseded(note.CleanWords(*c.Supersedes), name)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			ids = append(ids, row.ID)
		}
	}
	if c.File != nil {
		if err := p.checkSupersedes(n, name); err != nil {
			return nil, err
		}
	}
	if err := c.ApplyKeys(n, ids); err != nil {
		return nil, err
	}
	return p.changeEvidence(n, c)
}

// checkSupersedes refuses what a note may not supersede, and names what it may by whole ids;
// what it has superseded before is not looked at again.
func (p *Project) checkSupersedes(n *note.Text, name string) error {
	row, _ := p.index.Row(name)
	known := catalog.ExtraOf(row).Supersedes
	changed := false
	for i, id := range n.Supersedes {
		if slices.Contains(known, id) {
			continue
		}
		rows, err := p.findSuperseded([]string{id}, name)
		if err != nil {
			return err
		}
		changed = changed || rows[0].ID != id
		n.Supersedes[i] = rows[0].ID
	}
	if !changed {
		return nil
	}
	return n.SetKey("supersedes", note.InlineList(n.Supersedes))
}

// changeEvidence cites the files that an edit names, or renews the evidence of a note that
// somebody has seen to hold, and says when that was and who.
func (p *Project) changeEvidence(n *note.Text, c Change) (warnings []string, err error) {
	var files []note.Cited
	switch {
	case c.Files != nil:
		files, warnings, err = p.citedFiles().Cite(*c.Files)
	case c.Verified:
		files, warnings, err = p.followedFiles().Renew(n.Files)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if c.Verified {
		verified := p.b.o.Now().UTC().Format(time.DateOnly) + " by " + note.ShowWord(note.OneLine(p.writer()))
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
