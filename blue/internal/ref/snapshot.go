package ref

import (
	"encoding/json"
	"os"

	"blue/blue/internal/atomicfile"
)

// snapshotLimit is how many bytes of a snapshot are read.
const snapshotLimit = 64 << 20

// Snapshot is what a machine keeps of a notebook as it was last in line with the others: so
// that only what has changed since needs to be read. Without it a sync does more, and the same.
type Snapshot struct {
	Commit  string `json:"commit"`
	Project string `json:"project,omitempty"` // by the id that a server has for it
	Stand   string `json:"stand,omitempty"`   // of the server when it had these notes, empty when it never had just these

	Notes map[string][3]string `json:"notes"` // name, blob and revision, by uid
	Trash map[string]string    `json:"trash"`
}

// LoadSnapshot reads one; it is empty when it cannot be read.
func LoadSnapshot(path string) (s Snapshot) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > snapshotLimit {
		return Snapshot{}
	}
	if text, err := os.ReadFile(path); err != nil || json.Unmarshal(text, &s) != nil {
		return Snapshot{}
	}
	return s
}

// Save writes it, whole or not at all.
func (s Snapshot) Save(path string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return atomicfile.File{Path: path}.Replace(text)
}

// Tree is the notes of the snapshot.
func (s Snapshot) Tree() Tree {
	t := NewTree()
	for uid, n := range s.Notes {
		t.Notes[uid] = Note{n[0], n[1], n[2]}
	}
	for uid, blob := range s.Trash {
		t.Trash[uid] = blob
	}
	return t
}

// Put makes the notes of the snapshot those of a tree.
func (s *Snapshot) Put(t Tree) {
	s.Notes, s.Trash = map[string][3]string{}, t.Trash
	for uid, n := range t.Notes {
		s.Notes[uid] = [3]string{n.Name, n.Blob, n.Revision}
	}
}
