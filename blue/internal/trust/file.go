package trust

import (
	"os"
	"path/filepath"

	"blue/errors"
)

// replaceFile puts text in the file, whole or not at all, readable by its owner
// alone. A link to the file stays a link.
func replaceFile(path, text string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".tmp-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // not every system can; the file itself is safe
		_ = d.Close()
	}
	return nil
}
