package documents

import (
	"io/fs"
	"os"
)

// nonblock is nothing here: there are no FIFOs among files.
const nonblock = 0

func openDirectory(name string) (*os.File, error) { return os.Open(name) }

// stampFile describes a file or directory without opening it; the mode is 0 for a regular
// file.
func stampFile(name string) (f File, mode fs.FileMode, err error) {
	info, err := os.Lstat(name)
	if err != nil {
		return f, 0, err
	}
	return File{Size: info.Size(), ModTime: info.ModTime().UnixNano()}, info.Mode().Type(), nil
}
