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

// joining is one head on its way into the tree.
type joining struct {
	*side
	base, theirs ref.Tree
	result       map[string]string
	old          map[string]bool     // notes of which ours is one that theirs once was
	oldThere     map[string]bool     // the other way round
	code         map[string][]string // blobs that the code's commits have had of notes without a base, the latest first
	taken        []string            // of theirs
	removed      []string            // by theirs
	asides       map[string]string
}

// readWhatDiffers reads the texts that have to be looked into.
func (j *joining) readWhatDiffers(ctx context.Context, head string) error {
	var clash, marked []string
	asked, askedThere := map[string]string{}, map[string]string{}
	for name, ours := range j.tree.Notes {
		base, theirs := j.base.Notes[name], j.theirs.Notes[name]
		switch {
		case theirs != "" && theirs != ours && ours != base && theirs != base:
			clash = append(clash, name)
			if base == "" {
				askedThere[name] = theirs
			}
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
	var err error
	if len(asked) > 0 && head != "" {
		j.old, err = j.x.Remote.Former(ctx, head, asked)
	}
	if len(askedThere) > 0 && len(j.parents) > 0 && err == nil {
		j.oldThere, err = j.x.Remote.Former(ctx, j.parents[len(j.parents)-1], askedThere)
	}
	if len(askedThere) == 0 || err != nil {
		return err
	}
	names, latest := map[string]bool{}, map[string]string{}
	for name := range askedThere {
		names[name] = true
	}
	if j.code, err = j.x.Remote.InCode(ctx, names); err != nil {
		return err
	}
	for name, blobs := range j.code {
		latest[name] = blobs[0]
	}
	return j.readTexts(ctx, latest, slices.Collect(maps.Keys(latest)))
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
		marked, err := j.isMarked(name)
		if err != nil {
			return err
		}
		switch {
		case ours == theirs, theirs == base && !marked:
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
			if err := j.mergeNote(name, base, ours, theirs); err != nil {
				return err
			}
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
func (j *joining) isMarked(name string) (bool, error) {
	if j.base.Notes[name] != "" || j.base.Trash[name] != "" || j.theirs.Notes[name] != "" || j.theirs.Trash[name] == "" {
		return false, nil
	}
	mark, err := j.textOf(j.theirs.Trash[name])
	if err != nil {
		return false, err
	}
	ours, err := j.textOf(j.tree.Notes[name])
	return parseTombstone(mark).Revision == store.Revision(ours), err
}

// take puts theirs into the tree.
func (j *joining) take(name, blob string) {
	j.result[name] = blob
	j.taken = append(j.taken, name)
}

// mergeNote merges a note that both sides have changed.
func (j *joining) mergeNote(name, base, ours, theirs string) error {
	ourText, err := j.textOf(ours)
	if err != nil {
		return err
	}
	theirText, err := j.textOf(theirs)
	if err != nil {
		return err
	}
	if j.old[name] || j.theirs.Notes[asideName(j.x.Project, name, ourText)] != "" && !j.isAsideHere(name, theirText) {
		j.take(name, theirs) // it has gone on there, or was set against ours there already
		return nil
	}
	if _, err := j.x.Store.ReadPast(notesDir+name, store.Revision(theirText)); base == "" && (err == nil || j.oldThere[name]) {
		return nil // ours has gone on from it
	}
	if code := j.code[name]; base == "" && len(code) > 0 {
		switch inOurs, inTheirs := slices.Index(code, ours), slices.Index(code, theirs); {
		case inTheirs >= 0 && (inOurs < 0 || inOurs < inTheirs):
			return nil // the code's commits have gone on from theirs, or ours from them
		case inOurs >= 0:
			j.take(name, theirs)
			return nil
		}
		base = code[0]
	}
	sides := merge.Sides{Ours: ourText, Theirs: theirText}
	if base != "" {
		if sides.Base, err = j.textOf(base); err != nil {
			return err
		}
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
	return nil
}

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
