package exchange

import (
	"context"
	"maps"
	"slices"
	"strings"

	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/reply"
	"blue/blue/internal/screen"
	"blue/blue/internal/store"
	"blue/errors"
)

const notesDir = "notes/"

// side is what is here, and becomes what is everywhere as heads are joined to it.
type side struct {
	x       *Exchange
	out     *reply.Synced
	files   map[string]file   // that are on the disk, by file name
	base    ref.Tree          // what they were last in line with
	tree    ref.Tree          // what they are to be in line with
	known   ref.Tree          // the tree of the last head that was joined
	parents []string          // of the commit that is to be made
	texts   *shelf            // merged ones, tombstones and those that are compared
	own     map[string]source // of texts that files have and the base has not, by blob
	fresh   map[string]bool   // blobs that may have to be written
	kept    map[string]string // blobs that go to the history of a note
	held    map[string]bool   // notes that do not leave
	authors map[string]string // who made what came
}

type file struct{ blob, revision string }

// source is a file that has a text.
type source struct {
	notes *store.Store
	name  string
}

// snapshot reads the files. The tree has what may leave: a note with a secret stands in it
// as it was.
func (x *Exchange) snapshot(ctx context.Context, base string, out *reply.Synced) (*side, error) {
	s := &side{x: x, out: out, files: map[string]file{}, base: ref.NewTree(), texts: newShelf(x.Dir),
		own: map[string]source{}, fresh: map[string]bool{}, kept: map[string]string{}, held: map[string]bool{}, authors: map[string]string{}}
	if base != "" {
		s.parents = []string{base}
		var err error
		if s.base, err = x.Remote.ReadTree(ctx, base); err != nil {
			return nil, err
		}
	}
	s.known = s.base
	s.tree = ref.Tree{Notes: maps.Clone(s.base.Notes), Trash: maps.Clone(s.base.Trash)}
	changed, err := s.readFiles(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.enterChanged(ctx, changed); err != nil {
		return nil, err
	}
	return s, s.enterRemoved(ctx)
}

// readFiles reads every note and returns the names of those that are not as in the base. It
// holds the first of their texts.
func (s *side) readFiles(ctx context.Context) (changed []string, err error) {
	texts := s.x.Store.Texts()
	defer texts.Close()
	size := 0
	for f, err := range s.x.Store.Files(ctx) {
		name, public := strings.CutPrefix(f.Name, notesDir)
		if err != nil && (f.Name == "" || f.Name+"/" == notesDir) {
			return nil, err
		}
		if !public || store.SafeName(name) != "" {
			continue
		}
		if err == nil && f.Problem != "" { // a link, a directory or too large: what has come must not replace it
			err = errors.NotServed(f.Name, f.Problem)
		}
		if err != nil {
			s.hold(name, err)
			continue
		}
		data, err := texts.Read(f.Name, f.Inode)
		if errors.Is(err, errors.NotFound) {
			continue // it has gone since
		}
		if err != nil {
			s.hold(name, err)
			continue
		}
		blob := s.x.Remote.ID(data)
		s.files[name] = file{blob, store.Revision(data)}
		if blob != s.base.Notes[name] {
			s.own[blob] = source{s.x.Store, f.Name}
			if size += len(data); size <= ref.BatchBytes {
				s.texts.put(blob, data)
			}
			changed = append(changed, name)
		}
	}
	return changed, ctx.Err()
}

// hold keeps a note from leaving.
func (s *side) hold(name string, why error) {
	s.held[name] = true
	s.out.Withheld = append(s.out.Withheld, reply.Named{ID: note.IDOf(name), Why: errors.Of(why).Message})
}

// enterChanged puts what has changed here into the tree, but for what must not leave and
// for what a checkout of the code has made old.
func (s *side) enterChanged(ctx context.Context, changed []string) error {
	old, err := s.findOld(ctx, changed)
	if err != nil {
		return err
	}
	changed = slices.DeleteFunc(changed, func(name string) bool { return old[name] })
	why, err := s.refuseAny(ctx, changed)
	if err != nil {
		return err
	}
	for _, name := range changed {
		if why[name] != nil {
			s.hold(name, why[name])
			continue
		}
		blob := s.files[name].blob
		s.tree.Notes[name], s.fresh[blob] = blob, true
		delete(s.tree.Trash, name)
	}
	return nil
}

// refuseAny says which of these notes must not leave, and why.
func (s *side) refuseAny(ctx context.Context, names []string) (why map[string]error, err error) {
	why = map[string]error{}
	byBase := map[string][]string{} // names by the blob in the base, empty where there is none
	for _, name := range names {
		byBase[s.base.Notes[name]] = append(byBase[s.base.Notes[name]], name)
	}
	check := func(base string, before []byte) error {
		for _, name := range byBase[base] {
			after, err := s.ownText(s.files[name].blob)
			if err != nil {
				return err
			}
			why[name] = refuse(name, before, after)
		}
		delete(byBase, base)
		return nil
	}
	err = check("", nil)
	if err == nil {
		err = s.eachText(ctx, slices.Collect(maps.Keys(byBase)), check)
	}
	for base := range byBase { // the text of the base is lost
		if err == nil {
			err = check(base, nil)
		}
	}
	return why, err
}

// refuse says why a text must not leave, nil when it may.
func refuse(name string, before, after []byte) error {
	if n := note.ParseText(name, after); n.Conflicted {
		return errors.Conflicted(note.IDOf(name))
	}
	return screen.Refuse(note.IDOf(name), string(before), string(after), false)
}

// findOld finds the changed files that are notes as they once were, and that Blue has not
// brought back: a branch of the code was checked out that is behind.
func (s *side) findOld(ctx context.Context, changed []string) (map[string]bool, error) {
	asked := map[string]string{}
	for _, name := range changed {
		f := s.files[name]
		if s.x.Branchy && s.base.Notes[name] != "" && !s.x.IsLocal(notesDir+name, f.revision) {
			asked[name] = f.blob
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	return s.x.Remote.Former(ctx, s.parents[0], asked)
}

// enterRemoved takes the notes out of the tree that were removed here, and marks them.
func (s *side) enterRemoved(ctx context.Context) error {
	var gone []string
	for name := range s.base.Notes {
		if _, there := s.files[name]; !there && !s.held[name] {
			gone = append(gone, name)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	slices.Sort(gone)
	revisions := map[string]string{} // by blob
	err := s.eachText(ctx, blobsOf(s.base.Notes, gone), func(blob string, text []byte) error {
		revisions[blob] = store.Revision(text)
		return nil
	})
	if err != nil {
		return err
	}
	trashed, err := s.x.Store.Trash()
	if err != nil {
		return err
	}
	newest := map[string]store.Trashed{}
	for _, t := range slices.Backward(trashed) { // the newest comes first
		newest[t.Name] = t
	}
	for _, name := range gone {
		t, ok := newest[notesDir+name]
		if !ok {
			continue
		}
		_, revision, err := s.x.Store.ReadTrashed(t.File)
		was := revisions[s.base.Notes[name]]
		if err != nil || t.Time.Before(s.x.Since) || s.x.Since.IsZero() && revision != was {
			continue // of an earlier removal: the note has come back since
		}
		delete(s.tree.Notes, name)
		mark := Tombstone{ID: note.IDOf(name), Revision: was, Removed: t.Time.UTC(), By: s.x.By}
		s.tree.Trash[name] = s.addText(mark.Text())
	}
	return nil
}

// addText makes a text one that the tree may hold, and returns its blob.
func (s *side) addText(text []byte) string {
	blob := s.x.Remote.ID(text)
	s.texts.put(blob, text)
	s.fresh[blob] = true
	return blob
}
