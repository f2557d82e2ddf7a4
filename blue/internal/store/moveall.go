package store

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"blue/errors"
)

// MoveAll moves the notes with their history and the trash to another store. A note there with the
// same name and another text is replaced, and its text goes to the history. MoveAll can be repeated
// after it was interrupted.
func (h *Held) MoveAll(to *Held) error {
	for _, dir := range []string{notes, private, history, trash} {
		err := moveDir(filepath.Join(h.s.path, dir), filepath.Join(to.s.path, dir), func(base string, now, old []byte) error {
			if (dir == notes || dir == private) && SafeName(base) == "" && !bytes.Equal(now, old) {
				return to.Keep(dir+"/"+base, old)
			}
			return nil
		})
		if err != nil {
			return errors.SaveFailed(dir, err)
		}
	}
	to.flushDir(to.s.blue)
	h.flushDir(h.s.blue)
	return nil
}

// moveDir moves the files of one directory into another. It calls replaced before it replaces a file.
func moveDir(from, to string, replaced func(base string, now, old []byte) error) error {
	info, err := os.Lstat(from)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return errors.NotDirectory(from)
	}
	if os.Rename(from, to) == nil { // also replaces an empty directory
		return nil
	}
	entries, err := os.ReadDir(from)
	if err == nil {
		err = os.MkdirAll(to, info.Mode().Perm())
	}
	for _, e := range entries {
		one, other := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		switch {
		case err != nil:
			return err
		case e.IsDir():
			err = moveDir(one, other, func(string, []byte, []byte) error { return nil })
			continue
		}
		if old, unread := os.ReadFile(other); unread == nil && e.Type().IsRegular() {
			var now []byte
			if now, err = os.ReadFile(one); err == nil {
				err = replaced(e.Name(), now, old)
			}
		}
		if err == nil {
			err = os.Rename(one, other)
		}
	}
	if err != nil {
		return err
	}
	return os.Remove(from)
}
