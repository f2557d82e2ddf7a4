package notesync

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
)

// noUID starts the key of a tombstone that knows only the file name of its note.
const noUID = "~"

// noteFile is a note in a tree or on disk.
type noteFile struct {
	name     string // "ID.md"
	blob     string // backend's id of the text
	revision string // of the text, empty if unknown
}

// same reports whether two files have the same name and text.
func (n noteFile) same(other noteFile) bool { return n.name == other.name && n.blob == other.blob }

// MarshalJSON encodes the file as an array.
func (n noteFile) MarshalJSON() ([]byte, error) {
	return json.Marshal([3]string{n.name, n.blob, n.revision})
}

// UnmarshalJSON decodes what MarshalJSON has encoded.
func (n *noteFile) UnmarshalJSON(text []byte) error {
	var parts [3]string
	err := json.Unmarshal(text, &parts)
	n.name, n.blob, n.revision = parts[0], parts[1], parts[2]
	return err
}

// tree is a state of the notes of a notebook.
type tree struct {
	Notes   map[string]noteFile `json:"notes"` // by uid
	Trash   map[string]string   `json:"trash"` // blobs of tombstones, by the uid of the removed note
	Refused map[string]string   `json:"-"`     // reasons why entries were left out, by path
}

func newTree() tree {
	return tree{Notes: map[string]noteFile{}, Trash: map[string]string{}, Refused: map[string]string{}}
}

func (t tree) clone() tree {
	c := newTree()
	maps.Copy(c.Notes, t.Notes)
	maps.Copy(c.Trash, t.Trash)
	maps.Copy(c.Refused, t.Refused)
	return c
}

// differing returns the uids of the notes that are not the same in both trees, in order.
func (t tree) differing(other tree) (uids []string) {
	for uid, n := range t.Notes {
		if !other.Notes[uid].same(n) {
			uids = append(uids, uid)
		}
	}
	for uid := range other.Notes {
		if t.Notes[uid].name == "" {
			uids = append(uids, uid)
		}
	}
	slices.Sort(uids)
	return uids
}

// sameTrash reports whether both trees have the same tombstones, not counting those without a uid.
func (t tree) sameTrash(other tree) bool {
	withUID := func(trash map[string]string) map[string]string {
		trash = maps.Clone(trash)
		maps.DeleteFunc(trash, func(uid, _ string) bool { return strings.HasPrefix(uid, noUID) })
		return trash
	}
	return maps.Equal(withUID(t.Trash), withUID(other.Trash))
}

// assignUIDs adds files that claim the same uid to notes. The file with the name before keeps the
// uid, or else the first by name. The others are copies and get derived uids, the same on every
// machine.
func assignUIDs(notes map[string]noteFile, claimed string, files []noteFile, before string) {
	slices.SortFunc(files, func(a, b noteFile) int { return strings.Compare(a.name, b.name) })
	first := max(0, slices.IndexFunc(files, func(f noteFile) bool { return f.name == before }))
	for i, f := range files {
		uid := claimed
		if i != first {
			uid = note.DeriveUID(note.IDOf(f.name)+"\x00"+claimed, time.Time{})
		}
		notes[uid] = f
	}
}

// treeEntry is a file of a commit: format, notes/a/b/UID.ID.md or trash/a/b/UID, where a and b are
// the first letters of the uid. A changed note changes only small directories, however many notes
// there are.
type treeEntry struct {
	path, blob string // no blob: the file was deleted
	why        string // reason to refuse it
}

// entryPath returns the path of a note, or of the tombstone if name is empty.
func entryPath(uid, name string) string {
	if name == "" {
		return "trash/" + uid[:1] + "/" + uid[1:2] + "/" + uid
	}
	return "notes/" + uid[:1] + "/" + uid[1:2] + "/" + uid + "." + name
}

