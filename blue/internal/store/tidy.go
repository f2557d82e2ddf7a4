package store

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	tidyEvery   = time.Hour   // between two clean-ups of a project
	tempAge     = time.Hour   // of a temporary file whose writer was stopped
	listAgain   = -1          // in place of the time of a directory that has young ones
	maxLockSkew = time.Minute // a clean-up in the future did not happen
)

// Bounds that a write brings a project back to.
const (
	TrashAge     = 30 * 24 * time.Hour // since the note was removed
	HistoryLimit = 64 << 20            // bytes of all former revisions; yields to the first and last of each note
)

// tidy removes what has outlived its use. Temporary files go at every write: .blue is
// small, and notes/ and private/ are listed when something has changed them since the
// last write. The trash and the history are looked at once an hour for a project, and
// after a writer that was stopped. What cannot be removed stays until the next time,
// and no write fails for it.
func (h *Held) tidy() {
	last, now := readLock(h.file), time.Now()
	h.state = lockState{pid: os.Getpid(), tidied: last.tidied, held: true}
	due := last.held || now.Sub(last.tidied) >= tidyEvery || last.tidied.Sub(now) > maxLockSkew
	if due {
		h.state.tidied = now
	}
	writeLock(h.file, h.state)
	sweep(h.s.blue, now)
	for i, dir := range noteDirs() {
		if due || last.swept[i] != h.s.changed(dir) {
			h.s.in(dir, func(at *os.Root) { h.young[i] = sweep(at, now) })
		}
		if due {
			h.dropTrash(note{dir: dir}, now)
		}
	}
	if due {
		h.tidyHistory(now)
	}
}

// swept notes in .lock, when the lock is let go, that nobody was stopped, and the state
// of the directories that need not be listed before something changes them.
func (h *Held) swept() {
	h.state.held = false
	for i, dir := range noteDirs() {
		if h.state.swept[i] = h.s.changed(dir); h.young[i] {
			h.state.swept[i] = listAgain
		}
	}
	writeLock(h.file, h.state)
}

// changed is when a directory of .blue was changed, in nanoseconds; 0 when it is not there.
func (s *Store) changed(dir string) int64 {
	info, err := s.blue.Lstat(dir)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

// noteDirs are the directories of notes.
func noteDirs() [2]string { return [2]string{notes, private} }

// in calls do with the directory, if it can be entered.
func (s *Store) in(dir string, do func(at *os.Root)) {
	if at, err := s.enter(dir); err == nil {
		do(at)
		at.Close()
	}
}

// sweep drops the temporary files of a directory, see [dropTemps].
func sweep(at *os.Root, now time.Time) (young bool) {
	names, _ := list(at)
	return dropTemps(at, names, now)
}

// dropTemps removes what writers that were stopped have left, of the names in a
// directory. What is young, or of a process that lives, stays; it reports the former.
func dropTemps(at *os.Root, names []string, now time.Time) (young bool) {
	for _, name := range names {
		if !strings.HasPrefix(name, tempStart) || name == lockFile {
			continue
		}
		info, err := at.Lstat(name)
		switch {
		case err != nil || !info.Mode().IsRegular():
		case now.Sub(info.ModTime()) <= tempAge:
			young = true
		case abandoned(name):
			at.Remove(name)
		}
	}
	return young
}

// abandoned reports that no process lives of the id that a temporary file names. One
// that names none is of another room, which has finished long ago.
func abandoned(name string) bool {
	word, _, _ := strings.Cut(strings.TrimPrefix(name, tempStart), "-")
	pid, err := strconv.Atoi(word)
	return err != nil || pid <= 0 || gone(pid)
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
			sweep(at, now)
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
