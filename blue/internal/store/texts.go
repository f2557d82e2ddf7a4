package store

import "os"

// Texts reads the notes that one call shows, each as [Store.Read] does but without
// its revision. A directory is entered once.
type Texts struct {
	s    *Store
	dirs map[string]*os.Root
}

// Texts begins to read; [Texts.Close] ends it.
func (s *Store) Texts() *Texts { return &Texts{s, map[string]*os.Root{}} }

// Read returns the bytes of a note. The kinds are those of [Store.Read].
func (t *Texts) Read(name string) (data []byte, err error) {
	n, err := parse(name)
	if err != nil {
		return nil, err
	}
	at, ok := t.dirs[n.dir]
	if !ok {
		if at, err = t.s.enter(n.dir); err != nil {
			return nil, t.s.failed(n, err)
		}
		t.dirs[n.dir] = at
	}
	if data, _, err = load(at, n.base); err != nil {
		return nil, t.s.failed(n, err)
	}
	return data, nil
}

// Close lets go of the directories.
func (t *Texts) Close() {
	for _, at := range t.dirs {
		at.Close()
	}
}
