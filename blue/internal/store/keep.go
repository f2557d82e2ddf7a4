package store

import (
	"io/fs"
	"os"
	"slices"
	"time"
)

// spared is how many more a directory may hold, so that few edits of a note with a
// long history remove something. Nobody is shown them.
const spared = 20

// keep puts the bytes of a note into its history, as the newest. A text that is the
// first one stays that. A copy, not a link: an editor that writes in place would
// change a linked revision too.
func (h *Held) keep(n note, data []byte, mode fs.FileMode) error {
	at, err := h.make(n.history())
	if err != nil {
		return err
	}
	defer at.Close()
	past, err := dated(at)
	if err != nil {
		return err
	}
	p := after(past, time.Now(), Revision(data))
	known := slices.IndexFunc(past, func(other Past) bool { return other.Revision == p.Revision })
	if known == 0 {
		p = past[0]
	}
	if known >= 0 && holds(at, past[known].base, data) {
		err = rename(at, past[known].base, p.base)
		h.flushDir(at)
		return err
	}
	temp, err := h.fresh(at, mode, data)
	if err != nil {
		return err
	}
	if err := rename(at, temp, p.base); err != nil {
		at.Remove(temp)
		return err
	}
	if known > 0 { // something else has changed it
		at.Remove(past[known].base)
	}
	h.flushDir(at)
	prune(at, past)
	return nil
}

// prune removes the oldest revisions but the first. One more has come since past was read.
func prune(at *os.Root, past []Past) {
	if len(past) <= maxPasts+spared {
		return
	}
	for _, p := range past[1 : len(past)+1-maxPasts] {
		at.Remove(p.base)
	}
}

// dated lists the revisions in one directory by their names alone, the oldest first,
// for who holds the lock. What an older Blue has named without a moment gets one
// first, in the order of the times of the files.
func dated(at *os.Root) ([]Past, error) {
	names, err := list(at)
	if err != nil {
		return nil, err
	}
	dropTemps(at, names, time.Now())
	past := []Past{}
	for _, name := range names {
		p, ok := pastOf(name)
		if ok && p.isBare() {
			return redated(at)
		}
		if ok {
			past = append(past, p)
		}
	}
	slices.SortFunc(past, byName)
	return past, nil
}

// redated is dated where some names have no moment yet. It gives them one from the oldest
// on, so that the order stays when it is stopped in the middle.
func redated(at *os.Root) ([]Past, error) {
	all, err := pasts(at)
	if err != nil {
		return nil, err
	}
	past := []Past{}
	for _, p := range all {
		if p.isBare() {
			former := p.base
			p = after(past, p.Time, p.Revision)
			if err := rename(at, former, p.base); err != nil {
				return nil, err
			}
		}
		past = append(past, p)
	}
	return past, nil
}

// after is the name of a revision that is replaced now, behind all that are there.
func after(there []Past, now time.Time, revision string) Past {
	if len(there) > 0 {
		if last := there[len(there)-1].timed().Time; !now.After(last) {
			now = last.Add(time.Nanosecond)
		}
	}
	return Past{Revision: revision, Time: now, base: now.UTC().Format(moment) + "-" + revision + extension}
}
