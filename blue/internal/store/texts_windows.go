package store

import "os"

// dir is an open directory to read notes in.
type dir struct{ at *os.Root }

// dir opens a real directory of .blue.
func (s *Store) dir(name string) (*dir, error) {
	at, err := s.enter(name)
	if err != nil {
		return nil, err
	}
	return &dir{at}, nil
}

func (d *dir) close() { _ = d.at.Close() }

// load is [load]; a listing has no inodes here.
func (d *dir) load(base string, _ uint64) ([]byte, error) {
	data, _, err := load(d.at, base)
	return data, err
}
