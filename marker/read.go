package marker

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"blue/errors"
)

// ReadFile reads a regular file of at most limit bytes. It does not follow a link as the last
// element, and does not block on a pipe that has replaced the file.
func ReadFile(path string, limit int64) ([]byte, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	text, err := readRegular(path, limit+1, before)
	if err == nil && int64(len(text)) > limit {
		return nil, fmt.Errorf("longer than %d bytes", limit)
	}
	return text, err
}

// ReadLinked reads at most limit bytes of a regular file, following links.
func ReadLinked(path string, limit int64) ([]byte, error) {
	return readRegular(path, limit, nil)
}

// readRegular reads at most limit bytes of a regular file. If before is not nil, the file must be
// the same one.
func readRegular(path string, limit int64, before os.FileInfo) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	now, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case before != nil && !os.SameFile(before, now):
		return nil, errors.New("replaced while it was opened")
	case !now.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
