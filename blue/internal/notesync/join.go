package notesync

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
)

// A sync asks for confirmation of more removals than manyRemovals that are also more than one in
// largeShare of all notes.
const (
	manyRemovals = 20
	largeShare   = 5
)

// joiner merges the tree of the remote into that of a round.
type joiner struct {
	*round
	result  map[string]noteFile
	trash   map[string]string // our tombstones
	uids    []string          // of the notes that may differ, in order
	removed []string          // ids of the notes that others have removed
}

// join merges the tree of the remote into r.tree.
func (r *round) join(ctx context.Context) (err error) {
	if r.theirs, err = r.backend.ReadTree(ctx, r.heads.remote); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(r.theirs.Refused)) {
		r.out.Refused = append(r.out.Refused, result.NamedNote{ID: path, Why: r.theirs.Refused[path]})
	}
	if r.heads.fork != r.heads.base {
		r.recognize()
	}
	r.authors, _ = r.backend.Authors(ctx, r.heads.base, r.heads.remote) // else changes have no author
	j := &joiner{round: r, result: maps.Clone(r.tree.Notes), trash: r.tree.Trash, uids: r.base.differing(r.theirs)}
	for uid := range r.tree.Notes {
		if r.base.Notes[uid].name == "" && r.theirs.Notes[uid].name == "" {
			j.uids = append(j.uids, uid)
		}
	}
	slices.Sort(j.uids)
	if err := j.readDiffering(ctx); err != nil {
		return err
	}
	if err := j.mergeAll(ctx); err != nil {
		return err
	}
	r.tree = tree{Notes: j.result, Trash: j.mergeTrash()}
	return nil
}

// recognize moves the base of a remote that was set back to what it has, for the notes of which this
// machine has had that text or removal before what it has now: what was done since counts.
func (r *round) recognize() {
	for uid, n := range r.theirs.Notes {
		own, known := r.own.Notes[uid]
		mark := r.own.Trash[uid]
		switch {
		case known && r.heads.since[own.blob], mark != "" && r.heads.since[mark]: // theirs came later
		case r.heads.ownSince[n.blob]:
			r.base.Notes[uid] = n
		}
	}
	for uid, mark := range r.theirs.Trash {
		if r.heads.ownSince[mark] && r.tree.Notes[uid].name != "" { // it was restored
			delete(r.base.Notes, uid)
			r.base.Trash[uid] = mark
		}
	}
}

// isHere reports whether we have a note or its tombstone.
func (j *joiner) isHere(uid string) bool { return j.files[uid].name != "" || j.trash[uid] != "" }

// readDiffering reads the texts that mergeAll compares.
func (j *joiner) readDiffering(ctx context.Context) error {
	var blobs []string
	for _, uid := range j.uids {
		base, ours, theirs := j.base.Notes[uid], j.tree.Notes[uid], j.theirs.Notes[uid]
		if !ours.same(theirs) && !ours.same(base) && !theirs.same(base) {
			blobs = append(blobs, base.blob, ours.blob, theirs.blob, j.tree.Trash[uid], j.theirs.Trash[uid])
		}
		if theirs.name == "" && base.name == "" {
			blobs = append(blobs, ours.blob, j.newTombstone(uid, ours.name))
		}
		if _, forgotten := j.forgotten[uid]; forgotten && ours.name == "" && base.name == "" {
			blobs = append(blobs, theirs.blob, j.tree.Trash[uid])
		}
	}
	blobs = slices.DeleteFunc(blobs, func(blob string) bool { return blob == "" || j.hasText(blob) })
	err := j.eachText(ctx, blobs, func(blob string, text []byte) error {
		j.texts.put(blob, text)
		return nil
	})
	_, git := j.backend.(*gitBackend)
	for _, blob := range blobs {
		if err == nil && git && !j.out.Healed && !j.hasText(blob) { // Heal fetches it again
			err = errors.GitFailed("cat-file", blob+" missing")
		}
	}
	return err
}

// newTombstone returns the blob of the remote's tombstone of a note, if the base does not have it.
func (j *joiner) newTombstone(uid, name string) string {
	named := noUID + name
	if j.base.Trash[uid] != "" || j.base.Trash[named] != "" {
		return ""
	}
	return cmp.Or(j.theirs.Trash[uid], j.theirs.Trash[named])
}

