package store

import "sync"

// Texts reads many notes, each as [Store.Read] does but without its revision. A
// directory is entered once. Its methods may be called at the same time.
type Texts struct {
	s    *Store
	mu   sync.Mutex
	dirs map[string]*noteDir
}

// Texts begins to read; [Texts.Close] ends it.
func (s *Store) Texts() *Texts { return &Texts{s: s, dirs: map[string]*noteDir{}} }

// Read returns the bytes of a note. The inode is that of the regular file which a listing
// has seen, so that it need not be looked at again; 0 when there was none. The kinds of
// errors are those of [Store.Read].
func (t *Texts) Read(name string, inode uint64) (data []byte, err error) {
	n, err := parseName(name)
	if err != nil {
		return nil, err
	}
	d, err := t.openDir(n.dir)
	if err == nil {
		data, err = d.load(n.base, inode)
	}
	if err != nil {
		return nil, t.s.readError(n, err)
	}
	return data, nil
}

func (t *Texts) openDir(name string) (*noteDir, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d := t.dirs[name]; d != nil {
		return d, nil
	}
	d, err := t.s.openNoteDir(name)
	if err == nil {
		t.dirs[name] = d
	}
	return d, err
}

// Close lets go of the directories.
func (t *Texts) Close() {
	for _, d := range t.dirs {
		d.close()
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
