package exchange

import (
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

// join merges a head into the tree, three ways from where both have come from.
func (s *side) join(ctx context.Context, head string) error {
	if head == "" {
		return nil
	}
	last, common := "", ""
	if len(s.parents) > 0 {
		last = s.parents[len(s.parents)-1]
		var err error
		if common, err = s.x.Repo.MergeBase(ctx, last, head); err != nil || common == head {
			return err
		}
	}
	theirs, err := s.x.readNotes(ctx, head)
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(theirs.Refused)) {
		s.out.Refused = append(s.out.Refused, reply.Named{ID: path, Why: theirs.Refused[path]})
	}
	base := ref.NewTree()
	if common == last {
		base = s.known
	} else if common != "" {
		if base, err = s.x.readNotes(ctx, common); err != nil {
			return err
		}
	}
	j := joining{side: s, base: base, theirs: theirs, result: maps.Clone(s.tree.Notes)}
	if err := j.readWhatDiffers(ctx, head); err != nil {
		return err
	}
	if err := j.mergeAll(); err != nil {
		return err
	}
	if err := s.nameAuthors(ctx, common, head, j.taken); err != nil {
		return err
	}
	s.tree.Trash = j.mergeTrash()
	s.tree.Notes, s.known = j.result, theirs
	if common == last {
		s.parents = nil
	}
	s.parents = append(s.parents, head)
	return nil
}

// joining is one head on its way into the tree.
type joining struct {
	*side
	base, theirs ref.Tree
	result       map[string]string
	old          map[string]bool // notes of which ours is one that theirs once was
	taken        []string        // of theirs
	removed      []string        // by theirs
	asides       map[string]string
}

// readWhatDiffers reads the texts that have to be looked into.
func (j *joining) readWhatDiffers(ctx context.Context, head string) error {
	var clash, marked []string
	asked := map[string]string{}
	for name, ours := range j.tree.Notes {
		base, theirs := j.base.Notes[name], j.theirs.Notes[name]
		switch {
		case theirs != "" && theirs != ours && ours != base && theirs != base:
			clash = append(clash, name)
			if base == "" && !j.x.IsLocal(notesDir+name, j.files[name].revision) {
				asked[name] = ours
			}
		case theirs == "" && base == "" && j.theirs.Trash[name] != "" && j.base.Trash[name] == "":
			marked = append(marked, name)
		}
	}
	for _, read := range []struct {
		list  map[string]string
		names []string
	}{{j.base.Notes, clash}, {j.tree.Notes, clash}, {j.theirs.Notes, clash}, {j.tree.Notes, marked}, {j.theirs.Trash, marked}} {
		if err := j.readTexts(ctx, read.list, read.names); err != nil {
			return err
		}
	}
	if len(asked) == 0 {
		return nil
	}
	old, err := j.x.Repo.Former(ctx, head, asked)
	j.old = old
	return err
}

