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
	text     []byte // that it gets
	remove   bool   // it goes to the trash
	keep     []byte // goes to the history
	same     bool   // the file stays as it is
}

// writeFiles brings the files in line with the tree. The lock is taken for a few at a
// time; a file that has changed since it was read ends the round.
func (s *side) writeFiles(ctx context.Context) error {
	steps, err := s.planSteps(ctx)
	if err != nil {
		return err
	}
	isNew := func(one step) bool { return one.revision == "" && one.keep == nil && !one.remove }
	others := slices.DeleteFunc(slices.Clone(steps), isNew)
	created := slices.DeleteFunc(steps, func(one step) bool { return !isNew(one) })
	chunks := slices.AppendSeq(slices.Collect(slices.Chunk(created, newChunk)), slices.Chunk(others, otherChunk))
	for i, some := range chunks {
		began := time.Now()
		if err := s.writeSome(ctx, some, i*newChunk < len(created)); err != nil {
			return err
		}
		if i < len(chunks)-1 { // a share of the time for the others
			time.Sleep(min(time.Since(began), 10*time.Millisecond))
		}
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
	if err := s.readTexts(ctx, s.tree.Notes, wanted); err != nil {
		return nil, err
	}
	for _, name := range wanted {
		f := s.files[name]
		one := step{name: name, revision: f.revision, text: s.texts[s.tree.Notes[name]], keep: s.texts[s.kept[name]], same: f.blob == s.tree.Notes[name]}
		if s.held[name] { // what does not leave takes in what has come
			r := merge.Notes(name, merge.Sides{Base: s.texts[s.base.Notes[name]], Ours: s.texts[f.blob], Theirs: one.text})
			if r.Kept() {
				one.keep = one.text
			}
			one.text = r.Text
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

func (s *side) writeSome(ctx context.Context, steps []step, create bool) error {
	held, err := s.x.Lock(ctx)
	if err != nil {
		return err
	}
	defer held.Unlock()
	var failed []error
	if create {
		for _, one := range steps { // before anybody sees the file, and takes it for the user's own
			s.x.Arrived(notesDir+one.name, store.Revision(one.text), s.authors[one.name])
		}
		batch := make([]store.New, len(steps))
		for i, one := range steps {
			batch[i] = store.New{Name: notesDir + one.name, Data: one.text}
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
	if one.keep != nil {
		if err := held.Keep(path, one.keep); err != nil {
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

// tellArrived says that a file was written, and what a check would name in it.
func (s *side) tellArrived(one step) {
	id := note.IDOf(one.name)
	s.out.Came = append(s.out.Came, id)
	s.x.Arrived(notesDir+one.name, store.Revision(one.text), s.authors[one.name])
	if len(screen.Unallowed(string(one.text))) > 0 {
		s.out.Shown = append(s.out.Shown, reply.Named{ID: id, Why: "it holds what looks like a secret; blue check says where"})
	}
	if len(screen.Hidden(string(one.text))) > 0 {
		s.out.Shown = append(s.out.Shown, reply.Named{ID: id, Why: "it holds hidden characters; blue check says where"})
	}
}
