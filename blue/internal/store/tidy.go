package store

import (
	"os"
	"slices"
	"time"
)

const (
	tidyEvery   = time.Hour   // between two clean-ups of a project
	alwaysSweep = -1          // replaces the time of a directory that has young temporary files
	maxLockSkew = time.Minute // a clean-up time later than now by more than this is ignored
)

// HistoryLimit is the size of all former revisions of a project in bytes, which writes enforce. The
// first and last revision of each note stay.
const HistoryLimit = 64 << 20

// removeLeftovers removes what has outlived its use. It removes temporary files at every write:
// .blue is small, and notes/ and private/ are listed only if something has changed them since
// the last write. It examines the history of a project once an hour, and after a writer that was
// stopped. What cannot be removed stays until the next time, and no write fails
// because of it.
func (h *Held) removeLeftovers() {
	last, now := readLock(h.file), time.Now()
	h.state = lockState{pid: os.Getpid(), tidied: last.tidied, held: 1}
	due := last.held == 1 || now.Sub(last.tidied) >= tidyEvery || last.tidied.Sub(now) > maxLockSkew
	if due {
		h.state.tidied = now
	}
	writeLock(h.file, h.state)
	sweepTemps(h.s.blue, now)
	for i, dir := range noteDirs() {
		if due || last.sweptTimes[i] != h.s.dirChangeTime(dir) {
			h.s.withDir(dir, func(at *os.Root) { h.youngTemps[i] = sweepTemps(at, now) })
		}
	}
	if due {
		h.boundHistory(now)
	}
}

// noteSwept records in .lock, when the lock is released, that its holder was not stopped, and the times
// of the directories, which need not be listed until something changes them.
func (h *Held) noteSwept() {
	h.state.held = 0
	for i, dir := range noteDirs() {
		if h.state.sweptTimes[i] = h.s.dirChangeTime(dir); h.youngTemps[i] {
			h.state.sweptTimes[i] = alwaysSweep
		}
	}
	writeLock(h.file, h.state)
}

// dirChangeTime returns when a directory of .blue was changed, in nanoseconds, or 0 if it does
// not exist.
func (s *Store) dirChangeTime(dir string) int64 {
	info, err := s.blue.Lstat(dir)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

// sweepTemps is [removeTemps] for all names in a directory.
func sweepTemps(at *os.Root, now time.Time) (young bool) {
	names, _ := listNames(at)
	return removeTemps(at, names, now)
}

// pastInDir is a former revision and its directory.
type pastInDir struct {
	Past
	dir string
}

// boundHistory reduces the history to its bound. It removes the oldest revisions first, but
// never the first or the last one of a note.
func (h *Held) boundHistory(now time.Time) {
	total, spare := int64(0), []pastInDir{}
	for _, dir := range h.s.historyDirs() {
		h.s.withDir(dir, func(at *os.Root) {
			sweepTemps(at, now)
			past, _ := listPasts(at)
			for i, p := range past {
				total += p.Size
				if i > 0 && i < len(past)-1 {
					spare = append(spare, pastInDir{p, dir})
				}
			}
		})
	}
	slices.SortFunc(spare, func(a, b pastInDir) int { return a.Time.Compare(b.Time) })
	for _, k := range spare {
		if total <= HistoryLimit {
			return
		}
		h.s.withDir(k.dir, func(at *os.Root) {
			if at.Remove(k.base) == nil {
				total -= k.Size
			}
		})
	}
}
