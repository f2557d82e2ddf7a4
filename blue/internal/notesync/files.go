package notesync

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/screen"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
)

const notesDir = "notes/"

// read reads the base and the files, and fills r.tree with what may be sent. A note that is
// withheld stays in it as in the base.
func (r *round) read(ctx context.Context, h heads) (err error) {
	r.heads, r.project = h, cmp.Or(h.project, r.project)
	if r.base, err = r.backend.ReadTree(ctx, h.base); err != nil {
		return err
	}
	r.forgotten = h.forgotten
	for _, n := range r.base.Notes {
		if n.revision != "" {
			r.revisions[n.blob] = n.revision
		}
	}
	if err := r.readFiles(ctx); err != nil {
		return err
	}
	for i := range h.taken {
		if err := r.addTaken(ctx, i); err != nil {
			return err
		}
	}
	r.tree = tree{Notes: maps.Clone(r.base.Notes), Trash: maps.Clone(r.base.Trash)}
	if err := r.addChanged(ctx); err != nil {
		return err
	}
	if err := r.dropRemoved(); err != nil || h.fork == h.base {
		return err
	}
	own := r.base
	if r.base, err = r.backend.ReadTree(ctx, h.fork); err != nil {
		return err
	}
	r.advance(own, h.since)
	return nil
}

// advance moves the base from the fork to what this machine had in common with the remote, own, for
// the notes whose text or removal the remote has had since the fork. What it has not had since was
// lost there; a removal that was lost counts again.
func (r *round) advance(own tree, since map[string]bool) {
	r.forgotten, r.own = map[string]string{}, own
	for uid, n := range own.Notes {
		if since[n.blob] {
			r.base.Notes[uid] = n
			delete(r.base.Trash, uid)
		}
	}
	for uid, mark := range own.Trash {
		switch {
		case since[mark]:
			delete(r.base.Notes, uid)
			r.base.Trash[uid] = mark
		case r.base.Trash[uid] != mark:
			r.forgotten[uid] = ""
		}
	}
}

// readFiles assigns the files to uids. It reads those that differ from the base, and keeps the
// first of their texts.
func (r *round) readFiles(ctx context.Context) (err error) {
	texts := r.Store.Texts()
	defer texts.Close()
	inBase := uidsOf(r.base)
	claims := map[string][]noteFile{} // by uid
	size := 0
	for f, err := range r.Store.Files(ctx) {
		name, public := strings.CutPrefix(f.Name, notesDir)
		if err != nil && (f.Name == "" || f.Name+"/" == notesDir) {
			return err
		}
		if !public || store.SafeName(name) != "" {
			continue
		}
		if err == nil && f.Problem != "" { // a link, a directory or too large: nothing may replace it
			err = errors.NotServed(f.Name, f.Problem)
		}
		if uid := inBase[name]; err == nil && uid != "" && r.isIndexed(f, r.base.Notes[uid].revision) {
			claims[uid] = append(claims[uid], r.base.Notes[uid])
			continue
		}
		var data []byte
		if err == nil {
			data, err = texts.Read(f.Name, f.Inode)
		}
		if errors.Is(err, errors.NotFound) {
			continue // removed concurrently
		}
		if err != nil {
			r.unreadable[name] = true
			r.withhold(inBase[name], name, err)
			continue
		}
		n, file := note.ParseText(name, data), noteFile{name, r.backend.ID(data), store.Revision(data)}
		r.revisions[file.blob] = file.revision
		r.paths[file.blob] = f.Name
		if size += len(data); size <= batchBytes {
			r.texts.put(file.blob, data)
		}
		claims[n.Identity()] = append(claims[n.Identity()], file)
	}
	for uid, files := range claims {
		if files, err = r.dropHalf(ctx, uid, files); err != nil {
			return err
		}
		assignUIDs(r.files, uid, files, r.base.Notes[uid].name)
	}
	return ctx.Err()
}

