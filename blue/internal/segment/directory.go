package segment

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blue/errors"
)

// Directory is the directory of an index; "" is an index without files. A file is complete when it
// gets its final name, and is never modified afterwards.
type Directory string

const (
	lockName  = "lock"
	tempStart = ".tmp-"
	tempAge   = time.Hour
)

// ErrForeign reports that the files are not those that the process has open: another process has
// published its own, or the files were removed.
var ErrForeign = errors.New("the files of the index are those of another process")

func (d Directory) path(name string) string { return filepath.Join(string(d), name) }

// OpenSegments opens the base, and the delta if it belongs to that base. It removes damaged files.
// Since another process may publish a new pair at the same time, it tries three times.
func (d Directory) OpenSegments() (segments []*Live) {
	if d == "" {
		return nil
	}
	for range 3 {
		base, delta := d.openOrThrowAway(baseName), d.openOrThrowAway(deltaName)
		if base == nil {
			break
		}
		if delta == nil {
			return []*Live{base}
		}
		if delta.parent == base.file.sum && CatchFaults(func() error { base = base.Without(delta.goneFromBase()); return nil }) == nil {
			return []*Live{base, delta}
		}
	}
	d.RemoveFiles()
	return nil
}

// openOrThrowAway opens a file. If that fails it removes the file and returns nil.
func (d Directory) openOrThrowAway(name string) *Live {
	l, err := openSegment(d.path(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		os.RemoveAll(d.path(name)) // even if it is a directory
	}
	return l
}

// RemoveFiles removes all files of the index.
func (d Directory) RemoveFiles() {
	if d != "" {
		os.RemoveAll(d.path(baseName))
		os.RemoveAll(d.path(deltaName))
	}
}

// DiscardFile removes a damaged file, unless another file has its name now.
func (d Directory) DiscardFile(l *Live) {
	for _, name := range []string{baseName, deltaName} {
		if there, err := os.Stat(d.path(name)); err == nil && d != "" && os.SameFile(there, l.file.info) {
			os.Remove(d.path(name))
		}
	}
}

// isForeign reports whether the files on disk are not those that are open.
func (d Directory) isForeign(open []*Live) bool {
	for i, name := range []string{baseName, deltaName} {
		there, err := os.Stat(d.path(name))
		mine := i < len(open) && open[i].file != nil && open[i].file.name == name
		if mine != (err == nil) || mine && !os.SameFile(there, open[i].file.info) {
			return true
		}
	}
	return false
}

// lock takes the lock for writing. It fails immediately if the lock is held.
func (d Directory) lock() (release func(), err error) {
	if err := d.makeDirectory(); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(d.path(lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

func (d Directory) makeDirectory() error {
	if d == "" {
		return os.ErrNotExist
	}
	return os.MkdirAll(string(d), 0o700)
}

// PublishFile merges sources into a file and opens it. If sources are all open segments, the file
// is a new base; if they lack the first one, it is the delta of that base. A process that does not
// get the lock keeps its segments in memory.
func (d Directory) PublishFile(open, sources []*Live) (*Live, error) {
	release, err := d.lock()
	if err != nil {
		return nil, err
	}
	defer release()
	if d.isForeign(open) {
		return nil, ErrForeign
	}
	name, base := baseName, (*Live)(nil)
	if len(sources) < len(open) {
		name, base = deltaName, open[0]
	}
	temp, err := d.writeTemporary(sources, base, (*os.File).Sync)
	if err != nil {
		return nil, err
	}
	defer os.Remove(temp) // fails once the file has been renamed
	for _, source := range sources {
		if !source.IsIntact() { // otherwise the damaged data would get a valid checksum
			return nil, errDamaged
		}
	}
	if base == nil {
		os.RemoveAll(d.path(deltaName)) // first, so that no process finds it with the new base
	}
	if err := os.Rename(temp, d.path(name)); err != nil {
		return nil, err
	}
	d.removeLeftovers()
	return openSegment(d.path(name))
}

// writeTemporary merges segments into a temporary file and calls end before it closes the file.
func (d Directory) writeTemporary(sources []*Live, base *Live, end func(*os.File) error) (name string, err error) {
	if err := d.makeDirectory(); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(string(d), tempStart+"*") // with mode 0600
	if err != nil {
		return "", err
	}
	out := bufio.NewWriterSize(f, 1<<18)
	if err = mergeTo(out, sources, base); err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = end(f)
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("writing the index: %w", err)
	}
	return f.Name(), nil
}

// Spill merges segments into an unlinked file.
func (d Directory) Spill(sources []*Live) (*Live, error) {
	name, err := d.writeTemporary(sources, nil, func(*os.File) error { return nil }) // no sync, since no process finds it after a crash
	if err != nil {
		return nil, err
	}
	defer os.Remove(name)
	return openSegment(name)
}

// removeLeftovers removes temporary files of crashed processes.
func (d Directory) removeLeftovers() {
	entries, _ := os.ReadDir(string(d))
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), tempStart) && time.Since(info.ModTime()) > tempAge {
			os.Remove(d.path(e.Name()))
		}
	}
}
