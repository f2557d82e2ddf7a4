package ref

import (
	"slices"
	"strings"
	"time"

	"blue/blue/internal/note"
	"blue/blue/internal/store"
)

// NoUID begins the uid of a tombstone that names a note by the name of its file alone.
const NoUID = "~"

// Note is one note of a tree.
type Note struct {
	Name     string // of its file, "ID.md"
	Blob     string // its text, by the name that the remote gives to these bytes
	Revision string // of the text, empty where it is not known
}

// Tree is the notes of a notebook at a moment.
type Tree struct {
	Notes   map[string]Note   // by uid
	Trash   map[string]string // the blob of the tombstone of each removed note, by uid
	Refused map[string]string // why an entry was left out, by its path
	Flat    []string          // the paths of what the first edition has written, which the next commit does not have
}

// NewTree is an empty tree.
func NewTree() Tree {
	return Tree{Notes: map[string]Note{}, Trash: map[string]string{}, Refused: map[string]string{}}
}

// AssignUIDs returns the uids of files that claim one, in the order of their names: that of the
// name which it had before has it, else the first. The others are copies that somebody has made,
// and get uids of their own, the same on each machine.
func AssignUIDs(claimed string, names []string, before string) []string {
	first := max(0, slices.Index(names, before))
	uids := make([]string, len(names))
	for i, name := range names {
		if uids[i] = claimed; i != first {
			uids[i] = note.DeriveUID(note.IDOf(name)+"\x00"+claimed, time.Time{})
		}
	}
	return uids
}

// Same reports whether a tree has a note just so.
func (n Note) Same(other Note) bool { return n.Name == other.Name && n.Blob == other.Blob }

// The files of a commit: format, notes/a/b/UID.ID.md and trash/a/b/UID, where a and b are the
// first letters of the uid: a changed note changes three small directories, however many notes
// there are.
func pathOf(uid, name string) string {
	if name == "" {
		return "trash/" + uid[:1] + "/" + uid[1:2] + "/" + uid
	}
	return "notes/" + uid[:1] + "/" + uid[1:2] + "/" + uid + "." + name
}

// entry is a file of a commit.
type entry struct {
	path, blob string // no blob: the file has gone
	why        string // it is refused
}

// take puts an entry into the tree, or takes it out. It returns the name of a note that lies
// where the first edition put it, without a uid.
func (t *Tree) take(e entry) (old string) {
	dir, rest, _ := strings.Cut(e.path, "/")
	uid, name := rest, ""
	if at := strings.LastIndexByte(rest, '/'); at >= 0 {
		uid, name, _ = strings.Cut(rest[at+1:], ".")
	}
	sharded := note.IsUID(uid) && e.path == pathOf(uid, name)
	switch {
	case e.blob == "" && dir == "notes" && sharded:
		if t.Notes[uid].Name == name {
			delete(t.Notes, uid)
		}
		return ""
	case e.blob == "" && dir == "trash" && sharded:
		delete(t.Trash, uid)
		return ""
	case e.blob == "":
		delete(t.Refused, e.path)
		return ""
	case e.path == "format":
		return ""
	case e.why == "" && dir == "notes" && !strings.Contains(rest, "/") && store.SafeName(rest) == "":
		t.Flat = append(t.Flat, e.path)
		return rest
	case e.why == "" && dir == "trash" && !strings.Contains(rest, "/"): // it has no uid
		t.Flat = append(t.Flat, e.path)
		return ""
	case e.why == "" && !sharded:
		e.why = "its name is not that of a note"
	case e.why == "" && dir == "notes":
		e.why = store.SafeName(name)
	}
	switch {
	case e.why != "":
		t.Refused[e.path] = e.why
	case dir == "notes":
		if there, twice := t.Notes[uid]; twice && there.Name < name {
			t.Refused[e.path] = "another note has the same uid"
			break
		}
		t.Notes[uid] = Note{Name: name, Blob: e.blob}
	default:
		t.Trash[uid] = e.blob
	}
	return ""
}

// compare returns the files in which another tree differs, as they are there. In a tree of the
// first edition there are none yet.
func (from Tree) compare(to Tree) (changed []entry) {
	if len(from.Flat) > 0 {
		from.Notes = nil
	}
	for uid, n := range from.Notes {
		if to.Notes[uid].Name != n.Name {
			changed = append(changed, entry{path: pathOf(uid, n.Name)})
		}
	}
	for uid, n := range to.Notes {
		if !from.Notes[uid].Same(n) {
			changed = append(changed, entry{path: pathOf(uid, n.Name), blob: n.Blob})
		}
	}
	for uid := range from.Trash {
		if to.Trash[uid] == "" {
			changed = append(changed, entry{path: pathOf(uid, "")})
		}
	}
	for uid, blob := range to.Trash {
		if from.Trash[uid] != blob {
			changed = append(changed, entry{path: pathOf(uid, ""), blob: blob})
		}
	}
	return changed
}
