package store

import (
	"bytes"
	"io/fs"
	"os"
	"time"

	"blue/errors"
)

// An editor knows nothing of our lock, and may save between our last look at a note and
// the moment the new text gets its name. A rename would throw away what it has saved. So
// the two files are exchanged, what comes out is compared with what was read, and only
// when it is that is it removed. Where files cannot be exchanged the last look has to do.

// placing is a text on its way to its name.
type placing struct {
	at   *os.Root
	n    note
	temp string // name of the new text, and then of what comes out; "" when nothing does
	data []byte // the new text
	old  []byte // the text that it replaces
	seen fs.FileInfo
	mode fs.FileMode
}

// place gives the new text its name. errMoved says that an editor has saved meanwhile;
// its text stands then, and the new one is gone.
func (h *Held) place(p *placing) error {
	err := exchange(p.at, p.temp, p.n.base)
	if err != nil && unexchangeable(err) {
		err = p.rename()
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errMoved
	}
	if err != nil {
		p.at.Remove(p.temp)
		return err
	}
	if p.temp == "" || holds(p.at, p.temp, p.old) {
		return nil
	}
	h.putBack(p)
	return errMoved
}

// rename is place without an exchange.
func (p *placing) rename() error {
	if still, err := p.at.Lstat(p.n.base); err != nil || !untouched(p.seen, still) {
		return errMoved
	}
	err := rename(p.at, p.temp, p.n.base)
	if err == nil {
		p.temp = ""
	}
	return err
}

// putBack gives what an editor has saved its name again. What comes out now is the new
// text, or what an editor has saved since, which nobody else has.
func (h *Held) putBack(p *placing) {
	if exchange(p.at, p.temp, p.n.base) == nil && holds(p.at, p.temp, p.data) {
		p.at.Remove(p.temp)
		return
	}
	h.rescue(p)
}

// clear removes the former text once the new one is safe. An editor that had opened it
// before may have written to it since.
func (h *Held) clear(p *placing) {
	if p.temp == "" {
		return
	}
	if holds(p.at, p.temp, p.old) {
		p.at.Remove(p.temp)
		return
	}
	h.rescue(p)
}

// patience is how long the programs that write to a file that has lost its name may take.
const patience = time.Second

// rescue moves what has come out into the history. A file that cannot be read, or that a
// program does not stop writing to, keeps its temporary name.
func (h *Held) rescue(p *placing) {
	begun := time.Now()
	for {
		data, quiet, err := calm(p.at, p.temp)
		late := time.Since(begun) > patience
		if err != nil {
			return
		}
		if !quiet && !late {
			time.Sleep(time.Millisecond)
			continue
		}
		if h.keep(p.n, data, p.mode) == nil && quiet {
			p.at.Remove(p.temp)
		}
		return
	}
}

// holds reports that a file has these bytes, and that no program is writing to it.
func holds(at *os.Root, base string, data []byte) bool {
	now, quiet, err := calm(at, base)
	return err == nil && quiet && bytes.Equal(now, data)
}

// calm reads a file, and reports whether no program was writing to it.
func calm(at *os.Root, base string) (data []byte, quiet bool, err error) {
	file, info, err := openFile(at, base)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	quiet = !beingWritten(file)
	data, err = readFile(file, info.Size())
	return data, quiet, err
}
