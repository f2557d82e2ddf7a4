package store

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/errors"
)

var trashName = regexp.MustCompile(`^(.+)-(\d{8}T\d{6}\.\d{9}Z)\.md$`)

// Trashed is one note in the trash.
type Trashed struct {
	Name string    // the name that it had, "notes/ID.md"
	File string    // "trash/x-20060102T150405.000000000Z.md"; a private one is in trash/private/
	Time time.Time // when it was removed
	Size int64     // in bytes
}

// Trash lists the removed notes, newest first.
func (s *Store) Trash() ([]Trashed, error) {
	all := []Trashed{}
	for _, dir := range noteDirs() {
		some, err := s.listTrash(notePath{dir: dir})
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b Trashed) int { return b.Time.Compare(a.Time) })
	return all, nil
}

// TrashedAs lists the removed notes with a name, newest first.
func (s *Store) TrashedAs(name string) ([]Trashed, error) {
	n, err := parseName(name)
	if err != nil {
		return nil, err
	}
	return s.listTrash(n)
}

// ReadTrashed returns the bytes and the revision of a removed note, named by its File.
func (s *Store) ReadTrashed(file string) (data []byte, revision string, err error) {
	dir, base := path.Split(file)
	n := notePath{dir: notes}
	if dir != n.trashDir()+"/" {
		n.dir = private
	}
	entry, ok := n.parseTrashName(base)
	if !ok || entry.File != file {
		return nil, "", errors.NotTrashed(file)
	}
	at, err := s.enterDir(n.trashDir())
	if err == nil {
		defer at.Close()
		data, _, err = loadFile(at, base)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", errors.NotTrashed(entry.Name)
	}
	if err != nil {
		return nil, "", readableError(s.pathOf(file), err)
	}
	return data, Revision(data), nil
}

// Remove moves a note to the trash and returns its path there. It treats revision as
// [Held.Replace] does.
func (h *Held) Remove(name, revision string) (saved Saved, trashed string, err error) {
	n, err := h.checkWrite(name, nil)
	if err != nil {
		return Saved{}, "", err
	}
	from, data, _, err := h.readCurrent(n)
	if err != nil {
		return Saved{}, "", err
	}
	defer from.Close()
	now := Revision(data)
	if err := n.checkRevision(revision, now); err != nil {
		return Saved{}, "", err
	}
	to, err := h.makeDir(n.trashDir())
	if err != nil {
		return Saved{}, "", n.saveError(err)
	}
	defer to.Close()
	base := h.s.freeTrashName(n, to)
	trashed = n.trashDir() + "/" + base
	if err := atomicfile.Rename(h.s.blue, n.name(), trashed); err != nil {
		return Saved{}, "", n.saveError(err)
	}
	h.noteChanged(n, Removed, "", data)
	h.flushDir(to)
	h.flushDir(from)
	return Saved{Revision: now, Durable: h.durable}, trashed, nil
}

// Untrash brings back the note that was removed last under this name. The kinds of its errors
// are not_found, and exists if the name is taken.
func (h *Held) Untrash(name string) (Saved, error) {
	n, err := h.checkWrite(name, nil)
	if err != nil {
		return Saved{}, err
	}
	entries, err := h.s.listTrash(n)
	if err != nil {
		return Saved{}, err
	}
	if len(entries) == 0 {
		return Saved{}, errors.NotTrashed(n.id())
	}
	file := entries[0].File
	data, revision, err := h.s.ReadTrashed(file)
	if err != nil {
		return Saved{}, err
	}
	to, err := h.makeDir(n.dir)
	if err != nil {
		return Saved{}, n.saveError(err)
	}
	defer to.Close()
	from, err := h.s.enterDir(n.trashDir())
	if err != nil {
		return Saved{}, n.saveError(err)
	}
	defer from.Close()
	if err := linkOrRename(h.s.blue, file, n.name()); err != nil {
		return Saved{}, n.saveError(err)
	}
	h.noteChanged(n, Restored, revision, data)
	h.flushDir(to)
	h.flushDir(from)
	return Saved{Revision: revision, Durable: h.durable}, nil
}

// Delete deletes notes in the trash, named by their File, for good. Those that are gone count as
// deleted.
func (h *Held) Delete(files []string) error {
	for _, file := range files {
		if err := h.s.blue.Remove(filepath.FromSlash(file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errors.SaveFailed(file, err)
		}
	}
	for _, dir := range noteDirs() {
		if at, err := h.s.enterDir((notePath{dir: dir}).trashDir()); err == nil {
			h.flushDir(at)
			_ = at.Close()
		}
	}
	return nil
}

// listTrash lists the removed notes with n's name, or all of its directory if n has no name,
// newest first.
func (s *Store) listTrash(n notePath) ([]Trashed, error) {
	at, err := s.enterDir(n.trashDir())
	if errors.Is(err, fs.ErrNotExist) {
		return []Trashed{}, nil
	}
	if err != nil {
		return nil, readableError(s.pathOf(n.trashDir()), err)
	}
	defer at.Close()
	names, err := listNames(at)
	if err != nil {
		return nil, readableError(s.pathOf(n.trashDir()), err)
	}
	found := []Trashed{}
	for _, base := range names {
		if n.base != "" && !strings.HasPrefix(base, n.stem()+"-") {
			continue
		}
		entry, ok := n.parseTrashName(base)
		if !ok || (n.base != "" && entry.Name != n.name()) {
			continue
		}
		if info, err := at.Lstat(base); err == nil && info.Mode().IsRegular() {
			entry.Size = info.Size()
			found = append(found, entry)
		}
	}
	slices.SortFunc(found, func(a, b Trashed) int {
		return cmp.Or(b.Time.Compare(a.Time), strings.Compare(b.File, a.File))
	})
	return found, nil
}

// parseTrashName parses a file name in the trash of n's directory.
func (n notePath) parseTrashName(base string) (Trashed, bool) {
	parts := trashName.FindStringSubmatch(base)
	if parts == nil || SafeName(parts[1]+extension) != "" {
		return Trashed{}, false
	}
	at, err := time.Parse(timeLayout, parts[2])
	if err != nil {
		return Trashed{}, false
	}
	return Trashed{Name: n.dir + "/" + parts[1] + extension, File: n.trashDir() + "/" + base, Time: at}, true
}

// freeTrashName returns an unused name in the trash. It sorts after the existing ones of the
// same note, even if the clock has been set back.
func (s *Store) freeTrashName(n notePath, at *os.Root) string {
	now := time.Now().UTC()
	if there, err := s.listTrash(n); err == nil && len(there) > 0 && !now.After(there[0].Time) {
		now = there[0].Time.Add(time.Nanosecond)
	}
	for ; ; now = now.Add(time.Nanosecond) {
		base := n.stem() + "-" + now.Format(timeLayout) + extension
		if _, err := at.Lstat(base); err != nil {
			return base
		}
	}
}
