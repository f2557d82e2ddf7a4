package store

import (
	"bytes"
	"os"
	"path/filepath"

	"blue/blue/internal/atomicfile"
	"blue/errors"
)

// Synced is the client of changes that a sync makes. Other machines already have their texts.
const Synced = "sync"

// removedBackups is the directory of the backups of removed notes.
const removedBackups = "removed"

// backUpChange keeps a copy of a text that no other machine has yet, where git clean does not
// reach it. The copy is not flushed to disk: it protects against the loss of the directory, not
// against a power cut.
func (h *Held) backUpChange(n notePath, what string, data []byte) {
	if h.s.BackupDir == "" {
		return
	}
	present, removed := h.s.backupPath(n), filepath.Join(h.s.BackupDir, removedBackups, n.base)
	switch {
	case h.By.Client == Synced:
		_ = os.Remove(present)
		_ = os.Remove(removed)
	case what == Removed:
		_ = os.Remove(present)
		if n.dir == notes {
			h.writeBackup(removed, data)
		}
	default:
		h.writeBackup(present, data)
		_ = os.Remove(removed)
	}
}

func (h *Held) writeBackup(path string, data []byte) {
	if err := (atomicfile.Target{Path: path, Volatile: true}).Replace(data); err != nil {
		h.durable = false
	}
}

func (s *Store) backupPath(n notePath) string { return filepath.Join(s.BackupDir, n.dir, n.base) }

// Backups calls each with the name and the text of every backup, and with whether the note was
// removed.
func (s *Store) Backups(each func(name string, data []byte, removed bool) error) error {
	for _, dir := range []string{removedBackups, notes, private} {
		entries, _ := os.ReadDir(filepath.Join(s.BackupDir, dir)) // a missing directory has none
		for _, e := range entries {
			name, removed := dir+"/"+e.Name(), dir == removedBackups
			if removed {
				name = notes + "/" + e.Name()
			}
			if SafeName(e.Name()) != "" || !e.Type().IsRegular() { // a temporary file
				continue
			}
			data, err := os.ReadFile(filepath.Join(s.BackupDir, dir, e.Name()))
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

// DropBackup removes a backup if it still has the text.
func (s *Store) DropBackup(name string, data []byte, removed bool) {
	n, err := parseName(name)
	if err != nil {
		return
	}
	path := s.backupPath(n)
	if removed {
		path = filepath.Join(s.BackupDir, removedBackups, n.base)
	}
	if now, err := os.ReadFile(path); err == nil && bytes.Equal(now, data) {
		_ = os.Remove(path)
	}
}

// BackUp makes a backup of a note.
func (s *Store) BackUp(name string) error {
	n, err := parseName(name)
	if err != nil {
		return err
	}
	data, _, err := s.Read(name)
	if err == nil {
		h := Held{s: s, durable: true}
		if h.writeBackup(s.backupPath(n), data); !h.durable {
			err = errors.SaveFailed(name, errors.New("no copy can be made in "+s.BackupDir))
		}
	}
	return err
}

// RestoreBackups recreates the missing notes of the backups in dir.
func (h *Held) RestoreBackups(dir string) error {
	h.By.Client = Synced
	from := Store{BackupDir: dir}
	return from.Backups(func(name string, data []byte, removed bool) error {
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
