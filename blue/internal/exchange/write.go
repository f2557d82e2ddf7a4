package exchange

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"blue/blue/internal/merge"
	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/reply"
	"blue/blue/internal/screen"
	"blue/blue/internal/store"
	"blue/errors"
)

// How many files are written while the lock is held, so that nobody waits for it much
// longer than for another writer: new ones, which go to the disk together, and others.
const (
	newChunk   = 64
	otherChunk = 4
)

// step is what becomes of one file.
type step struct {
	uid, name string
	from      string // that it has now, when it gets another name
	revision  string // that it has; empty: there is none
	blob      string // of the text that it gets; empty: it gets none, or text is there already
	text      []byte
	remove    bool   // it goes to the trash
	keep      string // blob of the text that goes to the history, if any
	same      bool   // the file stays as it is
}

// writeFiles brings the files in line with the tree. The lock is taken for a few at a
// time; a file that has changed since it was read ends the round.
func (s *side) writeFiles(ctx context.Context) error {
	steps, err := s.planSteps(ctx)
	if err != nil {
		return err
	}
	isNew := func(one step) bool { return one.revision == "" && one.from == "" && one.keep == "" && !one.remove }
	others := slices.DeleteFunc(slices.Clone(steps), isNew)
	created := slices.DeleteFunc(steps, func(one step) bool { return !isNew(one) })
	if err := s.writeAll(ctx, created, true); err != nil {
		return err
	}
	err = s.writeAll(ctx, others, false)
	slices.Sort(s.out.Came)
	return err
}

// writeAll reads the texts of steps and writes them, so many at a time as a chunk has, and a
// batch of texts at most.
func (s *side) writeAll(ctx context.Context, steps []step, create bool) error {
	most := otherChunk
	if create {
		most = newChunk
	}
	var ready []step
	size, pause := 0, time.Duration(0)
	flush := func() error {
		time.Sleep(pause) // a share of the time for the others
		began := time.Now()
		err := s.writeSome(ctx, ready, create)
		ready, size, pause = nil, 0, min(time.Since(began), 10*time.Millisecond)
		return err
	}
	add := func(one step) error {
		ready, size = append(ready, one), size+len(one.text)
		if len(ready) < most && size < ref.BatchBytes {
			return nil
		}
		return flush()
	}
	waiting := map[string][]step{} // by the blob that they get
	var blobs []string
	for _, one := range steps {
		if one.blob == "" {
			if err := add(one); err != nil {
				return err
			}
			continue
		}
		waiting[one.blob] = append(waiting[one.blob], one)
		blobs = append(blobs, one.blob)
	}
	err := s.eachText(ctx, blobs, func(blob string, text []byte) error {
		for _, one := range waiting[blob] {
			one.text = text
			if err := add(one); err != nil {
				return err
			}
		}
		delete(waiting, blob)
		return nil
	})
	switch {
	case err != nil:
		return err
	case len(waiting) > 0: // the remote has lost a text since it was listed
		return ref.ErrMoved
	case len(ready) > 0:
		return flush()
	}
	return nil
}

// planSteps compares the files with the tree.
func (s *side) planSteps(ctx context.Context) (steps []step, err error) {
	if err := s.mergeHeld(ctx); err != nil {
		return nil, err
	}
	for _, uid := range slices.Sorted(maps.Keys(s.tree.Notes)) {
		n, f := s.wanted(uid), s.files[uid]
		if f.name == n.Name && f.blob == n.Blob && s.kept[uid] == "" || s.blocked[n.Name] || s.blocked[s.base.Notes[uid].Name] {
			continue
		}
		one := step{uid: uid, name: n.Name, revision: f.revision, blob: n.Blob, keep: s.kept[uid]}
		if f.name != "" && f.name != n.Name {
			one.from = f.name
		}
		if one.same = f.name == n.Name && f.blob == one.blob; one.same {
			one.blob = ""
		}
		if was := s.base.Notes[uid]; f.name == "" && was.Name != "" && n.Blob == was.Blob {
			s.out.Returned = append(s.out.Returned, note.IDOf(n.Name))
		}
		steps = append(steps, one)
	}
	for uid, f := range s.files {
		if _, stays := s.tree.Notes[uid]; !stays && !s.held[uid] {
			steps = append(steps, step{uid: uid, name: f.name, revision: f.revision, remove: true})
		}
	}
	return steps, nil
}

// wanted is what the file of a note is to be: what the tree says, but for one that does not
// leave.
func (s *side) wanted(uid string) ref.Note {
	if n, withheld := s.merged[uid]; withheld {
		return n
	}
	if f := s.files[uid]; s.held[uid] && f.name != "" {
		return ref.Note{Name: f.name, Blob: f.blob}
	}
	return s.tree.Notes[uid]
}

