package store

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime/debug"

	"blue/errors"
)

// What stands between a write and the disk. Leave out one flush and notes that
// were acknowledged vanish with the next power cut.

// fresh writes data to a new temporary file in the directory and flushes it. When
// that fails nothing stays, and a failed flush is never repeated: the kernel has
// marked the lost pages clean, so a second one would succeed.
func (h *Held) fresh(at *os.Root, mode fs.FileMode, data []byte) (name string, err error) {
	name = fmt.Sprintf("%s%d-%016x", tempStart, os.Getpid(), rand.Uint64())
	file, err := at.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	if err == nil {
		err = h.flush(file)
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		at.Remove(name)
		return "", err
	}
	return name, nil
}

// flush puts the file on the disk. A file system that cannot do so makes the
// write less durable, not wrong.
func (h *Held) flush(file *os.File) error {
	err := file.Sync()
	if unflushable(err) {
		h.durable = false
		return nil
	}
	return err
}

// flushDir puts the names of the directory on the disk. The files are in place
// already, so failing here is no error.
func (h *Held) flushDir(at *os.Root) {
	if syncDir(at) != nil {
		h.durable = false
	}
}

// flushName is flushDir for a note that has its new name, and calls Named meanwhile.
func (h *Held) flushName(at *os.Root, revision string) {
	if h.Named == nil {
		h.flushDir(at)
		return
	}
	done := make(chan any, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Sprintf("%v\n%s", r, debug.Stack())
			}
			close(done)
		}()
		h.Named(revision)
	}()
	h.flushDir(at)
	if fault := <-done; fault != nil {
		panic(fault) // in the call that it belongs to, where it is caught
	}
}

// settle gives the file from the name to, which must be free (fs.ErrExist). A
// file system without links does it by renaming, safe under the lock.
func settle(at *os.Root, from, to string) error {
	if at.Link(from, to) == nil {
		at.Remove(from)
		return nil
	}
	if _, err := at.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return rename(at, from, to)
}

// make opens dir like enter, and creates what is missing of it. What lies in a
// directory called private is for its owner alone.
func (h *Held) make(dir string) (*os.Root, error) {
	mode := fs.FileMode(0o755)
	return h.s.walk(dir, func(at *os.Root, name string) (*os.Root, fs.FileInfo, error) {
		if name == private {
			mode = 0o700
		}
		below, info, err := step(at, name)
		if !errors.Is(err, fs.ErrNotExist) {
			return below, info, err
		}
		if err := at.Mkdir(name, mode); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, nil, err
		}
		h.flushDir(at)
		return step(at, name)
	})
}
