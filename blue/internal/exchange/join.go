package exchange

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"blue/blue/internal/merge"
	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
	"blue/errors"
)

// So many removals, when they are also more than this share of all notes, need a person's
// word.
const (
	manyRemovals = 20
	largeShare   = 5 // one in five
)

// joining is what the remote has on its way into the tree.
type joining struct {
	*side
	result  map[string]ref.Note
	names   map[string]bool // of theirs
	here    map[string]bool // of ours, there or removed
	removed []string        // by theirs
}

// join merges what the remote has into the tree.
func (s *side) join(ctx context.Context, heads ref.Heads) (err error) {
	if s.theirs, err = s.x.Remote.ReadTree(ctx, heads.Remote); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(s.theirs.Refused)) {
		s.out.Refused = append(s.out.Refused, reply.Named{ID: path, Why: s.theirs.Refused[path]})
	}
	if authors, err := s.x.Remote.Authors(ctx, heads.Base, heads.Remote); err == nil { // without them nobody is named
		s.authors = authors
	}
	j := &joining{side: s, result: maps.Clone(s.tree.Notes), names: map[string]bool{}, here: map[string]bool{}}
	for _, n := range s.theirs.Notes {
		j.names[n.Name] = true
	}
	for uid := range s.files {
		j.here[uid] = true
	}
	for uid := range s.tree.Trash {
		j.here[uid] = true
	}
	if err := j.readWhatDiffers(ctx); err != nil {
		return err
	}
	if err := j.mergeAll(); err != nil {
		return err
	}
	s.tree = ref.Tree{Notes: j.result, Trash: j.mergeTrash()}
	return nil
}

// all are the uids of the notes that any side has.
func (j *joining) all() []string {
	uids := map[string]bool{}
	for _, list := range []map[string]ref.Note{j.base.Notes, j.tree.Notes, j.theirs.Notes} {
		for uid := range list {
			uids[uid] = true
		}
	}
	return slices.Sorted(maps.Keys(uids))
}

// readWhatDiffers reads the texts that have to be looked into.
func (j *joining) readWhatDiffers(ctx context.Context) error {
	var blobs []string
	for _, uid := range j.all() {
		base, ours, theirs := j.base.Notes[uid], j.tree.Notes[uid], j.theirs.Notes[uid]
		if !ours.Same(theirs) && !ours.Same(base) && !theirs.Same(base) {
			blobs = append(blobs, base.Blob, ours.Blob, theirs.Blob)
		}
		if theirs.Name == "" && base.Name == "" {
			blobs = append(blobs, ours.Blob, j.markOf(uid, ours.Name))
		}
	}
	blobs = slices.DeleteFunc(blobs, func(blob string) bool { return blob == "" || j.isHere(blob) })
	err := j.eachText(ctx, blobs, func(blob string, text []byte) error {
		j.texts.Put(blob, text)
		return nil
	})
	_, git := j.x.Remote.(*ref.Notebook)
	for _, blob := range blobs {
		if err == nil && git && !j.out.Healed && !j.isHere(blob) { // which another fetch brings
			err = errors.GitFailed("cat-file", blob+" missing")
		}
	}
	return err
}

// markOf is the tombstone that theirs have of a note, and that the base has not. One that says
// no uid is known by the name.
func (j *joining) markOf(uid, name string) string {
	named := ref.NoUID + name
	if j.base.Trash[uid] != "" || j.base.Trash[named] != "" {
		return ""
	}
	return cmp.Or(j.theirs.Trash[uid], j.theirs.Trash[named])
}

