package exchange

import (
	"context"
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
	name     string
	revision string // that it has; empty: there is none
	blob     string // of the text that it gets; empty: it gets none, or text is there already
	text     []byte
	remove   bool   // it goes to the trash
	keep     string // blob of the text that goes to the history, if any
	same     bool   // the file stays as it is
}

// writeFiles brings the files in line with the tree. The lock is taken for a few at a
// time; a file that has changed since it was read ends the round.
func (s *side) writeFiles(ctx context.Context) error {
	steps, err := s.planSteps(ctx)
	if err != nil {
		return err
	}
	isNew := func(one step) bool { return one.revision == "" && one.keep == "" && !one.remove }
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
	var wanted []string
	for name, blob := range s.tree.Notes {
		f, there := s.files[name]
		if s.held[name] && (!there || blob == s.base.Notes[name]) || f.blob == blob && s.kept[name] == "" {
			continue
		}
		wanted = append(wanted, name)
	}
	slices.Sort(wanted)
	for _, name := range wanted {
		f := s.files[name]
		one := step{name: name, revision: f.revision, blob: s.tree.Notes[name], keep: s.kept[name]}
		if one.same = f.blob == one.blob; one.same {
			one.blob = ""
		}
		if s.held[name] { // what does not leave takes in what has come
			if err := s.mergeHeld(ctx, &one, f.blob); err != nil {
				return nil, err
			}
		}
		if f.revision == "" && s.base.Notes[name] != "" && s.tree.Notes[name] == s.base.Notes[name] {
			s.out.Returned = append(s.out.Returned, note.IDOf(name))
		}
		steps = append(steps, one)
	}
	for name, f := range s.files {
		if _, stays := s.tree.Notes[name]; !stays && !s.held[name] {
			steps = append(steps, step{name: name, revision: f.revision, remove: true})
		}
	}
	return steps, nil
}

// mergeHeld merges the text of a note that does not leave with the one that it is to get.
func (s *side) mergeHeld(ctx context.Context, one *step, ours string) error {
	base, theirs := s.base.Notes[one.name], s.tree.Notes[one.name]
	texts := map[string][]byte{}
	err := s.eachText(ctx, slices.DeleteFunc([]string{base, ours, theirs}, func(blob string) bool { return blob == "" }), func(blob string, text []byte) error {
		texts[blob] = text
		return nil
	})
	r := merge.Notes(one.name, merge.Sides{Base: texts[base], Ours: texts[ours], Theirs: texts[theirs]})
	if r.Kept() {
		one.keep = s.addText(texts[theirs])
	}
	one.blob = s.addText(r.Text)
	return err
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
			batch[i] = store.New{Name: notesDir + one.name, Data: one.text, By: s.by(one.name)}
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
			if _, _, err := s.x.Store.Read(notesDir + one.name); err == nil && s.files[one.name].revision == "" && !s.isListed(ctx, one.name) {
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
	held.By = s.by(one.name)
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
	case one.remove:
		if _, _, err = held.Remove(path, one.revision); err == nil {
			s.out.Removed = append(s.out.Removed, id)
		}
	case one.revision == "":
		_, err = held.Create(path, one.text)
	default:
		_, err = held.Replace(path, one.revision, one.text)
	}
	return err
}

// by says who has changed a note elsewhere, as far as that is known.
func (s *side) by(name string) store.By { return store.By{Author: s.authors[name], Client: "sync"} }

// tellArrived says that a file was written, and what a check would name in it.
func (s *side) tellArrived(one step) {
	id := note.IDOf(one.name)
	s.out.Came = append(s.out.Came, id)
	s.x.Arrived(notesDir+one.name, store.Revision(one.text))
	if len(screen.Unallowed(string(one.text))) > 0 {
		s.out.Shown = append(s.out.Shown, reply.Named{ID: id, Why: "it holds what looks like a secret; blue check says where"})
	}
	if len(screen.Hidden(string(one.text))) > 0 {
		s.out.Shown = append(s.out.Shown, reply.Named{ID: id, Why: "it holds hidden characters; blue check says where"})
	}
}
