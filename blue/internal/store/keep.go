package store

import (
	"io/fs"
	"os"
	"slices"
	"time"

	"blue/blue/internal/atomicfile"
)

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
