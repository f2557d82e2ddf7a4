package exchange

import (
	"context"
	"maps"
	"slices"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/reply"
	"blue/blue/internal/screen"
	"blue/blue/internal/store"
	"blue/errors"
)

const notesDir = "notes/"

// side is what is here, and becomes what is everywhere as what has come is joined to it. Notes
// are known by their uids, texts by their blobs.
type side struct {
	x       *Exchange
	out     *reply.Synced
	files   map[string]file     // that are on the disk
	base    ref.Tree            // what they were last in line with
	theirs  ref.Tree            // what the remote has
	remote  bool                // it has something
	tree    ref.Tree            // what the files are to be in line with
	texts   *Shelf              // merged ones, tombstones and those that are compared
	own     map[string]string   // the name of a file by the text that it has and the base has not
	fresh   map[string]bool     // texts that may have to be written
	kept    map[string]string   // texts that go to the history of a note
	held    map[string]bool     // notes that do not leave
	blocked map[string]bool     // names of files that cannot be read
	authors map[string]string   // who made what came
	merged  map[string]ref.Note // notes that do not leave, with what has come of them

	revisions map[string]string // of texts
	trash     []string          // the files of the trash
}

// file is a note on the disk.
type file struct{ name, blob, revision string }

// snapshot reads the files. The tree has what may leave: a note with a secret stands in it
// as it was.
func (x *Exchange) snapshot(ctx context.Context, heads ref.Heads, out *reply.Synced) (*side, error) {
	s := &side{x: x, out: out, files: map[string]file{}, texts: NewShelf(x.Dir), own: map[string]string{}, fresh: map[string]bool{}, kept: map[string]string{},
		held: map[string]bool{}, blocked: map[string]bool{}, authors: map[string]string{}, revisions: map[string]string{}, remote: heads.Remote != ""}
	var err error
	if s.base, err = x.Remote.ReadTree(ctx, heads.Base); err != nil {
		return nil, err
	}
	for _, n := range s.base.Notes {
		if n.Revision != "" {
			s.revisions[n.Blob] = n.Revision
		}
	}
	s.tree = ref.Tree{Notes: maps.Clone(s.base.Notes), Trash: maps.Clone(s.base.Trash)}
	if err := s.readFiles(ctx); err != nil {
		return nil, err
	}
	if err := s.enterChanged(ctx); err != nil {
		return nil, err
	}
	return s, s.enterRemoved()
}

// readFiles finds out which note each file is. It reads those that are not as in the base, and
// holds the first of their texts.
func (s *side) readFiles(ctx context.Context) (err error) {
	texts := s.x.Store.Texts()
	defer texts.Close()
	inBase := map[string]string{} // uid by name
	for uid, n := range s.base.Notes {
		inBase[n.Name] = uid
	}
	claims := map[string][]file{} // by the uid in the text
	size := 0
	for f, err := range s.x.Store.Files(ctx) {
		name, public := strings.CutPrefix(f.Name, notesDir)
		if err != nil && (f.Name == "" || f.Name+"/" == notesDir) {
			return err
		}
		if !public || store.SafeName(name) != "" {
			continue
		}
		if err == nil && f.Problem != "" { // a link, a directory or too large: what has come must not replace it
			err = errors.NotServed(f.Name, f.Problem)
		}
		if uid := inBase[name]; err == nil && uid != "" && s.isIndexed(f, s.base.Notes[uid].Revision) {
			claims[uid] = append(claims[uid], file{name, s.base.Notes[uid].Blob, s.base.Notes[uid].Revision})
			continue
		}
		var data []byte
		if err == nil {
			data, err = texts.Read(f.Name, f.Inode)
		}
		if errors.Is(err, errors.NotFound) {
			continue // it has gone since
		}
		if err != nil {
			s.blocked[name] = true
			s.hold(inBase[name], name, err)
			continue
		}
		text := note.ParseText(name, data)
		one := file{name, s.x.Remote.ID(data), store.Revision(data)}
		s.revisions[one.blob] = one.revision
		s.own[one.blob] = f.Name
		if size += len(data); size <= ref.BatchBytes {
			s.texts.Put(one.blob, data)
		}
		claims[text.Identity()] = append(claims[text.Identity()], one)
	}
	for uid, files := range claims {
		s.assign(uid, files)
	}
	return ctx.Err()
}

