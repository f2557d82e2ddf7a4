package corpus

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"blue/errors"
	"blue/marker/mount"
)

// readText returns the text of a document below a root, as valid UTF-8. No link leads out of the
// root, even if directories have been replaced since they were listed. The reason says why a
// file is no document; it is empty for a document and for a file that cannot be read.
func readText(root, name string) (text, reason string, err error) {
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
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", leftNoFile, nil
	}
	data, err := io.ReadAll(io.LimitReader(f, sizeLimit+1))
	switch {
	case err != nil:
		return "", "", err
	case len(data) > sizeLimit:
		return "", leftTooLarge, nil
	case bytes.IndexByte(data, 0) >= 0:
		return "", leftBinary, nil
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(data), "\uFFFD"), "\ufeff"), "", nil
}

// readRules reads a file of ignore rules, unless it is a link.
func readRules(name string) ([]byte, error) {
	if err := mount.Check(name); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return mount.ReadLinked(name, rulesLimit)
}
