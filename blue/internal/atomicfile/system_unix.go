//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives the new file the owner of the old one, which matters when
// root edits a file of somebody else. Where the system forbids it, the file
// would be lost to its owner, so nothing is written.
func keepOwner(f *os.File, old fs.FileInfo) error {
	was, ok := old.Sys().(*syscall.Stat_t)
	info, err := f.Stat()
	if !ok || err != nil {
		return err
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	if !ok || is.Uid == was.Uid && is.Gid == was.Gid {
		return nil
	}
	err = f.Chown(int(was.Uid), int(was.Gid))
	if is.Uid == was.Uid {
		return nil // a group that the user is not in is no reason to refuse
	}
	return err
}

func rename(dir *os.Root, from, to string) error { return dir.Rename(from, to) }

// flushDir makes the rename durable, where the system can.
func flushDir(dir *os.Root) {
	if d, err := dir.Open("."); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
