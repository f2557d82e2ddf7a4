package store

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/errors"
)

// maxRevisions is the number of revisions of a note that are kept: the newest, besides the first.
// The name of a file contains the time at which the revision was replaced, and the revision. If the
// clock has been set back, that time is the one just after the last of the note. So names ascend in
// the order of the edits, whatever becomes of the clock and of the times of the files.
const maxRevisions = 100

// Past is one former revision of a note.
type Past struct {
	Revision string
	Time     time.Time // when it was replaced
	Size     int64     // in bytes

	base string // name of its file
}

// parsePastName parses the name of a file of the history.
func parsePastName(base string) (p Past, ok bool) {
	stem, isNote := strings.CutSuffix(base, extension)
	replaced, revision, _ := strings.Cut(stem, "-")
	at, err := time.Parse(timeLayout, replaced)
	return Past{Revision: revision, Time: at, base: base}, isNote && IsRevision(revision) && err == nil
}

// IsRevision reports whether a text has the form of a [Revision].
func IsRevision(text string) bool {
	return len(text) == 16 && strings.Trim(text, "0123456789abcdef") == ""
}

// Revisions returns the former revisions of a note, newest first, whether or not the note still
// exists.
func (s *Store) Revisions(name string) ([]Past, error) {
	n, err := parseName(name)
	if err != nil {
		return nil, err
	}
	past, err := s.pastsIn(n.historyDir())
	if err != nil {
		return nil, err
	}
	slices.Reverse(past)
	if len(past) > maxRevisions+1 {
		past = append(past[:maxRevisions], past[len(past)-1])
	}
	return past, nil
}

// ReadPast returns the bytes of a former revision. The error is of kind not_found if the
// revision is not kept, and of kind disk if the file no longer holds its revision.
func (s *Store) ReadPast(name, revision string) ([]byte, error) {
	n, err := parseName(name)
	if err != nil {
		return nil, err
	}
	if !IsRevision(revision) {
		return nil, errors.NoRevision(n.id(), revision)
	}
	at, err := s.enterDir(n.historyDir())
	if err == nil {
		defer at.Close()
		for range 2 { // a concurrent edit may have given it another name
			var data []byte
			if data, err = readPast(at, revision); err == nil {
				return data, nil
			}
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.NoRevision(n.id(), revision)
	}
	return nil, readableError(s.pathOf(n.historyDir()+"/"+revision+extension), err)
}

func readPast(at *os.Root, revision string) ([]byte, error) {
	names, err := listNames(at)
	if err != nil {
		return nil, err
	}
	err = fs.ErrNotExist
	for _, name := range names {
		if p, ok := parsePastName(name); !ok || p.Revision != revision {
			continue
		}
		var data []byte
		if data, _, err = loadFile(at, name); err == nil {
			if Revision(data) == revision {
				return data, nil
			}
			err = errors.New("it was changed by something else")
		}
	}
	return nil, err
}

// HistorySize returns the size of all former revisions of the project, in bytes.
func (s *Store) HistorySize(ctx context.Context) (int64, error) {
	total := int64(0)
	for _, dir := range s.historyDirs() {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		past, err := s.pastsIn(dir)
		if err != nil && !errors.Is(err, errors.BadMarker) { // it is no directory
			return 0, err
		}
		for _, p := range past {
			total += p.Size
		}
	}
	return total, nil
}

// pastsIn lists the revisions in one directory of the history, oldest first.
func (s *Store) pastsIn(dir string) (past []Past, err error) {
	at, err := s.enterDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []Past{}, nil
	}
	if err == nil {
		defer at.Close()
		past, err = listPasts(at)
	}
	if err != nil {
		return nil, readableError(s.pathOf(dir), err)
	}
	return past, nil
}

// listPasts lists the revisions in one directory, oldest first.
func listPasts(at *os.Root) ([]Past, error) {
	names, err := listNames(at)
	if err != nil {
		return nil, err
	}
	past := []Past{}
	for _, name := range names {
		p, ok := parsePastName(name)
		if !ok {
			continue
		}
		info, err := at.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		p.Size = info.Size()
		past = append(past, p)
	}
	slices.SortFunc(past, func(a, b Past) int { return cmp.Compare(a.base, b.base) })
	return past, nil
}

// historyDirs returns the directories that each hold the revisions of one note. It skips
// directories that cannot be listed.
func (s *Store) historyDirs() []string {
	var dirs []string
	for _, above := range []string{history, history + "/" + private} {
		s.withDir(above, func(at *os.Root) {
			names, _ := listNames(at)
			for _, name := range names {
				dirs = append(dirs, above+"/"+name)
			}
		})
	}
	return dirs
}

// pruneSlack is the number of surplus revisions that a directory may hold, so that only few
// edits of a note with a long history remove any. The surplus is never shown.
const pruneSlack = 20

// keepInHistory adds the bytes of a note to its history as the newest revision. A text that is
// the first revision stays the first. It writes a copy and makes no link, because an editor
// that writes in place would change a linked revision too.
func (h *Held) keepInHistory(n notePath, data []byte, mode fs.FileMode) error {
	at, err := h.makeDir(n.historyDir())
	if err != nil {
		return err
	}
	defer at.Close()
	sweepTemps(at, time.Now())
	past, err := listPasts(at)
	if err != nil {
		return err
	}
	p := nextPast(past, time.Now(), Revision(data))
	known := slices.IndexFunc(past, func(other Past) bool { return other.Revision == p.Revision })
	if known == 0 {
		p = past[0]
	}
	if known >= 0 && hasBytes(at, past[known].base, data) {
		err = atomicfile.Rename(at, past[known].base, p.base)
		h.flushDir(at)
		return err
	}
	temp, err := h.writeTemp(at, mode, data)
	if err != nil {
		return err
	}
	if err := atomicfile.Rename(at, temp, p.base); err != nil {
		at.Remove(temp)
		return err
	}
	if known > 0 { // its bytes were changed by another program
		at.Remove(past[known].base)
	}
	h.flushDir(at)
	pruneHistory(at, past)
	return nil
}

// pruneHistory removes the oldest revisions except the first one. One revision was added after
// past was listed.
func pruneHistory(at *os.Root, past []Past) {
	if len(past) <= maxRevisions+pruneSlack {
		return
	}
	for _, p := range past[1 : len(past)+1-maxRevisions] {
		at.Remove(p.base)
	}
}

// nextPast names a revision that is replaced now, so that it follows all existing ones.
func nextPast(there []Past, now time.Time, revision string) Past {
	if len(there) > 0 {
		if last := there[len(there)-1].Time; !now.After(last) {
			now = last.Add(time.Nanosecond)
		}
	}
	return Past{Revision: revision, Time: now, base: now.UTC().Format(timeLayout) + "-" + revision + extension}
}

// Keep adds a text to the history of a note, as if an edit had replaced it. It is for a text
// that another machine has made of the note while the text of this machine stays.
func (h *Held) Keep(name string, data []byte) error {
	n, err := h.checkWrite(name, data)
	if err != nil {
		return err
	}
	if err := h.keepInHistory(n, data, n.mode()); err != nil {
		return n.saveError(err)
	}
	h.addChange(Change{What: Edited, Name: n.name(), Revision: Revision(data), By: h.By})
	return nil
}
