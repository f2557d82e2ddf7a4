package store

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"sync"
	"syscall"

	"blue/errors"
)

// Saved is the result of a write.
type Saved struct {
	Revision  string // of the bytes now in place, or now in the trash
	Durable   bool   // false if the file system could not confirm that a power cut loses nothing
	Unchanged bool   // the note already had these bytes
}

// Create writes a new note. If the name is taken, the error is of kind exists; Create never
// overwrites. On any error nothing has changed.
func (h *Held) Create(name string, data []byte) (Saved, error) {
	n, err := h.checkWrite(name, data)
	if err != nil {
		return Saved{}, err
	}
	at, err := h.makeDir(n.dir)
	if err != nil {
		return Saved{}, n.saveError(err)
	}
	defer at.Close()
	if _, err := at.Lstat(n.base); err == nil {
		return Saved{}, errors.NoteExists(n.id())
	}
	temp, err := h.writeTemp(at, n.mode(), data)
	if err != nil {
		return Saved{}, n.saveError(err)
	}
	if err := linkOrRename(at, temp, n.base); err != nil {
		at.Remove(temp)
		return Saved{}, n.saveError(err)
	}
	now := Revision(data)
	h.noteChanged(n, Wrote, now, data)
	h.flushDir(at)
	return Saved{Revision: now, Durable: h.durable}, nil
}

// Replace gives a note new bytes after it has saved the present ones to the history. If
// revision is not the present one, the error is of kind conflict, with the present revision in
// its detail; an empty revision matches any. Equal bytes are no conflict, whatever the
// revision. On any error the note has not changed.
func (h *Held) Replace(name, revision string, data []byte) (Saved, error) {
	n, err := h.checkWrite(name, data)
	if err != nil {
		return Saved{}, err
	}
	for range maxTries {
		var saved Saved
		saved, err = h.replaceOnce(n, revision, data)
		if !errors.Is(err, errMoved) {
			return saved, err
		}
	}
	return Saved{}, h.s.readError(n, err)
}

// replaceOnce makes one attempt. It returns errMoved if an editor that does not use the lock
// has changed the note concurrently.
func (h *Held) replaceOnce(n notePath, revision string, data []byte) (Saved, error) {
	at, old, seen, err := h.readCurrent(n)
	if err != nil {
		return Saved{}, err
	}
	defer at.Close()
	now := Revision(data)
	if bytes.Equal(old, data) {
		h.confirmFlush(at, n.base)
		return Saved{Revision: now, Durable: h.durable, Unchanged: true}, nil
	}
	if err := n.checkRevision(revision, Revision(old)); err != nil {
		return Saved{}, err
	}
	// A note that its owner has closed to others stays closed.
	mode := n.mode() & (seen.Mode().Perm() | 0o600)
	if err := h.keepInHistory(n, old, mode); err != nil {
		return Saved{}, n.saveError(err)
	}
	temp, err := h.writeTemp(at, mode, data)
	if err != nil {
		return Saved{}, n.saveError(err)
	}
	p := &replacement{at: at, n: n, temp: temp, data: data, old: old, seen: seen, mode: mode}
	if err := h.exchangeIn(p); errors.Is(err, errMoved) {
		return Saved{}, errMoved
	} else if err != nil {
		return Saved{}, n.saveError(err)
	}
	h.noteChanged(n, Edited, now, data)
	h.flushDir(at)
	h.removeFormer(p)
	return Saved{Revision: now, Durable: h.durable}, nil
}

// Confirm flushes what a write would have made but found in place: the note or, if trashed is
// not empty, that file of the trash. The process that put it there may have been stopped before
// the disk had it. Confirm reports whether the disk has it now.
func (h *Held) Confirm(name, trashed string) (durable bool) {
	n, err := h.checkWrite(name, nil)
	if err != nil {
		return false
	}
	dir, from, base := n.dir, n.trashDir(), n.base
	if trashed != "" {
		dir, from, base = n.trashDir(), n.dir, path.Base(trashed)
	}
	at, err := h.s.enterDir(dir)
	if err != nil {
		return false
	}
	defer at.Close()
	h.confirmFlush(at, base)
	h.s.withDir(from, h.flushDir) // the file may have come from there
	return h.durable
}

// checkWrite checks what can be checked without the disk.
func (h *Held) checkWrite(name string, data []byte) (notePath, error) {
	if h.file == nil {
		return notePath{}, errors.New("writing without the lock")
	}
	n, err := parseName(name)
	if err != nil {
		return notePath{}, err
	}
	if len(data) > Limit {
		return notePath{}, errors.NoteTooLarge(name, Limit)
	}
	h.durable = true
	return n, nil
}

func (h *Held) readCurrent(n notePath) (at *os.Root, data []byte, seen fs.FileInfo, err error) {
	at, err = h.s.enterDir(n.dir)
	if err != nil {
		return nil, nil, nil, h.s.readError(n, err)
	}
	data, seen, err = loadFile(at, n.base)
	if err != nil {
		at.Close()
		return nil, nil, nil, h.s.readError(n, err)
	}
	return at, data, seen, nil
}

// checkRevision rejects a revision that is not the present one.
func (n notePath) checkRevision(given, now string) error {
	if given == "" || given == now {
		return nil
	}
	return errors.Stale(n.id(), given, now, map[string]any{"revision": now})
}

// confirmFlush flushes bytes that already existed, because their writer may have been stopped
// before it flushed them.
func (h *Held) confirmFlush(at *os.Root, base string) {
	file, err := at.OpenFile(base, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		h.durable = false
		return
	}
	if h.flushFile(file) != nil {
		h.durable = false
	}
	file.Close()
	h.flushDir(at)
}

// saveError turns an error of writing into one that a user understands.
func (n notePath) saveError(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return errors.NoteExists(n.id())
	}
	if _, ok := errors.AsType[*errors.Error](err); ok {
		return err
	}
	return errors.SaveFailed(n.name(), err)
}

// New is a note to be created by [Held.CreateAll].
type New struct {
	Name string
	Data []byte
	By   By
}

// CreateAll creates notes of one directory, each as [Held.Create] does, and returns the error
// of each. It flushes their files concurrently and the directory only once, so that many take
// little longer than one.
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
		own := *h // each tracks durability for itself; it is not reported
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