// apply applies a changed entry to the tree.
func (t *tree) apply(e treeEntry) {
	dir, rest, _ := strings.Cut(e.path, "/")
	uid, name := rest, ""
	if at := strings.LastIndexByte(rest, '/'); at >= 0 {
		uid, name, _ = strings.Cut(rest[at+1:], ".")
	}
	sharded := note.IsUID(uid) && e.path == entryPath(uid, name)
	switch {
	case e.blob == "" && dir == "notes" && sharded:
		if t.Notes[uid].name == name {
			delete(t.Notes, uid)
		}
		return
	case e.blob == "" && dir == "trash" && sharded:
		delete(t.Trash, uid)
		return
	case e.blob == "":
		delete(t.Refused, e.path)
		return
	case e.path == "format":
		return
	case e.why == "" && !sharded:
		e.why = "its name is not that of a note"
	case e.why == "" && dir == "notes":
		e.why = store.SafeName(name)
	}
	switch {
	case e.why != "":
		t.Refused[e.path] = e.why
	case dir == "notes":
		if there, twice := t.Notes[uid]; twice && there.name < name {
			t.Refused[e.path] = "another note has the same uid"
			break
		}
		t.Notes[uid] = noteFile{name: name, blob: e.blob}
	default:
		t.Trash[uid] = e.blob
	}
}

// compare returns the entries that turn the commit of t into that of to.
func (t tree) compare(to tree) (changed []treeEntry) {
	for uid, n := range t.Notes {
		if to.Notes[uid].name != n.name {
			changed = append(changed, treeEntry{path: entryPath(uid, n.name)})
		}
	}
	for uid, n := range to.Notes {
		if !t.Notes[uid].same(n) {
			changed = append(changed, treeEntry{path: entryPath(uid, n.name), blob: n.blob})
		}
	}
	for uid := range t.Trash {
		if to.Trash[uid] == "" {
			changed = append(changed, treeEntry{path: entryPath(uid, "")})
		}
	}
	for uid, blob := range to.Trash {
		if t.Trash[uid] != blob {
			changed = append(changed, treeEntry{path: entryPath(uid, ""), blob: blob})
		}
	}
	return changed
}

// snapshot is the base: the tree that this machine had in common with the remote after the last
// sync. Without the file a sync reads more and does the same.
type snapshot struct {
	Commit  string `json:"commit"`
	Project string `json:"project,omitempty"` // id of the project on the server
	Stand   string `json:"stand,omitempty"`   // version of the server at this tree, empty if it never had just this tree
	tree

	Removals map[string]removal `json:"removals,omitempty"` // the last removals on the server, by name
}

// removal is when a server removed a note, in nanoseconds since 1970, and the text that it had.
type removal struct {
	At       int64  `json:"at"`
	Revision string `json:"revision,omitempty"`
}

// begun is what syncs have begun since the base was saved. If one was interrupted, the next
// sync learns from it which files were already changed, and whether the push has arrived. These
// count as changes that both sides have.
type begun struct {
	Base  string     `json:"base"`            // oldest first
	Taken []taking   `json:"taken,omitempty"` // the oldest first
	Sent  []sentNote `json:"sent,omitempty"`  // to a server
}

// sentNote is a change that was sent to a server, with the last removal of the name before
// that.
type sentNote struct {
	RemoteNote
	UID   string `json:"uid"`
	Again bool   `json:"again,omitempty"` // the server may have had the revision before
}

// loadBegun returns what was begun at a base.
func loadBegun(file, base string) (b begun) {
	if b = load[begun](file+"-begun", snapshotLimit); b.Base != base {
		b = begun{Base: base}
	}
	return b
}

func (b begun) save(file string) error { return save(atomicfile.Target{Path: file + "-begun"}, b) }

// drop forgets what was begun, since the base was saved.
func (b *begun) drop(file string) {
	if len(b.Taken)+len(b.Sent) > 0 {
		_ = os.Remove(file + "-begun") // it is ignored for another base
	}
	*b = begun{}
}

// snapshotLimit is the largest snapshot that is read, in bytes.
const snapshotLimit = 64 << 20

// load decodes a regular file of at most limit bytes. It returns the zero value if it cannot.
func load[T any](path string, limit int64) (v T) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return v
	}
	var read T
	if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &read) == nil {
		v = read
	}
	return v
}

// save encodes v into a file, atomically.
func save(file atomicfile.Target, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return file.Replace(text)
}