// mergeAll decides what becomes of each note that is not the same in the base and there.
func (j *joiner) mergeAll(ctx context.Context) error {
	for _, uid := range j.uids {
		base, ours, theirs := j.base.Notes[uid], j.tree.Notes[uid], j.theirs.Notes[uid]
		var err error
		switch {
		case ours.same(theirs):
		case theirs.name == "" && base.name == "":
			err = j.dropIfRemoved(ctx, uid)
		case theirs.same(base):
		case theirs.name == "": // removed there
			err = j.settleRemoval(uid, j.theirs.Trash[uid], ours, func() { j.drop(uid) }, func() {})
		case ours.name == "" && j.heads.setBack && j.isPast(uid, theirs): // removed here
		case ours.name == "" && base.name != "":
			err = j.settleRemoval(uid, j.tree.Trash[uid], theirs, func() {}, func() { j.result[uid] = theirs })
		case ours.name == "" && j.isForgotten(uid, theirs):
			j.out.SetBack = true
		case ours.same(base):
			j.result[uid] = theirs
		default:
			err = j.mergeNote(ctx, uid, base, ours, theirs)
		}
		if err != nil {
			return err
		}
	}
	if n := len(j.removed); n > manyRemovals && n*largeShare > len(j.tree.Notes) && !j.options.AcceptRemovals {
		slices.Sort(j.removed)
		return errors.E(errors.Conflict, "%d of %d notes were removed on the other side: %s",
			len(j.removed), len(j.tree.Notes), errors.List(errors.Lines(j.removed, len(j.removed), 80), 8)).
			With(map[string]any{"removed": errors.Lines(j.removed, len(j.removed), 80)}).
			Hint("sync", "--accept-removals", "if that was intended; here they go to the trash").
			Hint("sync", "--json", "see the whole list")
	}
	return nil
}

func (j *joiner) drop(uid string) {
	j.removed = append(j.removed, note.IDOf(j.result[uid].name))
	delete(j.result, uid)
}

// settleRemoval decides about a note that one side has removed, with a tombstone, and the other has
// changed. The removal wins if it removed the changed text, or if only marks were changed.
func (j *joiner) settleRemoval(uid, mark string, changed noteFile, remove, keep func()) error {
	base, err := j.textOf(j.base.Notes[uid].blob)
	if err != nil {
		return err
	}
	text, err := j.textOf(changed.blob)
	if err != nil {
		return err
	}
	removal, err := j.textOf(mark)
	if err != nil {
		return err
	}
	if changed.blob == j.base.Notes[uid].blob || base != nil && onlyMarks(base, text) || tombstoneRevision(removal) == store.Revision(text) {
		remove()
		return nil
	}
	keep()
	j.out.Returned = append(j.out.Returned, note.IDOf(changed.name))
	return nil
}

// dropIfRemoved drops a note that the base does not have if the remote has removed it at the same
// revision or a later one.
func (j *joiner) dropIfRemoved(ctx context.Context, uid string) error {
	mark, err := j.textOf(j.newTombstone(uid, j.tree.Notes[uid].name))
	if err != nil || mark == nil {
		return err
	}
	ours, err := j.textOf(j.tree.Notes[uid].blob)
	if err != nil {
		return err
	}
	past := tombstoneRevision(mark) == store.Revision(ours)
	if !past {
		past, err = j.backend.Had(ctx, j.tree.Notes[uid].name, j.tree.Notes[uid].blob)
	}
	if past {
		j.drop(uid)
	}
	return err
}

// isForgotten reports whether the remote has lost the removal of a note.
func (j *joiner) isForgotten(uid string, theirs noteFile) bool {
	revision, forgotten := j.forgotten[uid]
	return forgotten && (revision != "" && revision == theirs.revision || j.isPast(uid, theirs))
}

// isPast reports whether a note that was removed here had a text: that of its removal or an earlier
// one.
func (j *joiner) isPast(uid string, theirs noteFile) bool {
	text, err := j.textOf(theirs.blob)
	if err != nil || text == nil {
		return false
	}
	revision, name := store.Revision(text), notesDir+theirs.name
	if mark, err := j.textOf(j.tree.Trash[uid]); err == nil && tombstoneRevision(mark) == revision {
		return true
	}
	trashed, _ := j.Store.TrashedAs(name)
	_, err = j.Store.ReadPast(name, revision)
	return err == nil && len(trashed) > 0 || slices.ContainsFunc(trashed, func(t store.Trashed) bool {
		_, of, err := j.Store.ReadTrashed(t.File)
		return err == nil && of == revision
	})
}

