package write

import (
	"blue/blue/internal/catalog"
	"blue/blue/internal/draft"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/storage"
	"blue/errors"
)

// Remove moves a note to the trash, or brings it back.
func (s Steps) Remove(r draft.Removal) (reply.Removed, error) {
	out := reply.Removed{About: s.About(), ID: r.ID, Trashed: !r.Restore}
	if r.Restore {
		return s.takeFromTrash(r, out)
	}
	return s.moveToTrash(r, out)
}

func (s Steps) moveToTrash(r draft.Removal, out reply.Removed) (reply.Removed, error) {
	row, err := s.Find(r.ID)
	if errors.Is(err, errors.NotFound) {
		if name, file, ok := s.FindTrashed(r.ID); ok {
			out.ID, out.Path, out.Already, out.Durable = note.IDOf(name), file, true, s.Held.Confirm(name, file)
			return out, nil
		}
	}
	if err != nil {
		return out, err
	}
	out.ID = row.ID
	if r.Revision != "" {
		data, now, err := s.Store.Read(row.Name)
		if err != nil {
			return out, err
		}
		if now != r.Revision {
			return out, reply.StaleConflict(row.Name, r.Revision, now, data)
		}
	}
	older := catalog.ExtraOf(row).Supersedes
	if err := s.unmarkSuperseded(older, row.Name); err != nil {
		return out, err
	}
	saved, file, err := s.Held.Remove(row.Name, r.Revision)
	out.Path, out.Durable = ".blue/"+file, saved.Durable
	if err != nil {
		_, again := s.MarkSuperseded(older)
		err = errors.Join(err, again)
	}
	return out, err
}

func (s Steps) takeFromTrash(r draft.Removal, out reply.Removed) (reply.Removed, error) {
	found := storage.MatchTrashed(s.Store, s.Word(r.ID), s.IsMoved)
	if len(found) > 1 {
		ids := make([]string, len(found))
		for i, t := range found {
			ids[i] = note.IDOf(t.Name)
		}
		return out, errors.ManyNotes(r.ID, ids...)
	}
	if len(found) == 0 {
		row, err := s.Find(r.ID)
		if err != nil {
			return out, errors.NotTrashed(r.ID)
		}
		out.ID, out.Path, out.Revision, out.Already = row.ID, ".blue/"+row.Name, row.Revision, true
		out.Durable = s.Held.Confirm(row.Name, "")
		return out, nil
	}
	name := found[0].Name
	if row, ok := s.isElsewhere(name, found[0].File); ok {
		out.ID, out.Path, out.Revision, out.Already = row.ID, ".blue/"+row.Name, row.Revision, true
		out.Durable = s.Held.Confirm(row.Name, "")
		return out, nil
	}
	saved, err := s.Held.Untrash(name)
	out.ID, out.Path, out.Revision, out.Durable = note.IDOf(name), ".blue/"+name, saved.Revision, saved.Durable
	if err != nil {
		return out, err
	}
	s.Index()
	data, _, err := s.Store.Read(name)
	if err != nil {
		return out, err
	}
	durable, err := s.MarkSuperseded(note.ParseText(name, data).Supersedes)
	out.Durable = out.Durable && durable
	return out, err
}

// isElsewhere finds the note that a text in the trash belongs to, when it is there under another
// name.
func (s Steps) isElsewhere(name, file string) (row index.Row, ok bool) {
	data, _, err := s.Store.ReadTrashed(file)
	if err != nil {
		return row, false
	}
	n := note.ParseText(name, data)
	for _, row := range s.Notes.OfUID(n.Identity()) {
		if note.IsPrivate(row.Name) == note.IsPrivate(name) && row.Name != name {
			return row, true
		}
	}
	return row, false
}

// FindTrashed returns the name that the one trashed note had which a word means, and the file
// it lies in now.
func (s Steps) FindTrashed(ref string) (name, file string, ok bool) {
	found := storage.MatchTrashed(s.Store, s.Word(ref), s.IsMoved)
	if len(found) != 1 {
		return "", "", false
	}
	return found[0].Name, ".blue/" + found[0].File, true
}

// IsMoved reports whether a note in the trash is there under another id.
func (s Steps) IsMoved(name string) bool {
	_, moved := s.Notes.MovedTo(s.Project, name)
	return moved
}
