package store

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"blue/errors"
)

// The history keeps the newest 100 revisions of a note, and its first one, which
// tells a create that was sent twice (reliability.md sections 2 and 4).
const maxPasts = 100

// spared is how many more a directory may hold, so that not every edit of a note
// with a long history looks at all of it. Nobody is shown them.
const spared = 20

// Past is one former revision of a note.
type Past struct {
	Revision string
	Time     time.Time // when it was replaced
	Size     int64     // in bytes
}

var (
	isRevision = regexp.MustCompile(`^[0-9a-f]{16}$`)
	isPast     = regexp.MustCompile(`^[0-9a-f]{16}\.md$`)
)

// Revisions returns the former revisions of a note, newest first, whether or not
// the note is still there.
func (s *Store) Revisions(name string) ([]Past, error) {
	n, err := parse(name)
	if err != nil {
		return nil, err
	}
	at, err := s.enter(n.history())
	if errors.Is(err, fs.ErrNotExist) {
		return []Past{}, nil
	}
	if err != nil {
		return nil, unreadable(s.place(n.history()), err)
	}
	defer at.Close()
	past, err := pasts(at)
	if err != nil {
		return nil, unreadable(s.place(n.history()), err)
	}
	if len(past) > maxPasts+1 {
		past = append(past[:maxPasts], past[len(past)-1])
	}
	return past, nil
}

// ReadPast returns the bytes of a former revision, kind not_found when it is not
// kept. A file that no longer holds its revision is of kind disk.
func (s *Store) ReadPast(name, revision string) ([]byte, error) {
	n, err := parse(name)
	if err != nil {
		return nil, err
	}
	if !isRevision.MatchString(revision) {
		return nil, errors.NoRevision(n.id(), revision)
	}
	path := s.place(n.history() + "/" + revision + extension)
	at, err := s.enter(n.history())
	if err == nil {
		defer at.Close()
		var data []byte
		if data, _, err = load(at, revision+extension); err == nil && Revision(data) == revision {
			return data, nil
		}
	}
	switch {
	case err == nil:
		return nil, errors.Unreadable(path, errors.New("it was changed by something else"))
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.NoRevision(n.id(), revision)
	}
	return nil, unreadable(path, err)
}

// HistorySize returns the size of all former revisions of the project, in bytes.
func (s *Store) HistorySize(ctx context.Context) (int64, error) {
	total := int64(0)
	for _, dir := range s.histories() {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		at, err := s.enter(dir)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errors.BadMarker) {
			continue // gone meanwhile, or no directory
		}
		if err != nil {
			return 0, unreadable(s.place(dir), err)
		}
		past, err := pasts(at)
		at.Close()
		if err != nil {
			return 0, unreadable(s.place(dir), err)
		}
		for _, p := range past {
			total += p.Size
		}
	}
	return total, nil
}

// keep puts the bytes of a note into its history. A copy, not a link: an editor
// that writes in place would change a linked revision too.
func (h *Held) keep(n note, data []byte, mode fs.FileMode) error {
	at, err := h.make(n.history())
	if err != nil {
		return err
	}
	defer at.Close()
	base := Revision(data) + extension
	if kept, _, err := load(at, base); err == nil && bytes.Equal(kept, data) {
		h.flushDir(at)
		renew(at, base)
		return nil
	}
	temp, err := h.fresh(at, mode, data)
	if err != nil {
		return err
	}
	if err := rename(at, temp, base); err != nil {
		at.Remove(temp)
		return err
	}
	h.flushDir(at)
	prune(at)
	return nil
}

// renew makes a revision that the note had once more the newest of its history,
// unless it is the first, which stays so.
func renew(at *os.Root, base string) {
	past, err := pasts(at)
	if err != nil || len(past) == 0 || past[len(past)-1].Revision+extension == base {
		return
	}
	now := time.Now()
	at.Chtimes(base, now, now)
}

// prune removes the oldest revisions but the first.
func prune(at *os.Root) {
	if names, err := list(at); err != nil || len(names) <= maxPasts+1+spared {
		return
	}
	past, err := pasts(at)
	if err != nil || len(past) <= maxPasts+1 {
		return
	}
	for _, p := range past[maxPasts : len(past)-1] {
		at.Remove(p.Revision + extension)
	}
}

// pasts lists the revisions in one directory, newest first.
func pasts(at *os.Root) ([]Past, error) {
	names, err := list(at)
	if err != nil {
		return nil, err
	}
	past := []Past{}
	for _, name := range names {
		if !isPast.MatchString(name) {
			continue
		}
		info, err := at.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		past = append(past, Past{strings.TrimSuffix(name, extension), info.ModTime(), info.Size()})
	}
	slices.SortFunc(past, func(a, b Past) int {
		return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Revision, b.Revision))
	})
	return past, nil
}
