package store

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"time"

	"blue/errors"
)

// The history keeps the newest 100 revisions of a note, and its first one. The name
// of a file says when the revision was replaced, and which one it is. That moment is
// the clock's, or the one just after the last of the note when the clock has been set
// back: names ascend in the order of the edits, whatever becomes of the clock and of
// the times of the files.
const maxPasts = 100

// Past is one former revision of a note.
type Past struct {
	Revision string
	Time     time.Time // when it was replaced
	Size     int64     // in bytes

	base string // the name of its file
}

var isRevision = regexp.MustCompile(`^[0-9a-f]{16}$`)

// What the names of the history are long.
const (
	bareName  = 16 + len(extension)
	datedName = len(moment) + len("-") + bareName
)

// pastOf reads the name of a file of the history but for its time, quickly: every edit
// reads a hundred. One without a moment is of an older Blue.
func pastOf(base string) (p Past, ok bool) {
	if len(base) != bareName && len(base) != datedName || base[len(base)-len(extension):] != extension {
		return Past{}, false
	}
	p = Past{Revision: base[len(base)-bareName : len(base)-len(extension)], base: base}
	for _, digit := range []byte(p.Revision) {
		if (digit < '0' || digit > '9') && (digit < 'a' || digit > 'f') {
			return Past{}, false
		}
	}
	return p, p.isBare() || base[len("20060102")] == 'T' && base[len(moment)-1:][:2] == "Z-"
}

func (p Past) isBare() bool { return len(p.base) == bareName }

// timed reads the time in the name as well.
func (p Past) timed() Past {
	p.Time, _ = time.Parse(moment, p.base[:len(moment)])
	return p
}

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
	slices.Reverse(past)
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
	at, err := s.enter(n.history())
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
	return nil, unreadable(s.place(n.history()+"/"+revision+extension), err)
}

// readPast reads a revision in the directory of its note.
func readPast(at *os.Root, revision string) ([]byte, error) {
	names, err := list(at)
	if err != nil {
		return nil, err
	}
	err = fs.ErrNotExist
	for _, name := range names {
		if p, ok := pastOf(name); !ok || p.Revision != revision {
			continue
		}
		var data []byte
		if data, _, err = load(at, name); err == nil {
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

// pasts lists the revisions in one directory, the oldest first. Those without a moment
// in their name come last, by the times of their files: every edit gives one to all
// that are there, so that an older Blue has made them since.
func pasts(at *os.Root) ([]Past, error) {
	names, err := list(at)
	if err != nil {
		return nil, err
	}
	dated, bare := []Past{}, []Past{}
	for _, name := range names {
		p, ok := pastOf(name)
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
		dated = append(dated, p.timed())
	}
	slices.SortFunc(dated, byName)
	slices.SortFunc(bare, func(a, b Past) int { return cmp.Or(a.Time.Compare(b.Time), byName(a, b)) })
	return append(dated, bare...), nil
}

func byName(a, b Past) int { return cmp.Compare(a.base, b.base) }
