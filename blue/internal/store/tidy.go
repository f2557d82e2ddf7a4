package store

import (
	"os"
	"slices"
	"strings"
	"time"
)

const (
	tidyEvery   = time.Hour   // between two clean-ups of a project
	tempAge     = time.Hour   // of a temporary file whose writer was stopped
	maxLockSkew = time.Minute // a clean-up in the future did not happen
)

// Bounds that a write brings a project back to (reliability.md section 2).
const (
	TrashAge     = 30 * 24 * time.Hour // since the note was removed
	HistoryLimit = 64 << 20            // bytes of all former revisions; yields to the first and last of each note
)

// tidy removes what has outlived its use: temporary files, the oldest of the
// trash and of the history. It runs under the lock and at most once an hour for a
// project, because it looks at every directory. What cannot be removed stays
// until the next time, and no write fails for it.
func (h *Held) tidy() {
	pid, last := readLock(h.file)
	now := time.Now()
	due := now.Sub(last) >= tidyEvery || last.Sub(now) > maxLockSkew
	if !due {
		if pid != os.Getpid() {
			writeLock(h.file, last)
		}
		return
	}
	writeLock(h.file, now)
	dropTemps(h.s.blue, now)
	for _, dir := range []string{notes, private} {
		h.s.in(dir, func(at *os.Root) { dropTemps(at, now) })
		h.dropTrash(note{dir: dir}, now)
	}
	h.tidyHistory(now)
}

// in calls do with the directory, if it can be entered.
func (s *Store) in(dir string, do func(at *os.Root)) {
	if at, err := s.enter(dir); err == nil {
		do(at)
		at.Close()
	}
}

// dropTemps removes what writers that were stopped have left in a directory.
func dropTemps(at *os.Root, now time.Time) {
	names, _ := list(at)
	for _, name := range names {
		if !strings.HasPrefix(name, tempStart) || name == lockFile {
			continue
		}
		info, err := at.Lstat(name)
		if err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > tempAge {
			at.Remove(name)
		}
	}
}

func (h *Held) dropTrash(n note, now time.Time) {
	entries, _ := h.s.trashed(n)
	h.s.in(n.trash(), func(at *os.Root) {
		for _, entry := range entries {
			if now.Sub(entry.Time) > TrashAge {
				at.Remove(strings.TrimPrefix(entry.File, n.trash()+"/"))
			}
		}
	})
}

// kept is a former revision and where it is.
type kept struct {
	Past
	dir string
}

// tidyHistory brings the history below its bound: the oldest go first, but never
// the first nor the last one of a note.
func (h *Held) tidyHistory(now time.Time) {
	total, spare := int64(0), []kept{}
	for _, dir := range h.s.histories() {
		h.s.in(dir, func(at *os.Root) {
			dropTemps(at, now)
			past, _ := pasts(at)
			for i, p := range past {
				total += p.Size
				if i > 0 && i < len(past)-1 {
					spare = append(spare, kept{p, dir})
				}
			}
		})
	}
	slices.SortFunc(spare, func(a, b kept) int { return a.Time.Compare(b.Time) })
	for _, k := range spare {
		if total <= HistoryLimit {
			return
		}
		h.s.in(k.dir, func(at *os.Root) {
			if at.Remove(k.base) == nil {
				total -= k.Size
			}
		})
	}
}

// histories returns the directories that hold revisions of one note each. What
// cannot be listed is left out.
func (s *Store) histories() []string {
	var dirs []string
	for _, above := range []string{history, history + "/" + private} {
		s.in(above, func(at *os.Root) {
			names, _ := list(at)
			for _, name := range names {
				dirs = append(dirs, above+"/"+name)
			}
		})
	}
	return dirs
}
