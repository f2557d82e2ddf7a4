package store

import (
	"io/fs"
	"os"
	"time"

	"blue/errors"
)

// An editor knows nothing of our lock, and may save between our last look at a note and
// the moment the new text gets its name. A rename would throw away what it has saved. So
// the two files are exchanged, what comes out is compared with what was read, and only
// when it is that is it removed. Where files cannot be exchanged the last look has to do.

// replacement is a text on its way to its name.
type replacement struct {
	at   *os.Root
	n    notePath
	temp string // name of the new text, and then of the file that comes out; "" when none does
	data []byte // the new text
	old  []byte // the text that it replaces
	seen fs.FileInfo
	mode fs.FileMode
}

// exchangeIn gives the new text its name. The error is errMoved when an editor has saved
// meanwhile: then the editor's text stands, and the new one is gone.
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
	err := rename(p.at, p.temp, p.n.base)
	if err == nil {
		p.temp = ""
	}
	return err
}

// putTextBack gives the text that an editor has saved its name again. The file that comes out
// now is the new text, or one that an editor has saved since, of which there is no copy.
func (h *Held) putTextBack(p *replacement) {
	if exchangeFiles(p.at, p.temp, p.n.base) == nil && hasBytes(p.at, p.temp, p.data) {
		p.at.Remove(p.temp)
		return
	}
	h.rescueToHistory(p)
}

// removeFormer removes the former text once the new one is safe. An editor that had opened it
// before may have written to it since.
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

// writerTimeout is how long the programs that write to a file that has lost its name may take.
const writerTimeout = time.Second

// rescueToHistory moves the file that has come out into the history. A file that cannot be
// read, or that a program does not stop writing to, keeps its temporary name.
func (h *Held) rescueToHistory(p *replacement) {
	begun := time.Now()
	for {
		data, quiet, err := readQuiet(p.at, p.temp)
		late := time.Since(begun) > writerTimeout
		if err != nil {
			return
		}
		if !quiet && !late {
			time.Sleep(time.Millisecond)
			continue
		}
		if h.keepInHistory(p.n, data, p.mode) == nil && quiet {
			p.at.Remove(p.temp)
		}
		return
	}
}

// isUnchanged reports that a file is the one seen before, with the same content.
func isUnchanged(seen, now fs.FileInfo) bool {
	return os.SameFile(seen, now) && seen.Size() == now.Size() && seen.ModTime().Equal(now.ModTime())
}
