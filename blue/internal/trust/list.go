// Package trust keeps what this user has said about projects and notes: which
// directories are trusted although others own or may write them, and which
// revision of each note this user's Blue wrote or the user approved.
//
// Both stand in the user's own directories and nowhere in a project, so that
// nothing that comes with a clone, and nothing that a client sends, can grant
// trust.
package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"blue/errors"
)

const (
	everything = "*"     // the line, and the argument of Add, that trusts every directory
	listLimit  = 1 << 20 // bytes; a longer list is damaged
)

// List is the user's trust list: a text file with one directory a line, as
// device, inode and quoted path, or "*" for every directory. Blank lines and
// lines that begin with "#" are the user's own. It is safe for use by several
// goroutines.
type List struct {
	path string

	mu      sync.Mutex
	seen    os.FileInfo // of the file that was read; nil when there was none
	entries []entry
	fault   error // why the list counts as empty
}

// entry is one trusted directory. The path alone would trust whatever is put
// there later, device and inode alone whatever is given a freed number.
type entry struct {
	device, inode uint64
	path          string
}

func (e entry) String() string { return fmt.Sprintf("%d %d %q", e.device, e.inode, e.path) }

// OpenList returns the list in the file "trust" of the user's configuration
// directory, which need not exist. The file is read when it is asked for.
func OpenList(config string) *List {
	return &List{path: filepath.Join(config, "trust")}
}

// Trusted reports whether root, a physical path, is on the list and still the
// directory that was put there. The file is read again when it has changed.
func (l *List) Trusted(root string) bool {
	l.mu.Lock()
	l.refresh()
	entries := l.entries
	l.mu.Unlock()
	for _, e := range entries {
		if e.path == everything {
			return true
		}
		if e.path != root {
			continue
		}
		if now, err := identify(root); err == nil && now == e {
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
	l.refresh()
	if l.fault == nil {
		return ""
	}
	return fmt.Sprintf("trust list %q is not used: %v", l.path, l.fault)
}

// Add puts the directory, an absolute path or "*", on the list and keeps all
// other lines; what was there under the same path is replaced. A damaged list is
// not touched: it may hold what its owner wants back.
func (l *List) Add(dir string) error {
	added := entry{path: dir}
	if dir != everything {
		var err error
		if added, err = physical(dir); err != nil {
			return errors.E(errors.BadPath, "cannot trust %q: %w", dir, err).Hint("", "", "give the absolute path of a directory")
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	if l.fault != nil {
		return errors.E(errors.Invalid, "trust list %q cannot be used: %w", l.path, l.fault).Hint("", "", "mend or remove that file")
	}
	if slices.Contains(l.entries, added) {
		return nil
	}
	if err := l.rewrite(added); err != nil {
		return errors.E(errors.Disk, "saving the trust list: %w", err).Hint("doctor", "", "see where the list lies, and whether it can be written")
	}
	return nil
}

func (l *List) rewrite(added entry) error {
	data, err := os.ReadFile(l.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var text strings.Builder
	for line := range strings.Lines(string(data)) {
		if old, err := parse(line); err == nil && old.path == added.path {
			continue
		}
		text.WriteString(strings.TrimRight(line, "\r\n") + "\n")
	}
	if added.path == everything {
		text.WriteString(everything + "\n")
	} else {
		text.WriteString(added.String() + "\n")
	}
	return replace(l.path, text.String())
}

// refresh reads the file again when it is not the one that was read last.
func (l *List) refresh() {
	now, err := os.Stat(l.path)
	if err == nil && l.seen != nil && os.SameFile(now, l.seen) && now.Size() == l.seen.Size() && now.ModTime().Equal(l.seen.ModTime()) {
		return
	}
	l.seen, l.entries, l.fault = now, nil, nil
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err == nil {
		err = private(now)
	}
	if err == nil {
		l.entries, err = load(l.path)
	}
	if err != nil {
		l.entries, l.fault = nil, err
	}
}

func private(list os.FileInfo) error {
	switch {
	case !list.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case list.Size() > listLimit:
		return fmt.Errorf("it has more than %d bytes", listLimit)
	case runtime.GOOS != "windows" && list.Mode()&0o022 != 0:
		return errors.New("others can write it; run chmod 600 on it")
	}
	return nil
}

func load(path string) (entries []entry, err error) {
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
		e, err := parse(line)
		if err != nil {
			return nil, fmt.Errorf("line %d is damaged", number)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// parse reads what entry.String writes, or "*".
func parse(line string) (e entry, err error) {
	line = strings.TrimSpace(line)
	if line == everything {
		return entry{path: everything}, nil
	}
	if _, err := fmt.Sscanf(line, "%d %d %q", &e.device, &e.inode, &e.path); err != nil {
		return e, err
	}
	if e.String() != line || !filepath.IsAbs(e.path) {
		return e, errors.New("not an entry")
	}
	return e, nil
}

// physical returns the entry of the directory that the absolute path dir leads to.
func physical(dir string) (e entry, err error) {
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
	return identify(path)
}
