package corpus

import (
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/index"
)

// dirState is a directory as it was when it was looked into. As long as its times and number are
// the same, so are the names in it.
type dirState struct {
	listedFile
	Count   int      // of all entries
	Entries []string // those that matter, in order of their names; before each its kind
}

// Kinds of entries.
const (
	aDirectory = 'd'
	aFile      = 'f'
	aSpecial   = 'x' // a link, a pipe and the like
)

// tick is how long the times of a directory may stand still while its entries change.
const tick = 50 * time.Millisecond

// isKnown reports whether the directory is still the one that was looked into. Where the
// system does not say when it was changed, nobody can tell.
func (d dirState) isKnown(now index.Stamp) bool {
	return d.ChangeTime != 0 && d.ChangeTime == now.ChangeTime && d.ModTime == now.ModTime && d.Inode == now.Inode
}

// readDirectory looks into a directory, unless it is known what is in it.
func (w *walker) readDirectory(dir string) (d dirState, err error) {
	full := filepath.Join(w.tree.Root, filepath.FromSlash(dir))
	now, _, err := stampFile(full)
	if err != nil {
		return d, err
	}
	if d = w.tree.Known[dir]; d.isKnown(now) {
		return d, nil
	}
	at, err := openDirectory(full)
	if err != nil {
		return d, err
	}
	defer at.Close()
	entries, err := at.ReadDir(-1)
	d = dirState{listedFile: listedFile{dir, now}, Count: len(entries)}
	if w.began.UnixNano()-max(now.ModTime, now.ChangeTime) < int64(tick) {
		d.ChangeTime = 0 // another change need not show
	}
	if d.ChangeTime != 0 {
		w.Fresh++
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir():
			d.Entries = append(d.Entries, string(aDirectory)+name)
		case e.Type() != 0 && isDocument(name):
			d.Entries = append(d.Entries, string(aSpecial)+name)
		case isDocument(name) || name == ".gitignore" || name == ".git" || name == w.tree.Mark:
			d.Entries = append(d.Entries, string(aFile)+name)
		}
	}
	slices.SortFunc(d.Entries, func(a, b string) int { return strings.Compare(a[1:], b[1:]) })
	return d, err
}

func findEntry(entries []string, name string) bool {
	_, found := slices.BinarySearchFunc(entries, name, func(e, name string) int { return strings.Compare(e[1:], name) })
	return found
}

// encodeDirs writes what [decodeDirs] reads.
func encodeDirs(dirs map[string]dirState) (b []byte) {
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	for _, d := range dirs {
		text(d.Path)
		for _, n := range []uint64{uint64(d.ModTime), uint64(d.ChangeTime), d.Inode, uint64(d.Count), uint64(len(d.Entries))} {
			b = binary.AppendUvarint(b, n)
		}
		for _, e := range d.Entries {
			text(e)
		}
	}
	return b
}

// decodeDirs returns directories by their paths, as many as can be read.
func decodeDirs(b []byte) map[string]dirState {
	dirs := map[string]dirState{}
	number := func() uint64 {
		n, size := binary.Uvarint(b)
		b = b[max(size, 0):]
		return n
	}
	text := func() string {
		n := min(number(), uint64(len(b)))
		s := string(b[:n])
		b = b[n:]
		return s
	}
	for len(b) > 0 {
		d := dirState{listedFile: listedFile{Path: text()}}
		d.ModTime, d.ChangeTime, d.Inode, d.Count = int64(number()), int64(number()), number(), int(number())
		for range number() {
			e := text()
			if e == "" {
				return dirs // damaged
			}
			d.Entries = append(d.Entries, e)
		}
		if d.Path == "" {
			return dirs
		}
		dirs[d.Path] = d
	}
	return dirs
}
