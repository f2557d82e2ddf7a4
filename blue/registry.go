package blue

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
	"blue/blue/result"
	"blue/errors"
)

const (
	freshFor   = 24 * time.Hour // a later use within this time is not written
	entryLimit = 64 << 10       // bytes; a longer file is not an entry
)

// registry records the projects that the user has opened on this machine. It has one small file
// for each in the user's state directory, so that processes that open different projects never
// share a file. Nothing in a project can add to it. It is safe for concurrent use by goroutines
// and processes.
type registry struct {
	dir string

	mu    sync.Mutex
	noted map[string]result.Known // by root: the content of the files as far as this process knows it
}

// openRegistry returns the registry in the user's state directory, which need not exist.
func openRegistry(state string) *registry {
	return &registry{dir: filepath.Join(state, "projects"), noted: map[string]result.Known{}}
}

// recordUse records that a project is used now. It writes only if something has changed or the
// last entry is a day old. It does not flush: an entry that is lost in a power cut is written
// again at the next use.
func (r *registry) recordUse(p result.Known) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if isFresh(r.noted[p.Root], p) {
		return nil
	}
	if before, ok := readEntry(r.file(p.Root)); ok && isFresh(before, p) {
		r.noted[p.Root] = before
		return nil
	}
	r.noted[p.Root] = p // so that calls do not retry an entry that cannot be written
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return atomicfile.Target{Path: r.file(p.Root), Volatile: true}.Replace(append(data, '\n'))
}

// isFresh reports whether an entry agrees with p, within the precision of entries.
func isFresh(entry, p result.Known) bool {
	age := p.Used.Sub(entry.Used)
	return entry.Address == p.Address && age >= 0 && age < freshFor
}

// list returns the projects, most recently used first. It ignores files that are not entries.
func (r *registry) list() (all []result.Known, err error) {
	files, err := os.ReadDir(r.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Unreadable(filepath.Dir(r.dir), err)
	}
	for _, f := range files {
		path := filepath.Join(r.dir, f.Name())
		if p, ok := readEntry(path); ok && path == r.file(p.Root) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b result.Known) int {
		return cmp.Or(b.Used.Compare(a.Used), strings.Compare(a.Root, b.Root))
	})
	return all, nil
}

// forget removes the entry of a project. The next use adds it again.
func (r *registry) forget(root string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.noted, root)
	return os.Remove(r.file(root))
}

// file returns the path of the entry of a root, which may contain any character.
func (r *registry) file(root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(r.dir, hex.EncodeToString(sum[:16]))
}

// readEntry reads the address of a project and the time of its last use.
func readEntry(path string) (p result.Known, ok bool) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > entryLimit {
		return p, false
	}
	data, err := atomicfile.ReadFile(path)
	if err != nil || json.Unmarshal(data, &p) != nil {
		return p, false
	}
	return result.Known{Address: p.Address, Used: p.Used.UTC().Truncate(time.Second)}, filepath.IsAbs(p.Root)
}
