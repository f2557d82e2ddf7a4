package store

import "os"

// noteDir is an open directory to read notes in.
type noteDir struct{ at *os.Root }

// openNoteDir opens a real directory of .blue.
func (s *Store) openNoteDir(name string) (*noteDir, error) {
	at, err := s.enterDir(name)
	if err != nil {
		return nil, err
	}
	return &noteDir{at}, nil
}

func (d *noteDir) close() { _ = d.at.Close() }

// load is [loadFile]; a listing has no inodes here.
func (d *noteDir) load(base string, _ uint64) ([]byte, error) {
	data, _, err := loadFile(d.at, base)
	return data, err
}
