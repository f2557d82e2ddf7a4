package store

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"syscall"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/errors"
)

// The changes of a project are recorded in history/.log, one JSON object per line. A line is
// written after the change and is not flushed: if it is lost, the change still holds, and only
// its author is unknown. When the file is full, its older half is removed.
const (
	changesName  = ".log"
	changesLimit = Limit / 2 // bytes
)

// Kinds of changes of a note.
const (
	Wrote    = "wrote"
	Edited   = "edited"
	Removed  = "removed"
	Restored = "restored" // from the trash
	Moved    = "moved"
)

// By identifies who made a change, and with which program.
type By struct {
	Author string `json:"author,omitempty"`
	Client string `json:"client,omitempty"`
}

// Change is one change of a note.
type Change struct {
	Time     time.Time `json:"at"`
	What     string    `json:"what"`
	Name     string    `json:"name"`
	From     string    `json:"from,omitempty"`     // former name of a note that was moved
	Revision string    `json:"revision,omitempty"` // revision of the note after the change
	By
}

// Journal returns the changes of the notes that are still recorded, oldest first. It skips
// damaged lines.
func (s *Store) Journal() (all []Change, err error) {
	s.withDir(history, func(at *os.Root) {
		data, _, unread := loadFile(at, changesName)
		if err = unread; errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		for line := range bytes.Lines(data) {
			var c Change
			if json.Unmarshal(line, &c) == nil && c.Name != "" {
				all = append(all, c)
			}
		}
	})
	return all, err
}

// noteChanged records that a change was made under this lock, and by whom. data is the text
// that resulted from it or that was removed.
func (h *Held) noteChanged(n notePath, what, revision string, data []byte) {
	h.backUpChange(n, what, data)
	h.addChange(Change{What: what, Name: n.name(), Revision: revision, By: h.By})
}

// addChange writes a line. A failure to do so does not fail the change.
func (h *Held) addChange(c Change) {
	c.Time = time.Now().UTC()
	line, err := json.Marshal(c)
	if err != nil {
		return
	}
	at, err := h.makeDir(history)
	if err != nil {
		return
	}
	defer at.Close()
	info, err := at.Lstat(changesName)
	if err == nil && !info.Mode().IsRegular() {
		return
	}
	if err == nil && info.Size() > changesLimit {
		h.halveChanges(at)
	}
	file, err := at.OpenFile(changesName, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return
	}
	last := []byte{'\n'}
	if info, err := file.Stat(); err == nil && info.Size() > 0 {
		_, _ = file.ReadAt(last, info.Size()-1)
	}
	if last[0] != '\n' { // a crash has cut off the last line
		line = append([]byte{'\n'}, line...)
	}
	_, _ = file.Write(append(line, '\n'))
	_ = file.Close()
}

// halveChanges removes the older half of the changes.
func (h *Held) halveChanges(at *os.Root) {
	data, _, err := loadFile(at, changesName)
	if err != nil {
		_ = at.Remove(changesName) // too large to be read
		return
	}
	half := data[len(data)/2:]
	half = half[bytes.IndexByte(half, '\n')+1:]
	if temp, err := h.writeTemp(at, 0o600, half); err == nil && atomicfile.Rename(at, temp, changesName) != nil {
		_ = at.Remove(temp)
	}
}
