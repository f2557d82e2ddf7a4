// Package statefile keeps text files in the user's state directory, which several processes
// change at once: their owner alone can read them, and nobody else may have changed them.
package statefile

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"

	"blue/blue/internal/atomicfile"
	"blue/errors"
)

// Replace puts text in a file that its owner alone can read. A link to the file stays
// a link.
func Replace(path, text string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return atomicfile.File{Path: path}.Replace([]byte(text))
}

// Append adds lines in one write, and returns the size of the file. A last line that was cut
// off is ended first, so that it spoils no other.
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

// Check says why a file is not to be believed: it is none, too large, another user's, or
// others can write it.
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
