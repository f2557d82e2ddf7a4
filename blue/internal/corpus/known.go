package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"blue/blue/internal/index"
)

// dirState is a directory as it was read. While its times and inode are the same, so are the names
// in it.
type dirState struct {
	listedFile
	Count   int      // number of all entries
	Entries []string // the relevant entries, sorted by name, each preceded by its kind
}

// Kinds of entries.
const (
	aDirectory = 'd'
	aFile      = 'f'
	aSpecial   = 'x' // a link, a pipe and the like
)

// readDirectory reads a directory, unless it is known and unchanged.
func (w *walker) readDirectory(dir string) (d dirState, err error) {
	full := filepath.Join(w.tree.Root, filepath.FromSlash(dir))
	now, _, err := stampFile(full)
	if err != nil {
		return d, err
	}
	d = w.tree.Known[dir]
	if d.ChangeTime != 0 && d.ChangeTime == now.ChangeTime && d.ModTime == now.ModTime && d.Inode == now.Inode {
		return d, nil // systems without change times always read
	}
	entries, err := os.ReadDir(full)
	if err != nil {
		return d, err
	}
	d = dirState{listedFile: listedFile{dir, now}, Count: len(entries)}
	if index.MarkRacy(now, w.began).Racy {
		d.ChangeTime = 0 // another change may have the same time
	}
	if d.ChangeTime != 0 {
		w.Fresh++
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir():
			d.Entries = append(d.Entries, string(aDirectory)+name)
		case e.Type() != 0 && w.tree.takes(name):
			d.Entries = append(d.Entries, string(aSpecial)+name)
		case w.tree.takes(name) || name == ".gitignore" || name == ".git" || name == w.tree.Mark:
			d.Entries = append(d.Entries, string(aFile)+name)
		}
	}
	return d, nil
}

func findEntry(entries []string, name string) bool {
	_, found := slices.BinarySearchFunc(entries, name, func(e, name string) int { return strings.Compare(e[1:], name) })
	return found
}

// encodeDirs encodes directories for [decodeDirs]: for each, its numbers and path, its entries,
// each preceded by one NUL, and two NULs at the end.
func encodeDirs(dirs map[string]dirState) (b []byte) {
	for _, d := range dirs {
		b = fmt.Appendf(b, "%d %d %d %d %s", d.ModTime, d.ChangeTime, int64(d.Inode), d.Count, d.Path)
		for _, e := range d.Entries {
			b = append(b, "\x00"+e...)
		}
		b = append(b, "\x00\x00"...)
	}
	return b
}

// decodeDirs returns directories by path. It skips those that it cannot decode.
func decodeDirs(b []byte) map[string]dirState {
	dirs := map[string]dirState{}
	for text := range strings.SplitSeq(string(b), "\x00\x00") {
		fields := strings.Split(text, "\x00")
		head := strings.SplitN(fields[0], " ", 5)
		if len(head) < 5 || head[4] == "" || slices.Contains(fields, "") {
			continue // the end, or damaged
		}
		var n [4]int64
		for i := range n {
			n[i], _ = strconv.ParseInt(head[i], 10, 64)
		}
		stamp := index.Stamp{ModTime: n[0], ChangeTime: n[1], Inode: uint64(n[2])}
		dirs[head[4]] = dirState{listedFile{head[4], stamp}, int(n[3]), append([]string(nil), fields[1:]...)}
	}
	return dirs
}