// mergeAll decides for each note of the three.
func (j *joining) mergeAll() error {
	names := map[string]bool{}
	for _, list := range []map[string]string{j.base.Notes, j.tree.Notes, j.theirs.Notes} {
		for name := range list {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		base, ours, theirs := j.base.Notes[name], j.tree.Notes[name], j.theirs.Notes[name]
		switch {
		case ours == theirs, theirs == base && !j.isMarked(name):
		case theirs == base || theirs == "" && ours == base: // marked as removed, or removed there
			j.removed = append(j.removed, name)
			delete(j.result, name)
		case ours == base || ours == "":
			j.take(name, theirs)
			if ours != base { // removed here, changed there
				j.out.Returned = append(j.out.Returned, note.IDOf(name))
			}
		case theirs == "": // removed there, changed here
			j.out.Returned = append(j.out.Returned, note.IDOf(name))
		default:
			j.mergeNote(name, base, ours, theirs)
		}
	}
	maps.Copy(j.result, j.asides)
	if n := len(j.removed); n > manyRemovals && n*largeShare > len(j.tree.Notes) && !j.x.AcceptRemovals {
		ids := make([]string, n)
		for i, name := range j.removed {
			ids[i] = note.IDOf(name)
		}
		return errors.ManyRemovals(ids, len(j.tree.Notes))
	}
	return nil
}

// isMarked reports whether a note that both sides have had apart was removed there as it
// is here.
func (j *joining) isMarked(name string) bool {
	if j.base.Notes[name] != "" || j.base.Trash[name] != "" || j.theirs.Notes[name] != "" || j.theirs.Trash[name] == "" {
		return false
	}
	mark := parseTombstone(j.texts[j.theirs.Trash[name]])
	return mark.Revision == store.Revision(j.texts[j.tree.Notes[name]])
}

// take puts theirs into the tree.
func (j *joining) take(name, blob string) {
	j.result[name] = blob
	j.taken = append(j.taken, name)
}

// mergeNote merges a note that both sides have changed.
func (j *joining) mergeNote(name, base, ours, theirs string) {
	ourText, theirText := j.texts[ours], j.texts[theirs]
	if j.old[name] || j.theirs.Notes[asideName(j.x.Project, name, ourText)] != "" && !j.isAsideHere(name, theirText) {
		j.take(name, theirs) // it has gone on there, or was set against ours there already
		return
	}
	if _, err := j.x.Store.ReadPast(notesDir+name, store.Revision(theirText)); base == "" && err == nil {
		return // ours has gone on from it
	}
	sides := merge.Sides{Ours: ourText, Theirs: theirText}
	if base != "" {
		sides.Base = j.texts[base]
	}
	r := merge.Notes(name, sides)
	j.result[name] = j.addText(r.Text)
	j.taken = append(j.taken, name)
	j.out.Merged = append(j.out.Merged, note.IDOf(name))
	if r.Kept() {
		j.kept[name] = theirs
	}
	if r.Overlap && !j.isAsideHere(name, theirText) {
		aside := asideName(j.x.Project, name, theirText)
		if j.asides == nil {
			j.asides = map[string]string{}
		}
		j.asides[aside] = j.addText(merge.Aside(note.IDOf(name), theirText))
		j.taken = append(j.taken, aside)
		j.out.Conflicts = append(j.out.Conflicts, reply.Clash{ID: note.IDOf(name), With: note.IDOf(aside)})
	}
}

// isAsideHere reports whether a text of a note was set aside here already.
func (j *joining) isAsideHere(name string, text []byte) bool {
	aside := asideName(j.x.Project, name, text)
	return j.tree.Notes[aside] != "" || j.tree.Trash[aside] != ""
}

// asideName is the file of the note that holds a text of another note: one name for one
// text, on whatever machine it is set aside.
func asideName(project, name string, text []byte) string {
	n := note.ParseText(name, text)
	key := "conflict\x00" + note.IDOf(name) + "\x00" + store.Revision(text)
	for suffix := range note.IDSuffixes(project, key) {
		return note.MakeSlug(n.Title) + "-" + suffix + ".md"
	}
	return ""
}

// mergeTrash has the tombstones of both sides, of notes that are not there. When both have
// one of a note, that of theirs is kept: they say the same.
func (j *joining) mergeTrash() map[string]string {
	trash := maps.Clone(j.tree.Trash)
	for name, blob := range j.theirs.Trash {
		if j.tree.Trash[name] == j.base.Trash[name] || j.tree.Trash[name] != "" {
			trash[name] = blob
		}
	}
	for name, blob := range trash {
		if j.result[name] != "" || j.theirs.Trash[name] == "" && j.base.Trash[name] == blob {
			delete(trash, name)
		}
	}
	return trash
}

// nameAuthors says of each note that has come who has written it.
func (s *side) nameAuthors(ctx context.Context, from, to string, names []string) error {
	if len(names) == 0 {
		return nil
	}
	authors, err := s.x.Repo.Authors(ctx, from, to)
	if err != nil {
		return err
	}
	for _, name := range names {
		s.authors[name] = authors[name]
	}
	return nil
}
