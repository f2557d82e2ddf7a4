// Package rename gives a note another title and the id that goes with it, in steps of which
// each leaves a project that is in order:
//
//  1. the note gets its title, its identity if its front matter has none, and its own id as an
//     alias: that says that it is to move. Each other word that links name it by, and that it
//     loses, becomes an alias too
//  2. a file of the new id is made with the same bytes
//  3. the file of the old id goes to the trash, by which a sync tells others
//  4. its history goes to the new id
//  5. the notes that link to it, or replace it, name the new id, one after the other
//
// From step 2 on the old id is found as an alias, so that no link is dead at any step. What a
// writer that was stopped, or that found the disk full, has left undone, the next one does.
package rename

import (
	"bytes"
	"slices"
	"strings"

	"blue/blue/internal/catalog"
	"blue/blue/internal/draft"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
	"blue/errors"
)

// Steps makes the steps under the lock of a project.
type Steps struct {
	Notes    catalog.Notes
	Project  string // its id
	Held     *store.Held
	Read     func(name string) (data []byte, revision string, err error)
	Replace  func(name, revision string, data []byte) (store.Saved, error)
	HadTitle func(name, title string) bool   // whether a note once had a title
	Label    func(from, to, revision string) // enters a file that is to be made in the ledger as another one stands there
	Index    func()                          // what was written
}

// Move makes all steps for one note; with the title "" it keeps the one that it has.
func (s Steps) Move(row index.Row, title, writer string) (m reply.Moved, err error) {
	data, revision, err := s.Read(row.Name)
	if err != nil {
		return m, err
	}
	n := note.ParseText(row.Name, data)
	if title = note.OneLine(title); title == "" {
		title = n.Title
	}
	c := draft.Change{ID: row.ID, Title: &title}
	if err := c.Check(writer); err != nil {
		return m, err
	}
	to := s.Notes.PlaceOfMoved(s.Project, row, title)
	followsTitle := title != n.Title && s.meansOnly(row, n.Title)
	for _, word := range s.lostWords(row, to, n.Title, followsTitle) {
		if !slices.Contains(n.Aliases, word) {
			n.Aliases = append(n.Aliases, word)
		}
	}
	if rest, ok := strings.CutPrefix(n.Body, "# "+n.Title+"\n"); ok {
		n.Body = "# " + title + "\n" + rest
	}
	after, err := retitled(n, row, c, to)
	if err != nil {
		return m, err
	}
	saved, err := s.Replace(row.Name, revision, after)
	m = reply.Moved{ID: note.IDOf(to), Path: ".blue/" + to, Revision: saved.Revision, Durable: saved.Durable}
	if err != nil {
		return m, err
	}
	followed := fileSet{}
	if to != row.Name {
		m.From = row.ID
		durable, err := s.finish(row.Name, to, after, followed)
		m.Durable = m.Durable && durable
		if err != nil {
			return m, err
		}
	}
	if followsTitle {
		err = s.followTitle(n.Title, title, m.ID, followed)
	}
	delete(followed, to)
	m.Followed = len(followed)
	if now, ok := s.Notes.Row(to); ok { // it may have a link to itself
		m.Revision = now.Revision
	}
	return m, err
}

// retitled is the file of a note with another title, the aliases that it has, and the
// identity that it keeps in the file to.
func retitled(n note.Text, row index.Row, c draft.Change, to string) ([]byte, error) {
	switch {
	case n.Problem != "":
		return nil, errors.BrokenFrontMatter(row.ID, note.ShowLine(n.Problem))
	case n.Conflicted:
		return nil, errors.Conflicted(row.ID)
	}
	if err := c.ApplyKeys(&n, nil); err != nil {
		return nil, err
	}
	if len(n.Aliases) > 0 {
		if err := n.SetKey("aliases", note.InlineList(n.Aliases)); err != nil {
			return nil, err
		}
	}
	if to != row.Name && n.UID == "" {
		if err := n.SetKey(note.UIDKey, n.Identity()); err != nil {
			return nil, err
		}
	}
	after := n.Bytes()
	checked := note.ParseText(row.Name, after)
	return after, checked.CheckLimits()
}

// finish makes the steps that follow the first one.
func (s Steps) finish(from, to string, data []byte, followed fileSet) (durable bool, err error) {
	s.Label(from, to, store.Revision(data))
	saved, err := s.Held.Create(to, data)
	if errors.Is(err, errors.Exists) {
		if now, _, unread := s.Read(to); unread == nil && bytes.Equal(now, data) {
			saved.Durable, err = s.Held.Confirm(to, ""), nil
		}
	}
	if err != nil {
		return false, err
	}
	gone, _, err := s.Held.Remove(from, store.Revision(data))
	if err != nil && !errors.Is(err, errors.NotFound) {
		return false, err
	}
	s.Index()
	return saved.Durable && gone.Durable, s.follow(from, to, followed)
}

// Mend makes the steps that a writer has left undone that was stopped in a move.
func (s Steps) Mend() error {
	for _, row := range s.Notes.Aliased("") {
		for _, alias := range catalog.ExtraOf(row).Aliases {
			err := s.mendOne(row, note.FileOf(alias, note.IsPrivate(row.Name)), alias)
			if err != nil && !errors.Is(err, errors.Exists) {
				return err
			}
		}
	}
	for _, row := range s.Notes.Aliased("") {
		for _, alias := range catalog.ExtraOf(row).Aliases {
			if err := s.mendTitle(row, alias); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s Steps) mendOne(row index.Row, from, alias string) error {
	if from != row.Name {
		if !catalog.IsMovedFrom(s.Project, row.ID, alias) {
			return nil
		}
		return s.follow(from, row.Name, fileSet{})
	}
	if other, moved := s.Notes.MovedTo(s.Project, from); moved && other.Revision != row.Revision {
		return nil // somebody has gone on with one of both
	}
	to := s.Notes.PlaceOfMoved(s.Project, row, row.Title)
	data, _, err := s.Read(from)
	if err == nil && to != from {
		_, err = s.finish(from, to, data, fileSet{})
	}
	return err
}

// mendTitle lets the links by an alias follow that was once the title of the note.
func (s Steps) mendTitle(row index.Row, alias string) error {
	linked := len(s.Notes.LinkingTo(index.Row{ID: alias})) > 0
	if !linked || alias == row.Title || !s.meansOnly(row, alias) || !s.HadTitle(row.Name, alias) {
		return nil
	}
	return s.followTitle(alias, row.Title, row.ID, fileSet{})
}
