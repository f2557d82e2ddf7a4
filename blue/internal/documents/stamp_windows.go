package documents

import (
	"io/fs"
	"os"
	"path/filepath"
)

// nonblock is nothing here: there are no FIFOs among files.
const nonblock = 0

// openDirectory opens a directory for a listing.
func openDirectory(name string) (*os.File, error) { return os.Open(name) }

// stampFile describes a file of a directory without opening it; the mode is 0 for a regular
// one.
func stampFile(at *os.File, e fs.DirEntry) (f File, mode fs.FileMode, err error) {
	info, err := os.Lstat(filepath.Join(at.Name(), e.Name()))
	if err != nil {
		return f, 0, err
	}
	return File{Size: info.Size(), ModTime: info.ModTime().UnixNano()}, info.Mode().Type(), nil
}
