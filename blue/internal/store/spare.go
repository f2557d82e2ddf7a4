package store

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"blue/errors"
)

// Synced is the client of changes that a sync makes: others have their texts already.
const Synced = "sync"

// spareRemoved is the directory of the spare texts of removed notes.
const spareRemoved = "removed"

// keepSpare keeps a copy of a text that nobody else has yet where git clean does not reach
// it. The copy is not flushed: it is for the loss of the directory, not of the power.
func (h *Held) keepSpare(n notePath, what string, data []byte) {
	if h.s.Spare == "" {
		return
	}
	present, removed := h.s.sparePath(n), filepath.Join(h.s.Spare, spareRemoved, n.base)
	switch {
	case h.By.Client == Synced:
		_ = os.Remove(present)
		_ = os.Remove(removed)
	case what == Removed:
		_ = os.Remove(present)
		if n.dir == notes {
			h.writeSpare(removed, data)
		}
	default:
		h.writeSpare(present, data)
		_ = os.Remove(removed)
	}
}

func (h *Held) writeSpare(path string, data []byte) {
	temp := path + tempStart
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(temp, data, 0o600)
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		h.durable = false
	}
}

func (s *Store) sparePath(n notePath) string { return filepath.Join(s.Spare, n.dir, n.base) }

// Spares calls each with the spare copies: the name of the note, its text, and whether it was
// removed.
func (s *Store) Spares(each func(name string, data []byte, removed bool) error) error {
	for _, dir := range []string{spareRemoved, notes, private} {
		entries, _ := os.ReadDir(filepath.Join(s.Spare, dir)) // without it there are none
		for _, e := range entries {
			name, removed := dir+"/"+e.Name(), dir == spareRemoved
			if removed {
				name = notes + "/" + e.Name()
			}
			if strings.HasSuffix(e.Name(), tempStart) || !e.Type().IsRegular() {
				continue
			}
			data, err := os.ReadFile(filepath.Join(s.Spare, dir, e.Name()))
			if err == nil {
				err = each(name, data, removed)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// DropSpare removes a spare copy, if it still has the text.
func (s *Store) DropSpare(name string, data []byte, removed bool) {
	n, err := parseName(name)
	if err != nil {
		return
	}
	path := s.sparePath(n)
	if removed {
		path = filepath.Join(s.Spare, spareRemoved, n.base)
	}
	if now, err := os.ReadFile(path); err == nil && bytes.Equal(now, data) {
		_ = os.Remove(path)
	}
}

// PutSpare makes the spare copy of a note as it is.
func (s *Store) PutSpare(name string) error {
	n, err := parseName(name)
	if err != nil {
		return err
	}
	data, _, err := s.Read(name)
	if err == nil {
		h := Held{s: s, durable: true}
		if h.writeSpare(s.sparePath(n), data); !h.durable {
			err = errors.SaveFailed(name, errors.New("no copy can be made in "+s.Spare))
		}
	}
	return err
}

// TakeSpares makes the notes of a directory of spare copies again, where they are missing.
func (h *Held) TakeSpares(dir string) error {
	h.By.Client = Synced
	from := Store{Spare: dir}
	return from.Spares(func(name string, data []byte, removed bool) error {
		if there, _ := h.s.TrashedAs(name); removed && len(there) > 0 {
			return nil
		}
		_, err := h.Create(name, data)
		if errors.Is(err, errors.Exists) {
			return nil
		}
		if err == nil && removed {
			_, _, err = h.Remove(name, Revision(data))
		}
		return err
	})
}

// RemoveSpares removes a directory of spare copies.
func RemoveSpares(dir string) error { return os.RemoveAll(dir) }