// addTaken moves the base forward for the notes whose files an interrupted sync has written
// from a commit: the files are still the same, or the journal says so.
func (r *round) addTaken(ctx context.Context, i int) error {
	taken, err := r.backend.ReadTree(ctx, r.heads.taken[i].Commit)
	if err != nil {
		return err
	}
	r.taken = append(r.taken, taken)
	written := r.writtenWhile(i)
	for _, uid := range r.base.differing(taken) {
		n := taken.Notes[uid]
		done := r.files[uid].same(n) || written[notesDir+cmp.Or(n.name, r.base.Notes[uid].name)]
		_, half := r.half[uid]
		switch {
		case !done || half || r.withheld[uid]:
		case n.name != "":
			r.base.Notes[uid] = n
			delete(r.base.Trash, uid)
		default:
			delete(r.base.Notes, uid)
			if mark := taken.Trash[uid]; mark != "" {
				r.base.Trash[uid] = mark
			}
		}
	}
	return nil
}

// writtenWhile returns the names of the files that syncs have changed while commit i was taken,
// as far as the journal tells.
func (r *round) writtenWhile(i int) map[string]bool {
	changes, _ := r.Store.Journal() // without the journal, the files tell most of it
	at := func(i int) int {
		return slices.IndexFunc(changes, func(c store.Change) bool { return c.Time.Equal(r.heads.taken[i].Change) }) + 1
	}
	from, to := at(i), len(changes)
	if i+1 < len(r.heads.taken) {
		to = at(i + 1)
	}
	written := map[string]bool{}
	for n := from; 0 < from && n < to; n++ {
		if changes[n].Client == store.Synced {
			written[changes[n].Name] = true
		}
	}
	return written
}

// dropHalf removes from the files of a note the one to which a killed sync was renaming it, and
// records that file in r.half.
func (r *round) dropHalf(ctx context.Context, uid string, files []noteFile) ([]noteFile, error) {
	before := r.base.Notes[uid].name
	for _, from := range files {
		if len(files) < 2 || before != "" && from.name != before {
			continue
		}
		for i, to := range files {
			if to.name == from.name {
				continue
			}
			if half, err := r.isHalf(ctx, uid, from.name, to); half || err != nil {
				r.half[uid] = to
				return slices.Delete(files, i, i+1), err
			}
		}
	}
	return files, nil
}

// isHalf reports whether a sync was renaming the file of a note to another one: because others
// have renamed it, which leaves an alias, or because another note has its name.
func (r *round) isHalf(ctx context.Context, uid, from string, to noteFile) (bool, error) {
	if to.name == r.separateName(uid, from, nil) || to.name == r.thirdName(uid, from) {
		return true, nil
	}
	if r.base.Notes[uid].name != from {
		return false, nil
	}
	theirs, err := r.backend.ReadTree(ctx, r.heads.remote)
	if err != nil || theirs.Notes[uid].name == to.name {
		return err == nil, err
	}
	text, err := r.ownText(to.blob)
	return err == nil && slices.Contains(note.ParseText(to.name, text).Aliases, note.IDOf(from)), err
}

// isIndexed reports whether the index has this revision of the file in its present state.
func (r *round) isIndexed(f store.File, revision string) bool {
	row, ok := r.Row(f.Name)
	return ok && revision != "" && row.Revision == revision &&
		row.Stamp == index.Stamp{Size: f.Size, ModTime: f.ModTime.UnixNano(), ChangeTime: f.ChangeTime.UnixNano(), Inode: f.Inode}
}

// withhold excludes a note from what is sent.
func (r *round) withhold(uid, name string, why error) {
	r.withheld[uid] = true
	r.out.Withheld = append(r.out.Withheld, result.NamedNote{ID: note.IDOf(name), Why: errors.Of(why).Message})
}

