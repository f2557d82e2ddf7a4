package transfer

import (
	"bufio"
	"crypto/rand"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blue/errors"
)

// output is the place of an export: a directory of another name beside it, which
// takes its name when all is written.
type output struct {
	path, temp string
	root       *os.Root // of temp
}

// newOutput begins an export to a path where nothing is, or an empty directory.
func newOutput(path string) (*output, error) {
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, errors.BadOutput(path, "it cannot be examined")
	case !info.IsDir():
		return nil, errors.BadOutput(path, "a file is there already, and nothing is overwritten")
	default:
		if entries, err := os.ReadDir(path); err != nil || len(entries) > 0 {
			return nil, errors.BadOutput(path, "the directory there is not empty, and nothing is overwritten")
		}
	}
	o := &output{path: path, temp: filepath.Join(filepath.Dir(path), ".blue-export-"+strings.ToLower(rand.Text()))}
	if err := os.Mkdir(o.temp, 0o755); err != nil {
		return nil, errors.SaveFailed(o.temp, err)
	}
	root, err := os.OpenRoot(o.temp)
	if err != nil {
		o.dropTemporary()
		return nil, errors.SaveFailed(o.temp, err)
	}
	o.root = root
	return o, nil
}

// writeFile makes one file of the export, with the directories above it. The name has
// slashes.
func (o *output) writeFile(name string, fill func(w io.Writer) error) error {
	local := filepath.FromSlash(name)
	if err := o.root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
		return errors.SaveFailed(name, err)
	}
	file, err := o.root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return errors.BadOutput(o.path, "the file system there takes two names of notes for one: "+name)
	}
	if err != nil {
		return errors.SaveFailed(name, err)
	}
	w := bufio.NewWriter(file)
	err = fill(w)
	if err == nil {
		if err = errors.Join(w.Flush(), file.Sync()); err != nil {
			err = errors.SaveFailed(name, err)
		}
	}
	return errors.Join(err, file.Close())
}

// keepOutput gives the export its name: that of the directory, or of the only file in it.
func (o *output) keepOutput(file bool) error {
	if err := o.root.Close(); err != nil {
		return errors.SaveFailed(o.path, err)
	}
	from := o.temp
	if file {
		from = filepath.Join(o.temp, "export.json")
	}
	if err := os.Remove(o.path); err != nil && !errors.Is(err, fs.ErrNotExist) { // the empty directory, if any
		return errors.BadOutput(o.path, "the directory there is not empty any more")
	}
	if err := os.Rename(from, o.path); err != nil {
		return errors.SaveFailed(o.path, err)
	}
	return nil
}

// dropTemporary takes away what was not kept.
func (o *output) dropTemporary() {
	if o.root != nil {
		_ = o.root.Close()
	}
	_ = os.RemoveAll(o.temp) // no longer there when it was kept
}
