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

// The history keeps the newest 100 revisions of a note, and its first one. The name
// of a file says when the revision was replaced, and which one it is. That moment is
// the clock's, or the one just after the last of the note when the clock has been set
// back: names ascend in the order of the edits, whatever becomes of the clock and of
// the times of the files.
const maxRevisions = 100

// Past is one former revision of a note.
type Past struct {
	Revision string
	Time     time.Time // when it was replaced
	Size     int64     // in bytes

	base string // the name of its file
}

// parsePastName reads the name of a file of the history. One without a time is of an older
// Blue.
func parsePastName(base string) (p Past, ok bool) {
	stem, isNote := strings.CutSuffix(base, extension)
	replaced, revision, dated := strings.Cut(stem, "-")
	p = Past{Revision: revision, base: base}
	if !dated {
		p.Revision = stem
		return p, isNote && IsRevision(stem)
	}
	var err error
	p.Time, err = time.Parse(timeLayout, replaced)
	return p, isNote && IsRevision(revision) && err == nil
}

// IsRevision reports whether a text has the form of a [Revision].
func IsRevision(text string) bool {
	return len(text) == 16 && strings.Trim(text, "0123456789abcdef") == ""
}

// isBare reports whether the name of the file has no time.
func (p Past) isBare() bool { return !strings.Contains(p.base, "-") }

// Revisions returns the former revisions of a note, newest first, whether or not
// the note is still there.
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

// ReadPast returns the bytes of a former revision, kind not_found when it is not
// kept. A file that no longer holds its revision is of kind disk.
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
		for range 2 { // an edit may have given it another name meanwhile
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
		if err != nil && !errors.Is(err, errors.BadMarker) { // which is no directory
			return 0, err
		}
		for _, p := range past {
			total += p.Size
		}
	}
	return total, nil
}

// pastsIn lists the revisions in one directory of the history, the oldest first.
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

// listPasts lists the revisions in one directory, the oldest first. Those without a time
// in their name come last, by the times of their files: every edit dates all names that
// are there, so that an older Blue has made them since.
func listPasts(at *os.Root) ([]Past, error) {
	names, err := listNames(at)
	if err != nil {
		return nil, err
	}
	dated, bare := []Past{}, []Past{}
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
		if p.isBare() {
			p.Time = info.ModTime()
			bare = append(bare, p)
			continue
		}
		dated = append(dated, p)
	}
	slices.SortFunc(dated, comparePastNames)
	slices.SortFunc(bare, func(a, b Past) int { return cmp.Or(a.Time.Compare(b.Time), comparePastNames(a, b)) })
	return append(dated, bare...), nil
}

func comparePastNames(a, b Past) int { return cmp.Compare(a.base, b.base) }

// historyDirs returns the directories that hold revisions of one note each. What
// cannot be listed is left out.
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

// pruneSlack is how many more revisions a directory may hold, so that few edits of a note
// with a long history remove any. Nobody is shown these.
const pruneSlack = 20

// keepInHistory puts the bytes of a note into its history, as the newest. A text that is the
// first one stays that. A copy, not a link: an editor that writes in place would
// change a linked revision too.
func (h *Held) keepInHistory(n notePath, data []byte, mode fs.FileMode) error {
	at, err := h.makeDir(n.historyDir())
	if err != nil {
		return err
	}
	defer at.Close()
	past, err := listDated(at)
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
	if known > 0 { // something else has changed it
		at.Remove(past[known].base)
	}
	h.flushDir(at)
	pruneHistory(at, past)
	return nil
}

// pruneHistory removes the oldest revisions but the first. One more has come since past
// was listed.
func pruneHistory(at *os.Root, past []Past) {
	if len(past) <= maxRevisions+pruneSlack {
		return
	}
	for _, p := range past[1 : len(past)+1-maxRevisions] {
		at.Remove(p.base)
	}
}

// listDated is [listPasts] for the process that holds the lock. It gives a time to each name that
// an older Blue made without one: from the oldest on, so that the order stays when it is stopped in
// the middle.
func listDated(at *os.Root) (past []Past, err error) {
	sweepTemps(at, time.Now())
	all, err := listPasts(at)
	for _, p := range all {
		if p.isBare() && err == nil {
			former := p.base
			p = nextPast(past, p.Time, p.Revision)
			err = atomicfile.Rename(at, former, p.base)
		}
		past = append(past, p)
	}
	return past, err
}

// nextPast names a revision that is replaced now, behind all that are there.
func nextPast(there []Past, now time.Time, revision string) Past {
	if len(there) > 0 {
		if last := there[len(there)-1].Time; !now.After(last) {
			now = last.Add(time.Nanosecond)
		}
	}
	return Past{Revision: revision, Time: now, base: now.UTC().Format(timeLayout) + "-" + revision + extension}
}

// Keep puts a text into the history of a note, as if an edit had replaced it: one that
// another machine has made of the note, where that of this machine stays.
func (h *Held) Keep(name string, data []byte) error {
	n, err := h.checkWrite(name, data)
	if err != nil {
		return err
	}
	if err := h.keepInHistory(n, data, n.mode()); err != nil {
		return n.saveError(err)
	}
	return nil
}