// mergeAll decides for each note of the three.
func (j *joining) mergeAll() error {
	for _, uid := range j.all() {
		base, ours, theirs := j.base.Notes[uid], j.tree.Notes[uid], j.theirs.Notes[uid]
		var err error
		switch {
		case ours.Same(theirs):
		case theirs.Name == "" && base.Name == "":
			err = j.dropMarked(uid)
		case theirs.Same(base):
		case theirs.Name == "": // removed there
			err = j.settleRemoval(uid, ours, func() { j.drop(uid) }, func() {})
		case ours.Name == "" && base.Name != "": // removed here
			err = j.settleRemoval(uid, theirs, func() {}, func() { j.result[uid] = theirs })
		case ours.Same(base):
			j.result[uid] = theirs
		default:
			err = j.mergeNote(uid, base, ours, theirs)
		}
		if err != nil {
			return err
		}
	}
	if n := len(j.removed); n > manyRemovals && n*largeShare > len(j.tree.Notes) && !j.x.AcceptRemovals {
		slices.Sort(j.removed)
		return errors.ManyRemovals(j.removed, len(j.tree.Notes))
	}
	return nil
}

func (j *joining) drop(uid string) {
	j.removed = append(j.removed, note.IDOf(j.result[uid].Name))
	delete(j.result, uid)
}

// settleRemoval decides of a note that one side has removed: it goes unless the other has
// changed more of it than its marks.
func (j *joining) settleRemoval(uid string, changed ref.Note, remove, keep func()) error {
	base, err := j.textOf(j.base.Notes[uid].Blob)
	if err != nil {
		return err
	}
	text, err := j.textOf(changed.Blob)
	if err != nil {
		return err
	}
	if changed.Blob == j.base.Notes[uid].Blob || base != nil && merge.OnlyMarks(base, text) {
		remove()
		return nil
	}
	keep()
	j.out.Returned = append(j.out.Returned, note.IDOf(changed.Name))
	return nil
}

// dropMarked drops a note that both sides have had apart and that was removed there as it is
// here.
func (j *joining) dropMarked(uid string) error {
	mark, err := j.textOf(j.markOf(uid, j.tree.Notes[uid].Name))
	if err != nil || mark == nil {
		return err
	}
	ours, err := j.textOf(j.tree.Notes[uid].Blob)
	if err == nil && parseTombstone(mark).Revision == store.Revision(ours) {
		j.drop(uid)
	}
	return err
}

// mergeNote merges a note that both sides have changed.
func (j *joining) mergeNote(uid string, base, ours, theirs ref.Note) error {
	name := ours.Name
	if ours.Name == base.Name {
		name = theirs.Name
	}
	blob, err := j.mergeTexts(uid, base, ours, theirs)
	if err != nil {
		return err
	}
	if name != theirs.Name && theirs.Name != base.Name { // both have renamed it
		if blob, err = j.addAlias(name, blob, note.IDOf(theirs.Name)); err != nil {
			return err
		}
	}
	j.result[uid] = ref.Note{Name: name, Blob: blob}
	return nil
}

// mergeTexts returns the text that comes of three.
func (j *joining) mergeTexts(uid string, base, ours, theirs ref.Note) (blob string, err error) {
	switch {
	case ours.Blob == theirs.Blob, theirs.Blob == base.Blob:
		return ours.Blob, nil
	case ours.Blob == base.Blob:
		return theirs.Blob, nil
	}
	var sides merge.Sides
	if sides.Ours, err = j.textOf(ours.Blob); err == nil {
		sides.Theirs, err = j.textOf(theirs.Blob)
	}
	if err == nil && base.Blob != "" {
		sides.Base, err = j.textOf(base.Blob)
	}
	if err != nil {
		return "", err
	}
	if j.names[asideName(j.x.Project, ours.Name, sides.Ours)] && !j.isAsideHere(ours.Name, sides.Theirs) {
		return theirs.Blob, nil // ours was set aside there already
	}
	if base.Blob == "" {
		if _, err := j.x.Store.ReadPast(notesDir+ours.Name, store.Revision(sides.Theirs)); err == nil {
			return ours.Blob, nil // ours has gone on from it
		}
	}
	j.out.Merged = append(j.out.Merged, note.IDOf(ours.Name))
	return j.mergeSides(uid, ours.Name, theirs.Blob, sides), nil
}