// isIndexed reports whether the index knows that a file has a revision.
func (s *side) isIndexed(f store.File, revision string) bool {
	row, ok := s.x.Rows(f.Name)
	return ok && revision != "" && row.Revision == revision &&
		row.Stamp == index.Stamp{Size: f.Size, ModTime: f.ModTime.UnixNano(), ChangeTime: f.ChangeTime.UnixNano(), Inode: f.Inode}
}

// assign makes files the notes of the uid that they claim.
func (s *side) assign(claimed string, files []file) {
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.name
	}
	for i, uid := range ref.AssignUIDs(claimed, names, s.base.Notes[claimed].Name) {
		s.files[uid] = files[i]
	}
}

// hold keeps a note from leaving.
func (s *side) hold(uid, name string, why error) {
	s.held[uid] = true
	s.out.Withheld = append(s.out.Withheld, reply.Named{ID: note.IDOf(name), Why: errors.Of(why).Message})
}

// enterChanged puts what has changed here into the tree, but for what must not leave.
func (s *side) enterChanged(ctx context.Context) error {
	var changed, edited []string
	for uid, f := range s.files {
		if n := s.base.Notes[uid]; n.Name != f.name || n.Blob != f.blob {
			changed = append(changed, uid)
			if n.Blob != f.blob {
				edited = append(edited, uid)
			}
		}
	}
	why, err := s.refuseAny(ctx, edited)
	if err != nil {
		return err
	}
	slices.Sort(changed)
	for _, uid := range changed {
		f := s.files[uid]
		if why[uid] != nil {
			s.hold(uid, f.name, why[uid])
			continue
		}
		s.tree.Notes[uid], s.fresh[f.blob] = ref.Note{Name: f.name, Blob: f.blob}, true
		delete(s.tree.Trash, uid)
	}
	return nil
}

// refuseAny says which of these notes must not leave, and why.
func (s *side) refuseAny(ctx context.Context, uids []string) (why map[string]error, err error) {
	why = map[string]error{}
	byBase := map[string][]string{} // by the blob in the base, empty where there is none
	for _, uid := range uids {
		byBase[s.base.Notes[uid].Blob] = append(byBase[s.base.Notes[uid].Blob], uid)
	}
	check := func(base string, before []byte) error {
		for _, uid := range byBase[base] {
			f := s.files[uid]
			after, err := s.ownText(f.blob)
			if err != nil {
				return err
			}
			why[uid] = refuse(f.name, before, after)
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

// enterRemoved takes the notes out of the tree that were removed here, and marks them. Those
// are gone of which the trash holds a text that others have not been told of.
func (s *side) enterRemoved() error {
	trashed, err := s.x.Store.Trash()
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for uid, n := range s.base.Notes {
		if _, there := s.files[uid]; !there && !s.held[uid] && !s.blocked[n.Name] {
			gone[uid] = true
		}
	}
	for _, t := range trashed { // the newest comes first
		name, public := strings.CutPrefix(t.Name, notesDir)
		if !public {
			continue
		}
		s.trash = append(s.trash, t.File)
		if len(gone) == 0 || s.x.Told[t.File] {
			continue
		}
		text, revision, err := s.x.Store.ReadTrashed(t.File)
		if err != nil {
			continue
		}
		read := note.ParseText(name, text)
		uid := read.Identity()
		was := s.base.Notes[uid]
		if !gone[uid] || s.x.Told == nil && s.x.Remote.ID(text) != was.Blob { // of an earlier removal: the note has come back since
			continue
		}
		delete(gone, uid)
		delete(s.tree.Notes, uid)
		mark := Tombstone{UID: uid, ID: note.IDOf(was.Name), Revision: revision, Removed: t.Time, By: s.x.By}
		s.tree.Trash[uid] = s.addText(mark.Text())
	}
	return nil
}

// addText makes a text one that the tree may hold, and returns its blob.
func (s *side) addText(text []byte) string {
	blob := s.x.Remote.ID(text)
	s.texts.Put(blob, text)
	s.fresh[blob], s.revisions[blob] = true, store.Revision(text)
	return blob
}

// withRevisions is a tree with the revisions of the texts that are known.
func (s *side) withRevisions(t ref.Tree) ref.Tree {
	for uid, n := range t.Notes {
		n.Revision = s.revisions[n.Blob]
		t.Notes[uid] = n
	}
	return t
}

// there is what the others have: without a remote, what the ref here has.
func (s *side) there() ref.Tree {
	switch {
	case s.remote:
		return s.theirs
	case s.x.Name != "":
		return ref.NewTree()
	}
	return s.base
}
