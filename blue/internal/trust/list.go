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

// List is the user's trust list: a text file with one directory a line, as
// device, inode and quoted path, or "*" for every directory. Blank lines and
// lines that begin with "#" are the user's own. It is safe for use by several
// goroutines.
type List struct {
	path string

	mu       sync.Mutex
	lastInfo os.FileInfo // of the file that was read; nil when there was none
	entries  []entry
	fault    error // why the list counts as empty
}

// OpenList returns the list in the file "trust" of the user's configuration
// directory, which need not exist. The file is read when it is asked for.
func OpenList(config string) *List {
	return &List{path: filepath.Join(config, "trust")}
}

// Trusted reports whether root, a physical path, is on the list and still the
// directory that was put there. The file is read again when it has changed.
func (l *List) Trusted(root string) bool {
	l.mu.Lock()
	l.reload()
	entries := l.entries
	l.mu.Unlock()
	for _, e := range entries {
		if e.path == everything {
			return true
		}
		if e.path != root {
			continue
		}
		if now, err := identifyDir(root); err == nil && now == e {
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

// Add puts the directory, an absolute path or "*", on the list and keeps all
// other lines; what was there under the same path is replaced. A damaged list is
// not touched: it may hold what its owner wants back.
func (l *List) Add(dir string) error {
	added := entry{path: dir}
	if dir != everything {
		var err error
		if added, err = resolveEntry(dir); err != nil {
			return errors.E(errors.BadPath, "cannot trust %q: %w", dir, err).Hint("", "", "give the absolute path of a directory")
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reload()
	if l.fault != nil {
		return errors.E(errors.Invalid, "trust list %q cannot be used: %w", l.path, l.fault).Hint("", "", "mend or remove that file")
	}
	if slices.Contains(l.entries, added) {
		return nil
	}
	if err := l.rewriteWith(added); err != nil {
		return errors.E(errors.Disk, "saving the trust list: %w", err).Hint("doctor", "", "see where the list lies, and whether it can be written")
	}
	return nil
}

func (l *List) rewriteWith(added entry) error {
	data, err := os.ReadFile(l.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var text strings.Builder
	for line := range strings.Lines(string(data)) {
		if old, err := parseEntry(line); err == nil && old.path == added.path {
			continue
		}
		text.WriteString(strings.TrimRight(line, "\r\n") + "\n")
	}
	if added.path == everything {
		text.WriteString(everything + "\n")
	} else {
		text.WriteString(added.String() + "\n")
	}
	return replaceFile(l.path, text.String())
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
		err = checkListFile(now)
	}
	if err == nil {
		l.entries, err = loadEntries(l.path)
	}
	if err != nil {
		l.entries, l.fault = nil, err
	}
}

func checkListFile(list os.FileInfo) error {
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
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return e, err
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return e, errors.Join(err, errors.New("it is not a directory"))
	}
	return identifyDir(path)
}
