package store

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"blue/errors"
)

// moment is the time in the name of a trashed note, in UTC. Of one length, so
// that the order of names is that of times.
const moment = "20060102T150405.000000000Z"

var isTrashed = regexp.MustCompile(`^(.+)-(\d{8}T\d{6}\.\d{9}Z)\.md$`)

// Trashed is one note in the trash.
type Trashed struct {
	Name string    // that it had, "notes/x.md"
	File string    // "trash/x-20060102T150405.000000000Z.md", as in trash/private/ a private one
	Time time.Time // when it was removed
	Size int64     // in bytes
}

// Trash lists the removed notes, the newest first.
func (s *Store) Trash() ([]Trashed, error) {
	all := []Trashed{}
	for _, dir := range []string{notes, private} {
		some, err := s.trashed(note{dir: dir})
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b Trashed) int { return b.Time.Compare(a.Time) })
	return all, nil
}

// TrashedAs lists the removed notes of one name, the newest first.
func (s *Store) TrashedAs(name string) ([]Trashed, error) {
	n, err := parse(name)
	if err != nil {
		return nil, err
	}
	return s.trashed(n)
}

// ReadTrashed returns the bytes and the revision of a removed note, by its File.
func (s *Store) ReadTrashed(file string) (data []byte, revision string, err error) {
	slash := strings.LastIndexByte(file, '/')
	dir, base := file[:max(slash, 0)], file[slash+1:]
	n := note{dir: notes}
	if dir != n.trash() {
		n.dir = private
	}
	entry, ok := n.removed(base)
	if !ok || dir != n.trash() {
		return nil, "", errors.NotTrashed(file)
	}
	at, err := s.enter(dir)
	if err == nil {
		defer at.Close()
		data, _, err = load(at, base)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", errors.NotTrashed(entry.Name)
	}
	if err != nil {
		return nil, "", unreadable(s.place(file), err)
	}
	return data, Revision(data), nil
}

// Remove moves a note to the trash and returns its path there. Revision as for
// [Held.Replace].
func (h *Held) Remove(name, revision string) (saved Saved, trashed string, err error) {
	n, err := h.begin(name, nil)
	if err != nil {
		return Saved{}, "", err
	}
	from, data, _, err := h.current(n)
	if err != nil {
		return Saved{}, "", err
	}
	defer from.Close()
	now := Revision(data)
	if err := n.stale(revision, now); err != nil {
		return Saved{}, "", err
	}
	to, err := h.make(n.trash())
	if err != nil {
		return Saved{}, "", n.notSaved(err)
	}
	defer to.Close()
	base := h.s.freeTrash(n, to)
	trashed = n.trash() + "/" + base
	if err := rename(h.s.blue, n.name(), trashed); err != nil {
		return Saved{}, "", n.notSaved(err)
	}
	h.flushDir(to)
	h.flushDir(from)
	return Saved{Revision: now, Durable: h.durable}, trashed, nil
}

// Untrash brings the note that was removed last under this name back. The kinds
// are not_found, and exists when the name is taken.
func (h *Held) Untrash(name string) (Saved, error) {
	n, err := h.begin(name, nil)
	if err != nil {
		return Saved{}, err
	}
	entries, err := h.s.trashed(n)
	if err != nil {
		return Saved{}, err
	}
	if len(entries) == 0 {
		return Saved{}, errors.NotTrashed(n.id())
	}
	file := entries[0].File
	_, revision, err := h.s.ReadTrashed(file)
	if err != nil {
		return Saved{}, err
	}
	to, err := h.make(n.dir)
	if err != nil {
		return Saved{}, n.notSaved(err)
	}
	defer to.Close()
	from, err := h.s.enter(n.trash())
	if err != nil {
		return Saved{}, n.notSaved(err)
	}
	defer from.Close()
	if err := settle(h.s.blue, file, n.name()); err != nil {
		return Saved{}, n.notSaved(err)
	}
	h.flushDir(to)
	h.flushDir(from)
	return Saved{Revision: revision, Durable: h.durable}, nil
}

// trashed lists the removed notes of n's name, or all of its directory when it
// has none, newest first.
func (s *Store) trashed(n note) ([]Trashed, error) {
	at, err := s.enter(n.trash())
	if errors.Is(err, fs.ErrNotExist) {
		return []Trashed{}, nil
	}
	if err != nil {
		return nil, unreadable(s.place(n.trash()), err)
	}
	defer at.Close()
	names, err := list(at)
	if err != nil {
		return nil, unreadable(s.place(n.trash()), err)
	}
	found := []Trashed{}
	for _, base := range names {
		if n.base != "" && !strings.HasPrefix(base, n.stem()+"-") {
			continue
		}
		entry, ok := n.removed(base)
		if !ok || (n.base != "" && entry.Name != n.name()) {
			continue
		}
		if info, err := at.Lstat(base); err == nil && info.Mode().IsRegular() {
			entry.Size = info.Size()
			found = append(found, entry)
		}
	}
	slices.SortFunc(found, func(a, b Trashed) int { return strings.Compare(b.File, a.File) })
	slices.SortStableFunc(found, func(a, b Trashed) int { return b.Time.Compare(a.Time) })
	return found, nil
}

// removed reads a file name of the trash of n's directory.
func (n note) removed(base string) (Trashed, bool) {
	parts := isTrashed.FindStringSubmatch(base)
	if parts == nil || SafeName(parts[1]+extension) != "" {
		return Trashed{}, false
	}
	at, err := time.Parse(moment, parts[2])
	if err != nil {
		return Trashed{}, false
	}
	return Trashed{Name: n.dir + "/" + parts[1] + extension, File: n.trash() + "/" + base, Time: at}, true
}

// freeTrash is a name in the trash that nothing has yet, behind those of the same note
// that are there, even when the clock has been set back.
func (s *Store) freeTrash(n note, at *os.Root) string {
	now := time.Now().UTC()
	if there, err := s.trashed(n); err == nil && len(there) > 0 && !now.After(there[0].Time) {
		now = there[0].Time.Add(time.Nanosecond)
	}
	for ; ; now = now.Add(time.Nanosecond) {
		base := n.stem() + "-" + now.Format(moment) + extension
		if _, err := at.Lstat(base); err != nil {
			return base
		}
	}
}
