package index

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"
)

// file is a segment file that is open and mapped, or read where that cannot be.
// Whoever reads its bytes keeps it reachable: when nobody does any more the
// mapping goes.
type file struct {
	identity
	name    string
	f       *os.File
	info    os.FileInfo // when it was opened
	bytes   []byte
	mapped  bool
	checked chan struct{} // closed once the checksum has been compared
	sound   bool          // what that told

	mu    sync.Mutex
	since int64 // the change of the file after which the checksum was compared, 0 when it is not known
}

// coarse is how long the time of a change may stand still while the file changes.
const coarse = 50 * time.Millisecond

// sealed is the time that every segment file carries as that of its last change.
// One with another time has been written to, and is damaged.
func sealed() time.Time { return time.Unix(1_000_000_000, 0) }

// seal flushes a file that is written and sets its time.
func seal(f *os.File) error {
	if err := f.Sync(); err != nil {
		return fmt.Errorf("flushing the index: %w", err)
	}
	return os.Chtimes(f.Name(), sealed(), sealed())
}

// openFile opens a segment file. Its checksum is compared while the caller goes on;
// what was read counts only when [file.intact] says so afterwards.
func openFile(name string, generation uint64) (*segment, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("opening the index: %w", err)
	}
	s, err := mapFile(f, generation)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("opening the index: %w", err)
	}
	return s, nil
}

func mapFile(f *os.File, generation uint64) (*segment, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < int64(headerSize+footerSize) || !info.ModTime().Equal(sealed()) {
		return nil, ErrDamaged
	}
	x := &file{name: f.Name(), f: f, info: info, bytes: mapped(f, int(info.Size())), checked: make(chan struct{})}
	x.since = x.settled()
	if x.mapped = x.bytes != nil; x.mapped {
		runtime.AddCleanup(x, unmap, x.bytes)
	} else {
		x.bytes = make([]byte, info.Size())
		if _, err := io.ReadFull(f, x.bytes); err != nil {
			return nil, err
		}
		f.Close() // an open file could not be removed on Windows
	}
	var s *segment
	if err := guarded(func() (err error) {
		if s, err = segmentOf(x.bytes); err == nil {
			x.identity = identity{generation, sumOf(x.bytes)}
			s.mark()
		}
		return err
	}); err != nil {
		return nil, err
	}
	s.file = x
	go x.check()
	return s, nil
}

// check compares the checksum for the first time.
func (x *file) check() {
	defer close(x.checked)
	x.sound = x.matches()
}

// matches compares the checksum. A mapped file is read beside its mapping, so that
// its pages do not count as memory of the process.
func (x *file) matches() bool {
	body := int64(len(x.bytes) - 4)
	sum := newSum()
	if !x.mapped {
		sum.Write(x.bytes[:body])
		return sum.Sum32() == x.identity.sum
	}
	n, err := io.CopyBuffer(onlyWriter{sum}, io.NewSectionReader(x.f, 0, body), make([]byte, 1<<17))
	return err == nil && n == body && sum.Sum32() == x.identity.sum
}

// settled is when the file was changed last, in whatever way; 0 when that is so short ago
// that another change need not show.
func (x *file) settled() int64 {
	at := changeTime(x.f)
	if age := time.Since(time.Unix(0, at)); age >= 0 && age < coarse {
		return 0
	}
	return at
}

// untouched compares the checksum again when something has changed the file since: its
// content and then its time, or only its name, when a newer generation has come.
func (x *file) untouched() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.since != 0 && x.since == changeTime(x.f) {
		return true
	}
	since := x.settled()
	if !x.matches() {
		return false
	}
	x.since = since
	return true
}

// onlyWriter hides what else a writer can do.
type onlyWriter struct{ io.Writer }

// intact reports whether everything that has been read so far was what was
// written. It waits for the checksum.
func (x *file) intact() bool {
	if x == nil {
		return true
	}
	if <-x.checked; !x.sound || !x.mapped {
		return x.sound
	}
	info, err := x.f.Stat()
	return err == nil && info.Size() == int64(len(x.bytes)) && info.ModTime().Equal(sealed()) && x.untouched()
}
