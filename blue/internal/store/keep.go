package store

import (
	"io/fs"
	"os"
	"slices"
	"time"
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
		err = rename(at, past[known].base, p.base)
		h.flushDir(at)
		return err
	}
	temp, err := h.writeTemp(at, mode, data)
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

// listDated lists the revisions in one directory by their names alone, the oldest first,
// for the process that holds the lock. Names without a time get one first.
func listDated(at *os.Root) ([]Past, error) {
	names, err := listNames(at)
	if err != nil {
		return nil, err
	}
	removeTemps(at, names, time.Now())
	past := []Past{}
	for _, name := range names {
		p, ok := parsePastName(name)
		if ok && p.isBare() {
			return dateBareNames(at)
		}
		if ok {
			past = append(past, p)
		}
	}
	slices.SortFunc(past, comparePastNames)
	return past, nil
}

// dateBareNames gives a time to each name that an older Blue made without one, in the order
// of the times of the files: from the oldest on, so that the order stays when it is stopped
// in the middle.
func dateBareNames(at *os.Root) ([]Past, error) {
	all, err := listPasts(at)
	if err != nil {
		return nil, err
	}
	past := []Past{}
	for _, p := range all {
		if p.isBare() {
			former := p.base
			p = nextPast(past, p.Time, p.Revision)
			if err := rename(at, former, p.base); err != nil {
				return nil, err
			}
		}
		past = append(past, p)
	}
	return past, nil
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
