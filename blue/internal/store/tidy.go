package store

import (
	"os"
	"slices"
	"time"
)

const (
	tidyEvery   = time.Hour   // between two clean-ups of a project
	maxLockSkew = time.Minute // a clean-up time later than now by more than this is ignored
)

// HistoryLimit is the size of all former revisions of a project in bytes, which writes enforce. The
// first and last revision of each note stay.
const HistoryLimit = 64 << 20

// removeLeftovers removes temporary files of writers that were stopped, and what is too much of the
// history. It does so once an hour, and after a writer that was stopped. What cannot be removed stays
// until the next time, and no write fails because of it.
func (h *Held) removeLeftovers() {
	last, now := readLock(h.file), time.Now()
	h.state = lockState{pid: os.Getpid(), tidied: last.tidied, held: 1}
	due := last.held == 1 || now.Sub(last.tidied) >= tidyEvery || last.tidied.Sub(now) > maxLockSkew
	if due {
		h.state.tidied = now
	}
	writeLock(h.file, h.state)
	if !due {
		return
	}
	sweepTemps(h.s.blue, now)
	for _, dir := range noteDirs() {
		h.s.withDir(dir, func(at *os.Root) { sweepTemps(at, now) })
	}
	h.boundHistory(now)
}

// sweepTemps is [removeTemps] for all names in a directory.
func sweepTemps(at *os.Root, now time.Time) {
	names, _ := listNames(at)
	removeTemps(at, names, now)
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
