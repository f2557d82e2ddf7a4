package atomicfile

import (
	"io/fs"
	"os"
	"time"
)

// keepOwner has nothing to do: a new file takes the rights of its directory.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// rename tries again for a second, because a program that has the file open
// at that moment makes it fail.
func rename(dir *os.Root, from, to string) error {
	err := dir.Rename(from, to)
	for range 20 {
		if err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
		err = dir.Rename(from, to)
	}
	return err
}

// flushDir has nothing to do: Windows has no flush of a directory.
func flushDir(*os.Root) {}