// mergeSides merges texts, and keeps of theirs what the result lacks.
func (j *joining) mergeSides(uid, name, theirs string, sides merge.Sides) (blob string) {
	r := merge.Notes(name, sides)
	if r.Kept() {
		j.kept[uid] = theirs
	}
	if r.Overlap && !j.isAsideHere(name, sides.Theirs) {
		aside, text := Aside(j.x.Project, name, sides.Theirs)
		read := note.ParseText(aside, text)
		j.result[read.Identity()] = ref.Note{Name: aside, Blob: j.addText(text)}
		j.out.Conflicts = append(j.out.Conflicts, reply.Clash{ID: note.IDOf(name), With: note.IDOf(aside)})
	}
	return j.addText(r.Text)
}

// isAsideHere reports whether a text of a note stands in a note of its own here, or did.
func (j *joining) isAsideHere(name string, text []byte) bool {
	aside, text := Aside(j.x.Project, name, text)
	read := note.ParseText(aside, text)
	return j.here[read.Identity()]
}

// addAlias adds a name to those by which links find a note.
func (j *joining) addAlias(name, blob, alias string) (string, error) {
	text, err := j.textOf(blob)
	if err != nil {
		return "", err
	}
	n := note.ParseText(name, text)
	if n.Problem != "" || slices.Contains(n.Aliases, alias) {
		return blob, nil
	}
	if err := n.SetKey("aliases", note.InlineList(append(n.Aliases, alias))); err != nil {
		return blob, nil // links by that name lead nowhere
	}
	return j.addText(n.Bytes()), nil
}

// asideName is the file of the note that holds a text of another note: one name for one
// text, on whatever machine it is set aside.
func asideName(project, name string, text []byte) string {
	n := note.ParseText(name, text)
	return freeName(project, n.Title, "conflict\x00"+note.IDOf(name)+"\x00"+store.Revision(text), func(string) bool { return true })
}

// Aside is the note that holds another text of a note beside it.
func Aside(project, name string, text []byte) (file string, aside []byte) {
	return asideName(project, name, text), merge.Aside(note.IDOf(name), text)
}

// freeName is the first file name that a title and a key make and that may be taken.
func freeName(project, title, key string, isFree func(name string) bool) string {
	for suffix := range note.IDSuffixes(project, key) {
		if name := note.MakeSlug(title) + "-" + suffix + ".md"; isFree(name) {
			return name
		}
	}
	return ""
}

// mergeTrash has the tombstones of both sides, of notes that are not there. When both have
// one of a note, that of theirs is kept: they say the same.
func (j *joining) mergeTrash() map[string]string {
	trash := maps.Clone(j.tree.Trash)
	for uid, blob := range j.theirs.Trash {
		if note.IsUID(uid) && (j.tree.Trash[uid] == j.base.Trash[uid] || j.tree.Trash[uid] != "") {
			trash[uid] = blob
		}
	}
	for uid, blob := range trash {
		if j.result[uid].Name != "" || j.theirs.Trash[uid] == "" && j.base.Trash[uid] == blob {
			delete(trash, uid)
		}
	}
	return trash
}

// separateNames gives a note of which another one has taken the name a name of its own: the
// one that the others know already keeps it.
func (s *side) separateNames() {
	uids := slices.Sorted(maps.Keys(s.tree.Notes))
	taken := map[string]string{} // uid by name
	for _, known := range []ref.Tree{s.theirs, s.base, s.tree} {
		for _, uid := range uids {
			name := s.tree.Notes[uid].Name
			if known.Notes[uid].Name == name && taken[name] == "" {
				taken[name] = uid
			}
		}
	}
	for _, uid := range uids {
		n := s.tree.Notes[uid]
		if taken[n.Name] == uid {
			continue
		}
		name := freeName(s.x.Project, note.IDOf(n.Name), "name\x00"+uid, func(name string) bool { return taken[name] == "" })
		taken[name] = uid
		s.out.Shown = append(s.out.Shown, reply.Named{ID: note.IDOf(name), Why: "it was " + note.IDOf(n.Name) + ", which is the name of a note that others have made"})
		n.Name = name
		s.tree.Notes[uid] = n
	}
}
