package store

import (
	"io/fs"

	"blue/errors"
)

// TakeHistory gives a note the former texts of another one, whose file is gone. Stopped in
// the middle, it can be called again.
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
		err := rename(h.s.blue, old.historyDir()+"/"+p.base, to.historyDir()+"/"+p.base)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return to.saveError(err)
		}
	}
	h.addChange(Change{What: Moved, Name: name, From: from, By: h.By})
	h.flushDir(at)
	h.s.withDir(old.historyDir(), h.flushDir)
	_ = h.s.blue.Remove(old.historyDir()) // unless something else lies there
	return nil
}