// addChanged adds the files that differ from the base to the tree, except those that are withheld.
func (r *round) addChanged(ctx context.Context) error {
	var changed, edited []string
	for uid, f := range r.files {
		if n := r.base.Notes[uid]; !n.same(f) {
			changed = append(changed, uid)
			if n.blob != f.blob {
				edited = append(edited, uid)
			}
		}
	}
	why, err := r.screenAll(ctx, edited)
	if err != nil {
		return err
	}
	slices.Sort(changed)
	for _, uid := range changed {
		f := r.files[uid]
		if slices.Contains(r.erased, f.blob) {
			why[uid] = wasErased()
		}
		if why[uid] != nil {
			r.withhold(uid, f.name, why[uid])
			continue
		}
		r.tree.Notes[uid], r.fresh[f.blob] = noteFile{name: f.name, blob: f.blob}, true
		delete(r.tree.Trash, uid)
	}
	return nil
}

// wasErased returns the error for a text that the server has erased and does not take.
func wasErased() *errors.Error {
	return errors.E(errors.Denied, "it was erased on the server; remove it here with blue remove").Hint("", "", "all other notes go")
}

// screenAll returns the reasons why notes must not be sent.
func (r *round) screenAll(ctx context.Context, uids []string) (why map[string]error, err error) {
	why = map[string]error{}
	byBase := map[string][]string{} // by blob in the base, empty for new notes
	for _, uid := range uids {
		byBase[r.base.Notes[uid].blob] = append(byBase[r.base.Notes[uid].blob], uid)
	}
	check := func(base string, before []byte) error {
		for _, uid := range byBase[base] {
			f := r.files[uid]
			after, err := r.ownText(f.blob)
			if err != nil {
				return err
			}
			if why[uid] = screen.Refuse(note.IDOf(f.name), string(before), string(after), false); note.ParseText(f.name, after).Conflicted {
				why[uid] = errors.Conflicted(note.IDOf(f.name))
			}
		}
		delete(byBase, base)
		return nil
	}
	err = check("", nil)
	if err == nil {
		err = r.eachText(ctx, slices.Collect(maps.Keys(byBase)), check)
	}
	for base := range byBase { // its text is lost
		if err == nil {
			err = check(base, nil)
		}
	}
	return why, err
}

// dropRemoved replaces notes that were removed here by tombstones: those whose file is missing
// and whose text is in the trash and was not reported before.
func (r *round) dropRemoved() error {
	trashed, err := r.Store.Trash()
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, t := range append(r.taken, r.base) {
		for uid, n := range t.Notes {
			if _, there := r.files[uid]; !there && !r.withheld[uid] && !r.unreadable[n.name] {
				gone[uid] = true
			}
		}
	}
	known, reported := r.last.Commit != "", map[string]bool{}
	for _, file := range r.last.Reported {
		reported[file] = true
	}
	for _, t := range trashed { // newest first
		name, public := strings.CutPrefix(t.Name, notesDir)
		if !public {
			continue
		}
		r.trashed = append(r.trashed, t.File)
		if len(gone) == 0 || known && reported[t.File] {
			continue
		}
		text, revision, err := r.Store.ReadTrashed(t.File)
		if err != nil {
			continue
		}
		n := note.ParseText(name, text)
		uid := n.Identity()
		if !gone[uid] {
			continue
		}
		for _, taken := range r.taken {
			if n := taken.Notes[uid]; n.blob == r.backend.ID(text) {
				r.base.Notes[uid] = n
			}
		}
		base := r.base.Notes[uid]
		if base.name == "" || !known && r.backend.ID(text) != base.blob && !r.wasReplaced(base) {
			continue // an earlier removal: the note has come back since
		}
		delete(gone, uid)
		r.unsent = append(r.unsent, t.File)
		delete(r.tree.Notes, uid)
		r.tree.Trash[uid] = r.addText(tombstone(uid, note.IDOf(base.name), revision, t.Time, note.ShowWord(r.User)))
	}
	return nil
}

// wasReplaced reports whether the text of a note was replaced here.
func (r *round) wasReplaced(n noteFile) bool {
	past, _ := r.Store.Revisions(notesDir + n.name)
	return slices.ContainsFunc(past, func(p store.Past) bool {
		text, err := r.Store.ReadPast(notesDir+n.name, p.Revision)
		return err == nil && r.backend.ID(text) == n.blob
	})
}

