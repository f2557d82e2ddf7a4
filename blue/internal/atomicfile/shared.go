package atomicfile

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"

	"blue/errors"
)

// Replace replaces the text of a file that only its owner can read. A link to the file stays a
// link.
func Replace(path, text string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return File{Path: path}.Replace([]byte(text))
}

// Append adds lines in one write and returns the size of the file. It first ends a last line
// that was cut off.
func Append(path, lines string) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = Check(info, math.MaxInt64)
	}
	if err != nil {
		return 0, err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], info.Size()-1); err == nil && last[0] != '\n' {
		lines = "\n" + lines
	}
	n, err := f.WriteString(lines)
	return info.Size() + int64(n), err
}

// Check returns an error for a file that cannot be trusted: one that is not regular, has more
// than limit bytes, belongs to another user, or can be written by others.
func Check(file os.FileInfo, limit int64) error {
	switch {
	case !file.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case file.Size() > limit:
		return fmt.Errorf("it has more than %d bytes", limit)
	case isForeign(file):
		return errors.New("it belongs to another user")
	case runtime.GOOS != "windows" && file.Mode()&0o022 != 0:
		return errors.New("others can write it; run chmod 600 on it")
	}
	return nil
}
