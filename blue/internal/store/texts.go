package store

import (
	"os"
	"sync"
)

// Texts reads the notes that one call shows, each as [Store.Read] does but without
// its revision, for several goroutines. A directory is entered once.
type Texts struct {
	s *Store

	mu   sync.Mutex
	dirs map[string]*os.Root
}

// Texts begins to read; [Texts.Close] ends it.
func (s *Store) Texts() *Texts { return &Texts{s: s, dirs: map[string]*os.Root{}} }

// Read returns the bytes of a note. The kinds are those of [Store.Read].
func (t *Texts) Read(name string) (data []byte, err error) {
	n, err := parse(name)
	if err != nil {
		return nil, err
	}
	at, err := t.enter(n.dir)
	if err != nil {
		return nil, t.s.failed(n, err)
	}
	if data, _, err = load(at, n.base); err != nil {
		return nil, t.s.failed(n, err)
	}
	return data, nil
}

func (t *Texts) enter(dir string) (*os.Root, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := t.dirs[dir]; at != nil {
		return at, nil
	}
	at, err := t.s.enter(dir)
	if err == nil {
		t.dirs[dir] = at
	}
	return at, err
}

// Close lets go of the directories.
func (t *Texts) Close() {
	for _, at := range t.dirs {
		at.Close()
	}
}
