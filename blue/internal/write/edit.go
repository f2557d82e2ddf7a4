package write

import (
	"slices"

	"blue/blue/internal/draft"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/screen"
	"blue/blue/internal/store"
	"blue/errors"
)

// Edit changes the note of a file.
func (s Steps) Edit(name string, c draft.Change) (reply.Edited, error) {
	e := reply.Edited{About: s.About(), ID: note.IDOf(name), Path: ".blue/" + name}
	data, revision, err := s.Store.Read(name)
	if err != nil {
		return e, err
	}
	e.Revision = revision
	if c.Revision != "" && c.Revision != revision {
		if s.isRepeated(name, data, c) {
			e.Unchanged, e.Durable = true, s.Held.Confirm(name, "")
			return e, nil
		}
		return e, reply.StaleConflict(name, c.Revision, revision, data)
	}
	after, warnings, err := s.applyChange(name, data, c)
	if err != nil {
		return e, err
	}
	e.Warnings = append(e.Warnings, warnings...)
	if string(after) == string(data) {
		marked, err := s.MarkSuperseded(note.ParseText(name, after).Supersedes)
		e.Unchanged, e.Durable = true, s.Held.Confirm(name, "") && marked
		return e, err
	}
	if c.Restore == "" { // what was here before may come back as it was
		if err := screen.Refuse(e.ID, string(data), string(after), c.AllowSecret); err != nil {
			return e, err
		}
	}
	own := c.Restore == "" && s.IsOwn(name, revision) // a change of another's text does not make it one's own
	saved, err := s.replace(name, data, after, own)
	if err != nil {
		return e, err
	}
	e.Previous, e.Revision, e.Durable = revision, saved.Revision, saved.Durable
	return e, nil
}

// replace puts new bytes in the place of a note, and marks what it supersedes now; what
// it supersedes no longer is unmarked before.
func (s Steps) replace(name string, before, after []byte, own bool) (store.Saved, error) {
	was, now := note.ParseText(name, before).Supersedes, note.ParseText(name, after).Supersedes
	dropped := slices.DeleteFunc(slices.Clone(was), func(id string) bool { return slices.Contains(now, id) })
	if err := s.unmarkSuperseded(dropped, name); err != nil {
		return store.Saved{}, err
	}
	s.Prepare(name, after, own, nil)
	saved, err := s.Held.Replace(name, store.Revision(before), after)
	if err != nil {
		_, again := s.MarkSuperseded(dropped)
		return saved, errors.Join(err, again)
	}
	added := slices.DeleteFunc(now, func(id string) bool { return slices.Contains(was, id) })
	durable, err := s.MarkSuperseded(added)
	saved.Durable = saved.Durable && durable
	return saved, err
}

// isRepeated reports whether the same edit of the revision that the caller knew
// gives what stands there now: the caller sent it twice.
func (s Steps) isRepeated(name string, now []byte, c draft.Change) bool {
	base, err := s.Store.ReadPast(name, c.Revision)
	if err != nil {
		return false
	}
	after, _, err := s.applyChange(name, base, c)
	return err == nil && string(after) == string(now)
}

// applyChange returns the file after the edit; every byte that the edit does not name stays.
func (s Steps) applyChange(name string, data []byte, c draft.Change) (after []byte, warnings []string, err error) {
	was := note.ParseText(name, data)
	if c.Restore != "" {
		past, err := s.Store.ReadPast(name, c.Restore)
		if errors.Is(err, errors.NotFound) && store.Revision(data) == c.Restore {
			return data, nil, nil
		}
		if err != nil {
			return nil, nil, errors.NoRevision(note.IDOf(name), c.Restore)
		}
		data = past
	}
	n := note.ParseText(name, data)
	if n.Conflicted && c.Body == nil && c.File == nil && c.Restore == "" {
		return nil, nil, errors.Conflicted(note.IDOf(name))
	}
	if err := c.ApplyText(&n, note.IDOf(name)); err != nil {
		return nil, nil, err
	}
	if warnings, err = s.changeKeys(&n, name, c); err != nil {
		return nil, nil, err
	}
	if was.Problem == "" {
		if err := n.KeepIdentity(was.Identity()); err != nil {
			return nil, nil, err
		}
	}
	after = n.Bytes()
	checked := note.ParseText(name, after)
	return after, warnings, checked.CheckLimits()
}