// mergeHeld makes the notes that do not leave take in what has come.
func (s *side) mergeHeld(ctx context.Context) error {
	s.merged = map[string]ref.Note{}
	j := &joining{side: s, result: s.tree.Notes, here: map[string]bool{}}
	for uid := range s.files {
		j.here[uid] = true
	}
	for uid := range s.held {
		f, base, theirs := s.files[uid], s.base.Notes[uid], s.tree.Notes[uid]
		if f.name == "" || theirs.Same(base) || theirs.Name == "" {
			continue
		}
		texts := map[string][]byte{}
		blobs := slices.DeleteFunc([]string{base.Blob, f.blob, theirs.Blob}, func(blob string) bool { return blob == "" })
		err := s.eachText(ctx, blobs, func(blob string, text []byte) error {
			texts[blob] = text
			s.texts.Put(blob, text)
			return nil
		})
		if err != nil {
			return err
		}
		name := f.name
		if f.name == base.Name {
			name = theirs.Name
		}
		blob := j.mergeSides(uid, name, theirs.Blob, merge.Sides{Base: texts[base.Blob], Ours: texts[f.blob], Theirs: texts[theirs.Blob]})
		s.merged[uid] = ref.Note{Name: name, Blob: blob}
	}
	return nil
}

func (s *side) writeSome(ctx context.Context, steps []step, create bool) error {
	held, err := s.x.Lock(ctx)
	if err != nil {
		return err
	}
	defer held.Unlock()
	var failed []error
	if create {
		batch := make([]store.New, len(steps))
		for i, one := range steps {
			batch[i] = store.New{Name: notesDir + one.name, Data: one.text, By: s.by(one.uid)}
		}
		failed = held.CreateAll(batch)
	}
	for i, one := range steps {
		if create {
			err = failed[i]
		} else {
			err = s.writeOne(held, one)
		}
		switch {
		case err == nil && !one.remove && !one.same:
			s.tellArrived(one)
		case errors.Is(err, errors.Conflict), errors.Is(err, errors.NotFound):
			return ref.ErrMoved
		case errors.Is(err, errors.Exists): // under another spelling, on a disk that takes both for one
			if _, _, err := s.x.Store.Read(notesDir + one.name); err == nil && one.revision == "" && !s.isListed(ctx, one.name) {
				s.out.Refused = append(s.out.Refused, reply.Named{ID: note.IDOf(one.name), Why: "this disk takes it for another note of nearly the same name"})
				continue
			}
			return ref.ErrMoved
		case err != nil:
			return err
		}
	}
	return nil
}

// isListed reports whether a directory lists just this name.
func (s *side) isListed(ctx context.Context, name string) bool {
	for f, err := range s.x.Store.Files(ctx) {
		if err == nil && f.Name == notesDir+name {
			return true
		}
	}
	return false
}

func (s *side) writeOne(held *store.Held, one step) (err error) {
	path, id := notesDir+one.name, note.IDOf(one.name)
	held.By = s.by(one.uid)
	if one.keep != "" {
		text, err := s.ownText(one.keep)
		if err == nil {
			err = held.Keep(path, text)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case one.same:
	case one.from != "":
		err = s.renameOne(held, one)
	case one.remove:
		var trashed string
		if _, trashed, err = held.Remove(path, one.revision); err == nil {
			s.out.Removed = append(s.out.Removed, id)
			s.trash = append(s.trash, trashed)
		}
	case one.revision == "":
		_, err = held.Create(path, one.text)
	default:
		_, err = held.Replace(path, one.revision, one.text)
	}
	return err
}

// renameOne gives a note another name, and the text that goes with it.
func (s *side) renameOne(held *store.Held, one step) error {
	from, to := notesDir+one.from, notesDir+one.name
	if _, err := held.Create(to, one.text); err != nil {
		if now, _, unread := s.x.Store.Read(to); unread != nil || !bytes.Equal(now, one.text) { // else a sync that was stopped has made it
			return err
		}
	}
	_, trashed, err := held.Remove(from, one.revision)
	if err != nil && !errors.Is(err, errors.NotFound) {
		return err
	}
	s.trash = append(s.trash, trashed)
	return held.TakeHistory(to, from)
}

// by says who has changed a note elsewhere, as far as that is known.
func (s *side) by(uid string) store.By { return store.By{Author: s.authors[uid], Client: store.Synced} }

// tellArrived says that a file was written, and what a check would name in it.
func (s *side) tellArrived(one step) {
	id := note.IDOf(one.name)
	s.out.Came = append(s.out.Came, id)
	s.x.Arrived(notesDir+one.name, store.Revision(one.text))
	s.revisions[s.x.Remote.ID(one.text)] = store.Revision(one.text)
	if len(screen.Unallowed(string(one.text))) > 0 {
		s.out.Shown = append(s.out.Shown, reply.Named{ID: id, Why: "it holds what looks like a secret; blue check says where"})
	}
	if len(screen.Hidden(string(one.text))) > 0 {
		s.out.Shown = append(s.out.Shown, reply.Named{ID: id, Why: "it holds hidden characters; blue check says where"})
	}
}
