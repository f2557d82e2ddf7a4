// Package trust keeps what this user has said about projects: which are trusted, so that
// their notes are told unasked, which directories may be used although others own or may
// write them, and which notes this user's Blue has written.
//
// All of it stands in the user's own state directory and nothing in a project, so that
// nothing that comes with a clone, and nothing that a client sends, can grant trust.
package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"blue/blue/internal/statefile"
	"blue/errors"
	"blue/marker/mount"
)

const lockTimeout = 10 * time.Second // of waiting for other processes, each of which flushes a file

// List is the user's trust list: a text file with one directory a line, as mark, quoted id
// of the project and quoted path, or "*". Blank lines and lines that begin with "#" are the
// user's own. It is safe for use by several goroutines.
type List struct {
	path string

	mu       sync.Mutex
	lastInfo os.FileInfo // of the file that was read; nil when there was none
	entries  []entry
	fault    error // why the list counts as empty
}

// OpenList returns the list in the file "trust" of the user's state directory, which need
// not exist. The file is read when it is asked for.
func OpenList(state string) *List { return &List{path: filepath.Join(state, "trust")} }

// Opens reports whether the user has said that root, a physical path, may be used although
// others own or may write it. The file is read again when it has changed.
func (l *List) Opens(root string) bool { return l.has(everything, "") || l.has(root, "") }

// Trusts reports whether the user trusts the project with the id at root, a physical path.
func (l *List) Trusts(id, root string) bool { return id != "" && l.has(root, id) }

// has reports whether the directory is on the list with the id, and still the one that was
// put there.
func (l *List) has(path, id string) bool {
	l.mu.Lock()
	l.reload()
	entries := l.entries
	l.mu.Unlock()
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

// Warning says why the list counts as empty although there is one: it is
// damaged, unreadable, or open to changes by others. It is "" otherwise.
func (l *List) Warning() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reload()
	if l.fault == nil {
		return ""
	}
	return fmt.Sprintf("trust list %q is not used: %v", l.path, l.fault)
}

// Add puts the directory, an absolute path or "*", on the list, with the id of the project
// that is trusted or with "" to open it, and keeps all other lines; what was there before at
// the same path and is gone is dropped. A damaged list is not touched: it may hold what its
// owner wants back.
func (l *List) Add(dir, id string) error {
	added := entry{path: dir}
	if dir != everything {
		var err error
		if added, err = resolveEntry(dir); err != nil {
			return errors.E(errors.BadPath, "cannot trust %q: %w", dir, err).Hint("", "", "give the absolute path of a directory")
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

// Remove takes all that the list says of a path off it, and reports whether that was anything.
func (l *List) Remove(path string) (removed bool, err error) {
	err = l.change(func(entries []entry) (keep func(entry) bool, more []entry) {
		if removed = slices.ContainsFunc(entries, func(e entry) bool { return e.path == path }); !removed {
			return nil, nil
		}
		return func(e entry) bool { return e.path != path }, nil
	})
	return removed, err
}

// change replaces the file by one with other entries; no function keep means that nothing is
// to change. Other processes wait.
func (l *List) change(how func(entries []entry) (keep func(entry) bool, more []entry)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	unlock, _, err := statefile.Lock(l.path+".lock", lockTimeout)
	if err == nil {
		defer unlock()
	}
	if l.reload(); l.fault != nil {
		return errors.E(errors.Invalid, "trust list %q cannot be used: %w", l.path, l.fault).Hint("", "", "mend or remove that file")
	}
	if err == nil {
		if keep, more := how(l.entries); keep != nil {
			err = l.rewrite(keep, more)
		}
	}
	if err != nil {
		return errors.E(errors.Disk, "saving the trust list: %w", err).Hint("doctor", "", "see where the list lies, and whether it can be written")
	}
	return nil
}

func (l *List) rewrite(keep func(entry) bool, more []entry) error {
	data, err := os.ReadFile(l.path)
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
		if e.path == everything {
			text.WriteString(everything + "\n")
		} else {
			text.WriteString(e.String() + "\n")
		}
	}
	return statefile.Replace(l.path, text.String())
}

// reload reads the file again when it is not the one that was read last.
func (l *List) reload() {
	now, err := os.Stat(l.path)
	if err == nil && l.lastInfo != nil && os.SameFile(now, l.lastInfo) && now.Size() == l.lastInfo.Size() && now.ModTime().Equal(l.lastInfo.ModTime()) {
		return
	}
	l.lastInfo, l.entries, l.fault = now, nil, nil
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err == nil {
		err = statefile.Check(now, listLimit)
	}
	if err == nil {
		l.entries, err = loadEntries(l.path)
	}
	if err != nil {
		l.entries, l.fault = nil, err
	}
}

func loadEntries(path string) (entries []entry, err error) {
	data, err := os.ReadFile(path)
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

// resolveEntry returns the entry of the directory that the absolute path dir leads to.
func resolveEntry(dir string) (e entry, err error) {
	if !filepath.IsAbs(dir) {
		return e, errors.New("the path is not absolute")
	}
	path, err := mount.Resolve(dir)
	if err != nil {
		return e, err
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return e, errors.Join(err, errors.New("it is not a directory"))
	}
	mark, err := identifyDir(path)
	return entry{mark: mark, path: path}, err
}
