package documents

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"blue/errors"
	"blue/marker/mount"
)

// errSpecial says that a file is none that is read.
var errSpecial = errors.New("not a regular file")

// Read returns the text of a document below a root, as valid UTF-8. No link leads out of
// the root, whatever has become of the directories since they were listed. The reason says
// why a file is no document, empty when it is one or cannot be read.
func Read(root, name string) (text, reason string, err error) {
	if err := mount.Check(filepath.Join(root, filepath.FromSlash(name))); err != nil {
		return "", "", err
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return "", "", err
	}
	defer dir.Close()
	f, err := dir.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	data, err := readOpen(f, SizeLimit)
	switch {
	case errors.Is(err, errSpecial):
		return "", NoFile, nil
	case err != nil:
		return "", "", err
	case len(data) > SizeLimit:
		return "", TooLarge, nil
	case bytes.IndexByte(data, 0) >= 0:
		return "", Binary, nil
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(data), "\uFFFD"), "\ufeff"), "", nil
}

// readRegular reads a regular file that no link stands for.
func readRegular(name string, limit int) ([]byte, error) {
	if err := mount.Check(name); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil, errSpecial
	}
	return readFile(name, limit)
}

// readFile reads a regular file, which a link may stand for.
func readFile(name string, limit int) ([]byte, error) {
	if err := mount.Check(name); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readOpen(f, limit)
}

// readOpen reads a regular file that is open, one byte more than the limit at most.
func readOpen(f *os.File, limit int) ([]byte, error) {
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errSpecial
	}
	return io.ReadAll(io.LimitReader(f, int64(limit)+1))
}
