package store

import (
	"sync"

	"blue/errors"
)

// New is a note that is to be created.
type New struct {
	Name string
	Data []byte
	By   By
}

// CreateAll creates notes of one directory, each as [Held.Create] does, and returns what
// became of each. Their files go to the disk side by side, and the directory once for all,
// so that many take little longer than one.
func (h *Held) CreateAll(all []New) []error {
	failed, temps := make([]error, len(all)), make([]string, len(all))
	if len(all) == 0 {
		return failed
	}
	first, err := h.checkWrite(all[0].Name, all[0].Data)
	if err != nil {
		failed[0] = err
		return append(failed[:1], h.CreateAll(all[1:])...)
	}
	at, err := h.makeDir(first.dir)
	if err != nil {
		for i := range failed {
			failed[i] = first.saveError(err)
		}
		return failed
	}
	defer at.Close()
	var writing sync.WaitGroup
	for i, one := range all {
		n, err := h.checkWrite(one.Name, one.Data)
		if _, taken := at.Lstat(n.base); err == nil && taken == nil {
			err = errors.NoteExists(n.id())
		}
		if err == nil && n.dir != first.dir {
			err = errors.New("notes of two directories in one batch")
		}
		if failed[i] = err; err != nil {
			continue
		}
		own := *h // each notes for itself what reached the disk, which nobody is told
		writing.Go(func() {
			temps[i], failed[i] = own.writeTemp(at, n.mode(), one.Data)
		})
	}
	writing.Wait()
	for i, one := range all {
		n, _ := parseName(one.Name)
		err := failed[i]
		if err == nil {
			if err = linkOrRename(at, temps[i], n.base); err != nil {
				at.Remove(temps[i])
			}
		}
		if failed[i] = err; err != nil {
			failed[i] = n.saveError(err)
			continue
		}
		h.By = one.By
		h.noteChanged(n, Wrote, Revision(one.Data), one.Data)
	}
	h.flushDir(at)
	return failed
}
