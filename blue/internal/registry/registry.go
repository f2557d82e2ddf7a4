// Package known keeps which projects this user has opened on this machine ([Registry]), and
// asks them when a call is about another project than its own: whether each is still there
// and still the same ([Reach]), all at the same time and none for longer than [AnswerTime]
// ([AskAll]). It knows projects by their roots and names, and nothing of notes.
package registry

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/errors"
)

const (
	freshFor  = 24 * time.Hour // a later use within it is not written
	fileLimit = 64 << 10       // bytes; a longer file is not one of ours
)

// Project is a project that was opened.
type Project struct {
	Root string    `json:"root"` // physical path
	Name string    `json:"name"`
	ID   string    `json:"id"`
	Used time.Time `json:"used"` // exact to a day

	Personal bool `json:"-"` // the one of the notes about the user, which is never in the registry
}

// Registry is the projects that were opened: a small file for each in the user's state
// directory, so that processes which open different projects never meet in one file. Nothing
// in a project can add to it. It is safe for use by several goroutines and processes.
type Registry struct {
	dir string

	mu    sync.Mutex
	noted map[string]Project // by root: what the files say as far as this process knows
}

// OpenRegistry returns the registry in the directory "projects" of the user's state
// directory, which need not exist.
func OpenRegistry(state string) *Registry {
	return &Registry{dir: filepath.Join(state, "projects"), noted: map[string]Project{}}
}

// RecordUse enters that a project is used now. It writes when something has changed or the
// last entry is a day old, and otherwise touches no disk but at the first time in a process.
// Nothing is flushed: an entry that a power cut takes comes back with the next use.
func (r *Registry) RecordUse(p Project) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.isFresh(r.noted[p.Root]) {
		return nil
	}
	if before, ok := readEntry(r.file(p.Root)); ok && p.isFresh(before) {
		r.noted[p.Root] = before
		return nil
	}
	r.noted[p.Root] = p // one that cannot be written is not tried again by each call
	return r.writeEntry(p)
}

// isFresh reports whether an entry already says what p does, as exactly as entries do.
func (p Project) isFresh(entry Project) bool {
	age := p.Used.Sub(entry.Used)
	return entry.Root == p.Root && entry.Name == p.Name && entry.ID == p.ID && age >= 0 && age < freshFor
}

// List returns the projects, the one used last first. A file that is no entry is passed over.
func (r *Registry) List() (all []Project, err error) {
	files, err := os.ReadDir(r.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, f := range files {
		path := filepath.Join(r.dir, f.Name())
		if p, ok := readEntry(path); ok && path == r.file(p.Root) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b Project) int { return cmp.Or(b.Used.Compare(a.Used), strings.Compare(a.Root, b.Root)) })
	return all, nil
}

// Forget takes a project off the registry; the next use enters it again.
func (r *Registry) Forget(root string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.noted, root)
	return os.Remove(r.file(root))
}

// file is the path of the entry of a root, which may hold anything.
func (r *Registry) file(root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(r.dir, hex.EncodeToString(sum[:16]))
}

func readEntry(path string) (p Project, ok bool) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > fileLimit {
		return p, false
	}
	data, err := os.ReadFile(path)
	return p, err == nil && json.Unmarshal(data, &p) == nil && filepath.IsAbs(p.Root)
}

// writeEntry replaces the entry of a project as a whole: who reads meanwhile sees the former
// one.
func (r *Registry) writeEntry(p Project) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return atomicfile.File{Path: r.file(p.Root), Volatile: true}.Replace(append(data, '\n'))
}