// mergeNote merges a note that both sides have changed.
func (j *joiner) mergeNote(ctx context.Context, uid string, base, ours, theirs noteFile) error {
	name := ours.name
	if ours.name == base.name {
		name = theirs.name
	}
	blob, err := j.mergeBlobs(ctx, uid, base, ours, theirs)
	if err != nil {
		return err
	}
	if name != theirs.name && theirs.name != base.name { // both have renamed it
		if blob, err = j.addAlias(name, blob, note.IDOf(theirs.name)); err != nil {
			return err
		}
	}
	j.result[uid] = noteFile{name: name, blob: blob}
	return nil
}

// mergeBlobs merges the texts of a note and returns the id of the result.
func (j *joiner) mergeBlobs(ctx context.Context, uid string, base, ours, theirs noteFile) (blob string, err error) {
	switch {
	case ours.blob == theirs.blob, theirs.blob == base.blob:
		return ours.blob, nil
	case ours.blob == base.blob:
		return theirs.blob, nil
	}
	var v versions
	if v.Ours, err = j.textOf(ours.blob); err == nil {
		v.Theirs, err = j.textOf(theirs.blob)
	}
	if err == nil && base.blob != "" {
		v.Base, err = j.textOf(base.blob)
	}
	if err != nil {
		return "", err
	}
	kept := j.conflictUID(ours.name, v.Ours)
	isNew := j.theirs.Notes[kept].name != "" && j.base.Notes[kept].name == ""
	if isNew && !j.isHere(j.conflictUID(ours.name, v.Theirs)) {
		return theirs.blob, nil // they have kept ours in a conflict note
	}
	if base.blob == "" || j.heads.setBack {
		if _, err := j.Store.ReadPast(notesDir+ours.name, store.Revision(v.Theirs)); err == nil {
			return ours.blob, nil // theirs is an earlier revision of ours
		}
	}
	if base.blob == "" {
		if had, err := j.backend.Had(ctx, theirs.name, ours.blob); err != nil || had && !j.isAgain(ours.name, store.Revision(v.Ours)) {
			return theirs.blob, err // ours is an earlier revision of theirs
		}
	}
	return j.mergeTexts(uid, ours.name, theirs.blob, v), nil
}

// isAgain reports whether a note has had a revision more than once here, as after an undo.
func (j *joiner) isAgain(name, revision string) bool {
	changes, _ := j.Store.Journal()
	times := 0
	for _, c := range changes {
		if c.Name == notesDir+name && c.Revision == revision {
			times++
		}
	}
	return times > 1
}

// mergeTexts merges texts and returns the id of the result. What the result lacks of theirs goes to
// the history and, for lines that both have changed, to a conflict note.
func (j *joiner) mergeTexts(uid, name, theirs string, v versions) (blob string) {
	merged := mergeNotes(name, v)
	if merged.Lossy() {
		j.superseded[uid] = theirs
	}
	// Of a remote that was set back it is not known which text is the later one.
	if (merged.Overlap || j.heads.setBack && merged.Lossy()) && !j.isHere(j.conflictUID(name, v.Theirs)) { // nor was it removed here
		file, text := conflictNote(j.project, name, v.Theirs)
		n := note.ParseText(file, text)
		j.result[n.Identity()] = noteFile{name: file, blob: j.addText(text)}
		if j.authors != nil {
			j.authors[n.Identity()] = j.authors[uid]
		}
		j.out.Conflicts = append(j.out.Conflicts, result.Clash{ID: note.IDOf(name), With: note.IDOf(file)})
	} else {
		j.out.Merged = append(j.out.Merged, note.IDOf(name))
	}
	return j.addText(merged.Text)
}

// conflictUID returns the uid of the conflict note for a text.
func (j *joiner) conflictUID(name string, text []byte) string {
	file, text := conflictNote(j.project, name, text)
	n := note.ParseText(file, text)
	return n.Identity()
}

