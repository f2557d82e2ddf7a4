// Package trust stores the user's decisions about projects: which are trusted, so that agents are
// told their notes unasked, and which directories may be used although others can write to them.
//
// Everything is kept in the user's state directory and nothing in the project, so neither a clone
// nor a client can grant trust.
package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/errors"
	"blue/marker"
)

const lockTimeout = 10 * time.Second // other processes may sync a file each

// List is the user's trust list: a text file with one directory per line, as mark, quoted project
// id and quoted path, or "*". Blank lines and lines that begin with "#" are kept. It is safe for
// concurrent use.
type List struct{ path string }

// OpenList returns the list in the file "trust" of the user's state directory. The file need not
// exist and is read on each call.
func OpenList(state string) *List { return &List{path: filepath.Join(state, "trust")} }

// Opens reports whether the user permits the use of root, a physical path, although others own it
// or may write to it.
func (l *List) Opens(root string) bool { return l.has(everything, "") || l.has(root, "") }

// Trusts reports whether the user trusts the project with the id at root, a physical path.
func (l *List) Trusts(id, root string) bool { return id != "" && l.has(root, id) }

// has reports whether the list has the directory with the id, and the directory is still the same
// one.
func (l *List) has(path, id string) bool {
	entries, _ := l.load()
	for _, e := range entries {
		if e.path != path || e.id != id {
			continue
		}
		if path == everything {
			return true
		}
		if now, err := identifyDir(path); err == nil && now == e.mark {
			return true
		}
	}
	return false
}

// Warning says why an existing list counts as empty: it is damaged, unreadable or writable by
// others. Otherwise it returns "".
func (l *List) Warning() string {
	if _, err := l.load(); err != nil {
		return fmt.Sprintf("trust list %s is not used: %v", errors.Quote(l.path), err)
	}
	return ""
}

// Add adds a directory, an absolute path or "*", to the list: with the id of a trusted project, or
// with "" to permit its use. It drops entries of former directories at the same path and keeps all
// other lines. It does not change a damaged list, which its owner may want to repair.
func (l *List) Add(dir, id string) error {
	added := entry{path: dir}
	if dir != everything {
		var err error
		if added, err = resolveEntry(dir); err != nil {
			return errors.E(errors.BadPath, "cannot trust %s: %w", errors.Quote(dir), err).Hint("", "", "give the absolute path of a directory")
		}
		added.id = id
	}
	return l.change(func(entries []entry) (keep func(entry) bool, more []entry) {
		if slices.Contains(entries, added) {
			return nil, nil
		}
		return func(e entry) bool { return e.path != added.path || e.mark == added.mark }, []entry{added}
	})
}

// Remove removes all entries of a path and reports whether there were any.
func (l *List) Remove(path string) (removed bool, err error) {
	err = l.change(func(entries []entry) (keep func(entry) bool, more []entry) {
		if removed = slices.ContainsFunc(entries, func(e entry) bool { return e.path == path }); !removed {
			return nil, nil
		}
		return func(e entry) bool { return e.path != path }, nil
	})
	return removed, err
}

// change rewrites the file under a lock. how returns which entries to keep and which to add. If
// keep is nil, the file is not changed.
func (l *List) change(how func(entries []entry) (keep func(entry) bool, more []entry)) error {
	unlock, _, err := atomicfile.Lock(l.path+".lock", lockTimeout)
	if err == nil {
		defer unlock()
	}
	entries, fault := l.load()
	if fault != nil {
		return errors.E(errors.Invalid, "trust list %s cannot be used: %w", errors.Quote(l.path), fault).
			Hint("", "", "mend or remove that file")
	}
	if err == nil {
		if keep, more := how(entries); keep != nil {
			err = l.rewrite(keep, more)
		}
	}
	if err != nil {
		return errors.E(errors.Disk, "saving the trust list: %w", err).Hint("doctor", "", "see where the list lies, and whether it can be written")
	}
	return nil
}

func (l *List) rewrite(keep func(entry) bool, more []entry) error {
	data, err := atomicfile.ReadFile(l.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var text strings.Builder
	for line := range strings.Lines(string(data)) {
		if old, err := parseEntry(line); err == nil && !keep(old) {
			continue
		}
		text.WriteString(strings.TrimRight(line, "\r\n") + "\n")
	}
	for _, e := range more {
		text.WriteString(e.String() + "\n")
	}
	return atomicfile.Replace(l.path, text.String())
}

// load reads the file. On an error, which says what is wrong with it, the list counts as empty.
func (l *List) load() (entries []entry, err error) {
	info, err := os.Stat(l.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = atomicfile.Check(info, listLimit)
	}
	if err != nil {
		return nil, err
	}
	data, err := marker.ReadLinked(l.path, listLimit)
	if err != nil {
		return nil, err
	}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		e, err := parseEntry(line)
		if err != nil {
			return nil, fmt.Errorf("line %d is damaged", number)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// resolveEntry returns the entry of the directory that an absolute path resolves to.
func resolveEntry(dir string) (e entry, err error) {
	if !filepath.IsAbs(dir) {
		return e, errors.New("the path is not absolute")
	}
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return e, err
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return e, errors.Join(err, errors.New("it is not a directory"))
	}
	mark, err := identifyDir(path)
	return entry{mark: mark, path: path}, err
}

const (
	everything = "*"     // as a line, and as the argument of Add, opens every directory
	listLimit  = 1 << 20 // bytes; a longer list counts as damaged
)

// entry is a line of the list: a directory and the id of the project in it. Without an id it
// permits the use of a directory that others own or may write to. Both path and mark must match:
// the path alone would trust what is put there later, the mark alone a moved directory.
type entry struct {
	mark     string // identifies the directory, see identifyDir
	id, path string
}

func (e entry) String() string {
	if e.path == everything {
		return everything
	}
	return fmt.Sprintf("%s %q %q", e.mark, e.id, e.path)
}

// parseEntry parses the output of entry.String, or "*".
func parseEntry(line string) (e entry, err error) {
	line = strings.TrimSpace(line)
	if line == everything {
		return entry{path: everything}, nil
	}
	mark, rest, _ := strings.Cut(line, " ")
	id, _ := strconv.QuotedPrefix(rest)
	e.mark = mark
	e.id, _ = strconv.Unquote(id)
	e.path, _ = strconv.Unquote(strings.TrimPrefix(rest[len(id):], " "))
	if e.String() != line || !filepath.IsAbs(e.path) {
		return e, errors.New("not an entry")
	}
	return e, nil
}
