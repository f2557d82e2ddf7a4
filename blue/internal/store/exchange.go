package store

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"blue/blue/internal/atomicfile"
	"blue/errors"
)

// An editor does not know our lock, and may save between our last look at a note and the moment
// at which the new text gets its name. A rename would discard what it has saved. So the two
// files are exchanged, the file that comes out is compared with what was read, and it is
// removed only if they are equal. Where files cannot be exchanged, the last look must suffice.

// replacement is a new text that is about to get its name.
type replacement struct {
	at   *os.Root
	n    notePath
	temp string // name of the new text, then of the file that comes out; "" if none does
	data []byte // the new text
	old  []byte // the text that it replaces
	seen fs.FileInfo
	mode fs.FileMode
}

// exchangeIn gives the new text its name. It returns errMoved if an editor has saved in the
// meantime: then the editor's text stays and the new one is gone.
func (h *Held) exchangeIn(p *replacement) error {
	err := exchangeFiles(p.at, p.temp, p.n.base)
	if err != nil && cannotExchange(err) {
		err = p.renameIn()
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errMoved
	}
	if err != nil {
		p.at.Remove(p.temp)
		return err
	}
	if p.temp == "" || hasBytes(p.at, p.temp, p.old) {
		return nil
	}
	h.putTextBack(p)
	return errMoved
}

// renameIn gives the new text its name where files cannot be exchanged.
func (p *replacement) renameIn() error {
	if still, err := p.at.Lstat(p.n.base); err != nil || !isUnchanged(p.seen, still) {
		return errMoved
	}
	err := atomicfile.Rename(p.at, p.temp, p.n.base)
	if err == nil {
		p.temp = ""
	}
	return err
}

// putTextBack restores the name of the text that an editor has saved. The file that comes out
// now is the new text, or one that an editor has saved since, of which there is no copy.
func (h *Held) putTextBack(p *replacement) {
	if exchangeFiles(p.at, p.temp, p.n.base) == nil && hasBytes(p.at, p.temp, p.data) {
		p.at.Remove(p.temp)
		return
	}
	h.rescueToHistory(p)
}

// removeFormer removes the former text once the new one is safe. An editor that had opened it
// earlier may have written to it since.
func (h *Held) removeFormer(p *replacement) {
	if p.temp == "" {
		return
	}
	if hasBytes(p.at, p.temp, p.old) {
		p.at.Remove(p.temp)
		return
	}
	h.rescueToHistory(p)
}

// rescueToHistory moves the file that has come out into the history. The file keeps its temporary
// name if that fails.
func (h *Held) rescueToHistory(p *replacement) {
	data, _, err := loadFile(p.at, p.temp)
	if err == nil && h.keepInHistory(p.n, data, p.mode) == nil {
		p.at.Remove(p.temp)
	}
}

// isUnchanged reports whether a file is the one seen before, with the same content.
func isUnchanged(seen, now fs.FileInfo) bool {
	return os.SameFile(seen, now) && seen.Size() == now.Size() && seen.ModTime().Equal(now.ModTime())
}

// TakeHistory gives a note the former texts of another one, whose file is gone. It can be
// called again after it was interrupted.
func (h *Held) TakeHistory(name, from string) error {
	to, err := h.checkWrite(name, nil)
	if err != nil {
		return err
	}
	old, err := parseName(from)
	if err != nil {
		return err
	}
	past, err := h.s.pastsIn(old.historyDir())
	if err != nil || len(past) == 0 {
		return err
	}
	at, err := h.makeDir(to.historyDir())
	if err != nil {
		return to.saveError(err)
	}
	defer at.Close()
	for _, p := range past {
		err := atomicfile.Rename(h.s.blue, old.historyDir()+"/"+p.base, to.historyDir()+"/"+p.base)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return to.saveError(err)
		}
	}
	h.addChange(Change{What: Moved, Name: name, From: from, By: h.By})
	h.flushDir(at)
	h.s.withDir(old.historyDir(), h.flushDir)
	_ = h.s.blue.Remove(old.historyDir()) // fails if something else is in it
	return nil
}

// MoveAll moves the notes with their history and the trash to another store. A note there with the
// same name and another text is replaced, and its text goes to the history. MoveAll can be repeated
// after it was interrupted.
func (h *Held) MoveAll(to *Held) error {
	for _, dir := range []string{notes, private, history, trash} {
		err := moveDir(filepath.Join(h.s.path, dir), filepath.Join(to.s.path, dir), func(base string, now, old []byte) error {
			if (dir == notes || dir == private) && SafeName(base) == "" && !bytes.Equal(now, old) {
				return to.Keep(dir+"/"+base, old)
			}
			return nil
		})
		if err != nil {
			return errors.SaveFailed(dir, err)
		}
	}
	to.flushDir(to.s.blue)
	h.flushDir(h.s.blue)
	return nil
}

// moveDir moves the files of one directory into another. It calls replaced before it replaces a
// file.
func moveDir(from, to string, replaced func(base string, now, old []byte) error) error {
	info, err := os.Lstat(from)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return notDirectory(from)
	}
	if os.Rename(from, to) == nil { // also replaces an empty directory
		return nil
	}
	entries, err := os.ReadDir(from)
	if err == nil {
		err = os.MkdirAll(to, info.Mode().Perm())
	}
	for _, e := range entries {
		one, other := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		switch {
		case err != nil:
			return err
		case e.IsDir():
			err = moveDir(one, other, func(string, []byte, []byte) error { return nil })
			continue
		}
		if old, unread := os.ReadFile(other); unread == nil && e.Type().IsRegular() {
			var now []byte
			if now, err = os.ReadFile(one); err == nil {
				err = replaced(e.Name(), now, old)
			}
		}
		if err == nil {
			err = os.Rename(one, other)
		}
	}
	if err != nil {
		return err
	}
	return os.Remove(from)
}