// addAlias adds an alias to the text of a note.
func (j *joiner) addAlias(name, blob, alias string) (string, error) {
	text, err := j.textOf(blob)
	if err != nil {
		return "", err
	}
	n := note.ParseText(name, text)
	if n.Problem != "" || slices.Contains(n.Aliases, alias) {
		return blob, nil
	}
	if err := n.SetKey("aliases", note.InlineList(append(n.Aliases, alias))); err != nil {
		return blob, nil // links to the alias are broken
	}
	return j.addText(n.Bytes()), nil
}

// conflictNote returns the file name and the text of the note that keeps another text of a note.
func conflictNote(project, name string, text []byte) (file string, marked []byte) {
	return conflictName(project, name, text), conflictText(note.IDOf(name), text)
}

// conflictName returns the file name of a conflict note. It is the same on every machine.
func conflictName(project, name string, text []byte) string {
	n := note.ParseText(name, text)
	key := "conflict\x00" + note.IDOf(name) + "\x00" + store.Revision(text)
	return freeName(project, n.Title, key, func(string) bool { return true })
}

// freeName returns the first file name made of title and key that is free.
func freeName(project, title, key string, isFree func(name string) bool) string {
	for suffix := range note.IDSuffixes(project, key) {
		if name := note.MakeSlug(title) + "-" + suffix + ".md"; isFree(name) {
			return name
		}
	}
	return ""
}

// separateName returns a new name for a note whose name another note has. taken maps the names
// in use to uids.
func (r *round) separateName(uid, name string, taken map[string]string) string {
	return freeName(r.project, note.IDOf(name), "name\x00"+uid, func(name string) bool { return taken[name] == "" })
}

// thirdName returns the name of a note while two notes exchange their names.
func (r *round) thirdName(uid, name string) string {
	return freeName(r.project, note.IDOf(name), "third\x00"+uid, func(string) bool { return true })
}

// mergeTrash merges the tombstones of both sides and drops those of existing notes. Of two
// tombstones for the same note it keeps theirs.
func (j *joiner) mergeTrash() map[string]string {
	trash := maps.Clone(j.tree.Trash)
	for uid, blob := range j.theirs.Trash {
		if note.IsUID(uid) && (j.tree.Trash[uid] == j.base.Trash[uid] || j.tree.Trash[uid] != "") {
			trash[uid] = blob
		}
	}
	for uid, blob := range trash {
		if j.result[uid].name != "" || j.theirs.Trash[uid] == "" && j.base.Trash[uid] == blob {
			delete(trash, uid)
		}
	}
	return trash
}

// mergeHalf merges what was edited in the second files of notes that were renamed only halfway.
func (r *round) mergeHalf(ctx context.Context) error {
	j := &joiner{round: r, result: r.tree.Notes}
	for uid, half := range r.half {
		n := r.tree.Notes[uid]
		base, known := r.base.Notes[uid].blob, []string{n.blob, r.base.Notes[uid].blob, r.theirs.Notes[uid].blob, r.files[uid].blob}
		if n.name == "" || r.withheld[uid] || slices.Contains(known, half.blob) {
			continue
		}
		texts, err := r.textsOf(ctx, base, n.blob, half.blob)
		if err != nil {
			return err
		}
		n.blob = j.mergeTexts(uid, n.name, half.blob, versions{Base: texts[base], Ours: texts[n.blob], Theirs: texts[half.blob]})
		r.tree.Notes[uid] = n
	}
	return nil
}

// separateNames renames notes until no two have the same name. The note that others know by a
// name keeps it.
func (r *round) separateNames() {
	uids := slices.Sorted(maps.Keys(r.tree.Notes))
	taken := map[string]string{} // uid by name
	for _, known := range []tree{r.theirs, r.base, r.tree} {
		for _, uid := range uids {
			name := r.tree.Notes[uid].name
			if known.Notes[uid].name == name && taken[name] == "" {
				taken[name] = uid
			}
		}
	}
	for _, uid := range uids {
		n := r.tree.Notes[uid]
		if taken[n.name] == uid {
			continue
		}
		name := r.separateName(uid, n.name, taken)
		taken[name] = uid
		why := "it was " + note.IDOf(n.name) + ", which is the name of a note that others have made"
		r.out.Shown = append(r.out.Shown, result.NamedNote{ID: note.IDOf(name), Why: why})
		n.name = name
		r.tree.Notes[uid] = n
	}
}
