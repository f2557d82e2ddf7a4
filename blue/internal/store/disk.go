package store

import (
	"cmp"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/errors"
)

// The functions below flush writes to disk. If one flush is left out, notes that were
// acknowledged vanish with the next power cut.

// writeTemp writes data to a new temporary file in the directory and flushes it. If that fails,
// nothing remains. A failed flush is never repeated: the kernel has marked the lost pages
// clean, so that a second flush would succeed.
func (h *Held) writeTemp(at *os.Root, mode fs.FileMode, data []byte) (name string, err error) {
	name = fmt.Sprintf("%s%d-%016x", tempStart, os.Getpid(), rand.Uint64())
	file, err := at.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	if err == nil {
		err = h.flushFile(file)
	}
	if err = cmp.Or(err, file.Close()); err != nil {
		at.Remove(name)
		return "", err
	}
	return name, nil
}

// flushFile flushes the file to disk. A file system that cannot do so makes the write less
// durable, not wrong.
func (h *Held) flushFile(file *os.File) error {
	err := file.Sync()
	if cannotFlush(err) {
		h.durable = false
		return nil
	}
	return err
}

// flushDir flushes the names in the directory to disk. The files are already in place, so that
// a failure only makes the write less durable.
func (h *Held) flushDir(at *os.Root) {
	if atomicfile.SyncDir(at) != nil {
		h.durable = false
	}
}

// linkOrRename gives the file from the name to. It fails with fs.ErrExist if that name is
// taken. On a file system without links it renames the file, which is safe under the lock.
func linkOrRename(at *os.Root, from, to string) error {
	if at.Link(from, to) == nil {
		at.Remove(from)
		return nil
	}
	if _, err := at.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return atomicfile.Rename(at, from, to)
}

// makeDir opens dir like [Store.enterDir] and creates its missing parts. What is below a
// directory called private is accessible to its owner alone.
func (h *Held) makeDir(dir string) (*os.Root, error) {
	mode := fs.FileMode(0o755)
	return h.s.walkDown(dir, func(at *os.Root, name string) (*os.Root, fs.FileInfo, error) {
		if name == private {
			mode = 0o700
		}
		below, info, err := openRealDir(at, name)
		if !errors.Is(err, fs.ErrNotExist) {
			return below, info, err
		}
		if err := at.Mkdir(name, mode); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, nil, err
		}
		h.flushDir(at)
		return openRealDir(at, name)
	})
}

// tempAge is how long a temporary file is kept after its writer was stopped.
const tempAge = time.Hour

// removeTemps removes the temporary files of stopped writers from the names in a directory. It
// keeps files that are young or belong to a running process.
func removeTemps(at *os.Root, names []string, now time.Time) {
	for _, name := range names {
		if !strings.HasPrefix(name, tempStart) {
			continue
		}
		if info, err := at.Lstat(name); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > tempAge && isAbandoned(name) {
			at.Remove(name)
		}
	}
}

// isAbandoned reports whether the process whose id a temporary file names is gone. A file that
// names no process was made by the package marker, which has finished long ago.
func isAbandoned(name string) bool {
	word, _, _ := strings.Cut(strings.TrimPrefix(name, tempStart), "-")
	pid, err := strconv.Atoi(word)
	return err != nil || pid <= 0 || processIsGone(pid)
}
