package store

import (
	"os"
	"sync"

	"blue/marker/mount"
)

// Texts reads many notes, each as [Store.Read] does but without its revision. A
// directory is entered once. Its methods may be called at the same time.
type Texts struct {
	s    *Store
	mu   sync.Mutex
	dirs map[string]*os.Root
}

// Texts begins to read; [Texts.Close] ends it.
func (s *Store) Texts() *Texts { return &Texts{s: s, dirs: map[string]*os.Root{}} }

// Read returns the bytes of a note as they are now, whatever the inode that a listing has
// seen. The kinds of errors are those of [Store.Read].
func (t *Texts) Read(name string, _ uint64) (data []byte, err error) {
	n, err := parseName(name)
	if err != nil {
		return nil, err
	}
	if err := mount.Check(t.s.pathOf(name)); err != nil {
		return nil, err
	}
	dir, err := t.enterOnce(n.dir)
	if err == nil {
		data, _, err = loadFile(dir, n.base)
	}
	if err != nil {
		return nil, t.s.readError(n, err)
	}
	return data, nil
}

func (t *Texts) enterOnce(name string) (*os.Root, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if dir := t.dirs[name]; dir != nil {
		return dir, nil
	}
	dir, err := t.s.enterDir(name)
	if err == nil {
		t.dirs[name] = dir
	}
	return dir, err
}

// Close lets go of the directories.
func (t *Texts) Close() {
	for _, dir := range t.dirs {
		dir.Close()
	}
}

// Read returns the bytes of a note and their revision. The kinds are not_found,
// invalid for what is not served, too_large, and disk.
func (s *Store) Read(name string) (data []byte, revision string, err error) {
	texts := s.Texts()
	defer texts.Close()
	if data, err = texts.Read(name, 0); err != nil {
		return nil, "", err
	}
	return data, Revision(data), nil
}