// tombstone returns the file that records a removed note. Time and author are for people only.
func tombstone(uid, id, revision string, removed time.Time, by string) []byte {
	return fmt.Appendf(nil, "uid: %s\nid: %s\nrevision: %s\nremoved: %s\nby: %q\n",
		uid, id, revision, removed.UTC().Format(time.RFC3339), by)
}

// tombstoneRevision returns the revision in the file of a tombstone.
func tombstoneRevision(text []byte) (revision string) {
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "revision: "); ok {
			revision = value
		}
	}
	return revision
}

// addText makes a text available to the tree and returns its id.
func (r *round) addText(text []byte) string {
	blob := r.backend.ID(text)
	r.texts.put(blob, text)
	r.fresh[blob], r.revisions[blob] = true, store.Revision(text)
	return blob
}

// eachText calls each once for every text of blobs that exists, here or at the backend.
func (r *round) eachText(ctx context.Context, blobs []string, each func(blob string, text []byte) error) error {
	var elsewhere []string
	seen := map[string]bool{}
	for _, blob := range blobs {
		if seen[blob] {
			continue
		}
		seen[blob] = true
		if !r.hasText(blob) {
			elsewhere = append(elsewhere, blob)
			continue
		}
		text, err := r.ownText(blob)
		if err == nil {
			err = each(blob, text)
		}
		if err != nil {
			return err
		}
	}
	return r.backend.ReadTexts(ctx, elsewhere, each)
}

// hasText reports whether ownText has a text.
func (r *round) hasText(blob string) bool {
	_, own := r.paths[blob]
	return own || r.texts.has(blob)
}

// ownText returns a text from r.texts or its file. It returns errMoved if the file has changed.
func (r *round) ownText(blob string) (text []byte, err error) {
	if path, own := r.paths[blob]; own && !r.texts.has(blob) {
		text, _, err = r.Store.Read(path)
	} else {
		text, err = r.texts.get(blob)
	}
	if err != nil || r.backend.ID(text) != blob {
		return nil, errMoved // the next round reports what is wrong with the file
	}
	return text, nil
}

// textOf is like ownText but returns nil for a text that is lost.
func (r *round) textOf(blob string) ([]byte, error) {
	if blob == "" || !r.hasText(blob) {
		return nil, nil
	}
	return r.ownText(blob)
}

// spool holds texts by id: the first batchBytes of them in memory, the others in a temporary file.
type spool struct {
	dir    string // of the file
	memory map[string][]byte
	size   int // of the texts in memory
	file   *os.File
	end    int64
	places map[string][2]int64 // offset and size of a text in the file
}

// newSpool returns an empty spool that creates its file in dir.
func newSpool(dir string) *spool {
	return &spool{dir: dir, memory: map[string][]byte{}, places: map[string][2]int64{}}
}

// put adds a text. If the file cannot be written the text stays in memory.
func (s *spool) put(blob string, text []byte) {
	switch {
	case s.has(blob):
	case s.size+len(text) > batchBytes && s.write(text):
		s.places[blob] = [2]int64{s.end, int64(len(text))}
		s.end += int64(len(text))
	default:
		s.memory[blob] = text
		s.size += len(text)
	}
}

func (s *spool) write(text []byte) bool {
	if s.file == nil {
		_ = os.MkdirAll(s.dir, 0o700)
		file, err := os.CreateTemp(s.dir, "texts-*")
		if err != nil {
			return false
		}
		_ = os.Remove(file.Name()) // close does it where open files cannot be removed
		s.file = file
	}
	_, err := s.file.WriteAt(text, s.end)
	return err == nil
}

// has reports whether put was called with blob.
func (s *spool) has(blob string) bool {
	_, inMemory := s.memory[blob]
	_, written := s.places[blob]
	return inMemory || written
}

// get returns a text.
func (s *spool) get(blob string) ([]byte, error) {
	place, written := s.places[blob]
	if !written {
		return s.memory[blob], nil
	}
	text := make([]byte, place[1])
	_, err := s.file.ReadAt(text, place[0])
	return text, err
}

// close removes the file.
func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}
