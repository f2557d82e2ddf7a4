package store

import (
	"bytes"
	"io/fs"
	"os"
	"path"

	"blue/errors"
)

// Saved says what a write left behind.
type Saved struct {
	Revision  string // of the bytes now in place, or now in the trash
	Durable   bool   // false when the file system could not confirm that a power cut loses nothing
	Unchanged bool   // the note had these bytes already
}

// Create writes a new note. A name that is taken is of kind exists, and is never
// overwritten. On any error nothing has changed.
func (h *Held) Create(name string, data []byte) (Saved, error) {
	n, err := h.begin(name, data)
	if err != nil {
		return Saved{}, err
	}
	at, err := h.make(n.dir)
	if err != nil {
		return Saved{}, n.notSaved(err)
	}
	defer at.Close()
	if _, err := at.Lstat(n.base); err == nil {
		return Saved{}, errors.NoteExists(n.id())
	}
	temp, err := h.fresh(at, n.mode(), data)
	if err != nil {
		return Saved{}, n.notSaved(err)
	}
	if err := settle(at, temp, n.base); err != nil {
		at.Remove(temp)
		return Saved{}, n.notSaved(err)
	}
	now := Revision(data)
	h.flushName(at, now)
	return Saved{Revision: now, Durable: h.durable}, nil
}

// Replace gives a note new bytes, after its present ones have gone to the
// history. A revision that is not the present one is of kind conflict, with the
// present one in the detail; "" takes whatever is there. Equal bytes are no
// conflict, whatever the revision. On any error the note has not changed.
func (h *Held) Replace(name, revision string, data []byte) (Saved, error) {
	n, err := h.begin(name, data)
	if err != nil {
		return Saved{}, err
	}
	for range tries {
		var saved Saved
		saved, err = h.replace(n, revision, data)
		if !errors.Is(err, errMoved) {
			return saved, err
		}
	}
	return Saved{}, h.s.failed(n, err)
}

// replace is one attempt; errMoved when an editor without our lock changed the
// note meanwhile.
func (h *Held) replace(n note, revision string, data []byte) (Saved, error) {
	at, old, seen, err := h.current(n)
	if err != nil {
		return Saved{}, err
	}
	defer at.Close()
	now := Revision(data)
	if bytes.Equal(old, data) {
		h.flushAgain(at, n.base)
		return Saved{Revision: now, Durable: h.durable, Unchanged: true}, nil
	}
	if err := n.stale(revision, Revision(old)); err != nil {
		return Saved{}, err
	}
	// What its owner has closed to others stays closed.
	mode := n.mode() & (seen.Mode().Perm() | 0o600)
	if err := h.keep(n, old, mode); err != nil {
		return Saved{}, n.notSaved(err)
	}
	temp, err := h.fresh(at, mode, data)
	if err != nil {
		return Saved{}, n.notSaved(err)
	}
	p := &placing{at: at, n: n, temp: temp, data: data, old: old, seen: seen, mode: mode}
	if err := h.place(p); errors.Is(err, errMoved) {
		return Saved{}, errMoved
	} else if err != nil {
		return Saved{}, n.notSaved(err)
	}
	h.flushName(at, now)
	h.clear(p)
	return Saved{Revision: now, Durable: h.durable}, nil
}

// Confirm flushes what a write would have made and found in place already: the
// note, or trashed, the file of the trash that it went to. Who put it there may
// have been stopped before the disk had it. It reports whether the disk has it now.
func (h *Held) Confirm(name, trashed string) (durable bool) {
	n, err := h.begin(name, nil)
	if err != nil {
		return false
	}
	dir, from, base := n.dir, n.trash(), n.base
	if trashed != "" {
		dir, from, base = n.trash(), n.dir, path.Base(trashed)
	}
	at, err := h.s.enter(dir)
	if err != nil {
		return false
	}
	defer at.Close()
	h.flushAgain(at, base)
	h.s.in(from, h.flushDir) // it may have come from there
	return h.durable
}

// begin checks what can be checked without the disk.
func (h *Held) begin(name string, data []byte) (note, error) {
	if h.file == nil {
		return note{}, errors.New("writing without the lock")
	}
	n, err := parse(name)
	if err != nil {
		return note{}, err
	}
	if len(data) > Limit {
		return note{}, errors.NoteTooLarge(name, Limit)
	}
	h.durable = true
	return n, nil
}

// current opens the directory of a note and reads it.
func (h *Held) current(n note) (at *os.Root, data []byte, seen fs.FileInfo, err error) {
	at, err = h.s.enter(n.dir)
	if err != nil {
		return nil, nil, nil, h.s.failed(n, err)
	}
	data, seen, err = load(at, n.base)
	if err != nil {
		at.Close()
		return nil, nil, nil, h.s.failed(n, err)
	}
	return at, data, seen, nil
}

// stale refuses a revision that is not the present one.
func (n note) stale(given, now string) error {
	if given == "" || given == now {
		return nil
	}
	return errors.Stale(n.id(), given, now, map[string]any{"revision": now})
}

// flushAgain confirms bytes that were there already: their writer may have been
// stopped before it could.
func (h *Held) flushAgain(at *os.Root, base string) {
	file, err := at.OpenFile(base, os.O_RDWR|nonblock, 0)
	if err != nil {
		h.durable = false
		return
	}
	if h.flush(file) != nil {
		h.durable = false
	}
	file.Close()
	h.flushDir(at)
}

// untouched reports that a file is the one seen before, with the same content.
func untouched(seen, now fs.FileInfo) bool {
	return os.SameFile(seen, now) && seen.Size() == now.Size() && seen.ModTime().Equal(now.ModTime())
}

// notSaved makes an error of writing presentable.
func (n note) notSaved(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return errors.NoteExists(n.id())
	}
	if _, ok := errors.AsType[*errors.Error](err); ok {
		return err
	}
	return errors.SaveFailed(n.name(), err)
}
