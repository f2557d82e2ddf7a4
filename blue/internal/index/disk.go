package index

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// disk is the directory of an index. Its files are named by generation, and none is
// written to once it has its name. The newest holds everything, or what has changed
// since the file that it names as its parent.
type disk struct {
	dir string

	mu      sync.Mutex
	newest  uint64 // generation that this process has opened or written
	trouble error  // why the last attempt to write failed
}

const (
	fileEnd  = ".index"
	tempName = ".tmp-*"
	lockName = "lock"
	tempAge  = time.Hour
)

func (d *disk) path(generation uint64) string {
	return filepath.Join(d.dir, fmt.Sprintf("%012d%s", generation, fileEnd))
}

// generations returns those that have a file, the newest first.
func (d *disk) generations() (all []uint64) {
	entries, err := os.ReadDir(d.dir)
	if d.dir == "" || err != nil {
		return nil
	}
	for _, e := range entries {
		var n uint64
		if _, err := fmt.Sscanf(e.Name(), "%d"+fileEnd, &n); err == nil && n > 0 && d.path(n) == filepath.Join(d.dir, e.Name()) {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b uint64) int { return cmp.Compare(b, a) })
	return all
}

// load opens the newest generation that is whole. What is not is removed. A file
// may go while it is being opened, so it is tried again.
func (d *disk) load() []*part {
	for range 3 {
		all := d.generations()
		for _, generation := range all {
			if parts, err := d.open(generation); err == nil {
				d.mu.Lock()
				d.newest = generation
				d.mu.Unlock()
				return parts
			}
		}
		if len(all) == 0 {
			break
		}
	}
	return nil
}

// open opens a generation and its parent.
func (d *disk) open(generation uint64) (parts []*part, err error) {
	s, err := openFile(d.path(generation), generation)
	if err != nil {
		os.Remove(d.path(generation))
		return nil, err
	}
	err = guarded(func() error {
		parts = []*part{newPart(s)}
		if s.parent.generation == 0 {
			return nil
		}
		below, err := openFile(d.path(s.parent.generation), s.parent.generation)
		if err != nil {
			return err
		}
		if below.file.identity != s.parent {
			return ErrDamaged
		}
		gone := make([]uint32, len(s.gone)/4)
		for i := range gone {
			gone[i] = number(s.gone, i)
		}
		parts = []*part{newPart(below).without(gone), parts[0]}
		return nil
	})
	if err != nil {
		os.Remove(d.path(generation))
	}
	return parts, err
}

// clear removes all generations.
func (d *disk) clear() {
	for _, generation := range d.generations() {
		os.Remove(d.path(generation))
	}
}

// discard removes a file that is damaged, unless another one has its name by now.
func (d *disk) discard(f *file) {
	if f.generation == 0 {
		return
	}
	there, err := os.Stat(d.path(f.generation))
	if err == nil && os.SameFile(there, f.info) {
		os.Remove(d.path(f.generation))
	}
}

// create makes a temporary file in the directory.
func (d *disk) create() (*os.File, error) {
	if d.dir == "" {
		return nil, os.ErrNotExist
	}
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(d.dir, tempName) // of mode 0600
}

// hold takes the lock of who writes; one who does not get it goes on without.
func (d *disk) hold() (release func(), err error) {
	if d.dir == "" {
		return nil, os.ErrNotExist
	}
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(d.dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// save writes the living documents of the parts as the next generation, above base
// when there is one, and opens it. The caller holds the lock.
func (d *disk) save(parts []*part, base *part) (*part, error) {
	var parent identity
	var gone []uint32
	if base != nil {
		parent, gone = base.file.identity, base.dead
	}
	temp, err := d.write(parts, parent, gone)
	if err != nil {
		return nil, err
	}
	if !(&view{parts: parts}).intact() { // or its damage would be sealed
		os.Remove(temp)
		return nil, ErrDamaged
	}
	generation := uint64(1)
	if all := d.generations(); len(all) > 0 {
		generation = all[0] + 1
	}
	if err := os.Rename(temp, d.path(generation)); err != nil {
		os.Remove(temp)
		return nil, err
	}
	d.clean(generation, parent.generation)
	s, err := openFile(d.path(generation), generation)
	if err != nil {
		return nil, err
	}
	d.newest = generation
	return newPart(s), nil
}

// write writes a segment to a temporary file and seals it.
func (d *disk) write(parts []*part, parent identity, gone []uint32) (name string, err error) {
	f, err := d.create()
	if err != nil {
		return "", err
	}
	out := bufio.NewWriterSize(f, 1<<18)
	if _, err = mergeTo(out, parts, parent, gone); err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = seal(f)
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("writing the index: %w", err)
	}
	return f.Name(), nil
}

// clean removes the generations that a newer one has replaced, and what a process
// that ended has left.
func (d *disk) clean(generation, parent uint64) {
	for _, old := range d.generations() {
		if old < generation && old != parent {
			os.Remove(d.path(old))
		}
	}
	entries, _ := os.ReadDir(d.dir)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), ".tmp-") && info.ModTime().After(sealed()) && time.Since(info.ModTime()) > tempAge {
			os.Remove(filepath.Join(d.dir, e.Name()))
		}
	}
}
