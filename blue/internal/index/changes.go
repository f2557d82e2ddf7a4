package index

import (
	"encoding/binary"
	"hash/fnv"
	"iter"
	"path/filepath"
	"sync"
	"time"

	"blue/errors"
)

// changes tracks the files of the documents. On Linux the kernel queues an event for each change as
// it happens, so a call that first drains the queue has seen every earlier change. On other
// systems, and in case of doubt, the caller has to list the files.
type changes struct {
	mu     sync.Mutex
	calls  int
	listed time.Time // when a listing was last asked for
	watch  *watch
	blind  bool // watching is not possible
	inLine bool // the index agreed with the files when it was last updated
}

// Touched is a file that may have changed.
type Touched struct {
	Name  string // as in [Row]
	Stamp Stamp
	Gone  bool // or not a regular file
}

func (f *changes) stampTouched(dir string, names []string) (touched []Touched) {
	for _, name := range names {
		f.inLine = false
		t := Touched{Name: name}
		t.Stamp, t.Gone = stampOf(filepath.Join(dir, filepath.FromSlash(name)))
		touched = append(touched, t)
	}
	return touched
}

func (f *changes) setInLine(inLine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inLine = inLine
}

func (f *changes) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watch != nil {
		f.watch.close()
		f.watch = nil
	}
}

// tick is the resolution of file times. A file that changed less than a tick before it was read is
// read again the next time.
const tick = 50 * time.Millisecond

// MarkRacy sets the Racy flag in the stamp of a file that is about to be read if the file changed
// so recently that an equal stamp proves nothing.
func MarkRacy(stamp Stamp, now time.Time) Stamp {
	stamp.Racy = now.UnixNano()-max(stamp.ModTime, stamp.ChangeTime) < int64(tick)
	return stamp
}

// UntilIntact repeats an update until the files of the index are undamaged.
func UntilIntact(update func() error) error {
	for {
		if err := update(); !errors.Is(err, ErrDamaged) {
			return err
		}
	}
}

// Digest returns a hash of a text and of the names and stamps of files. It does not depend on
// the order of the files.
func Digest(of string, files iter.Seq2[string, Stamp]) uint64 {
	digest := fnv.New64a()
	_, _ = digest.Write([]byte(of)) // never fails
	sum := digest.Sum64()
	line := make([]byte, 0, 256)
	for name, s := range files {
		line = append(line[:0], name...)
		for _, n := range []uint64{uint64(s.Size), uint64(s.ModTime), uint64(s.ChangeTime), s.Inode} {
			line = binary.NativeEndian.AppendUint64(line, n)
		}
		digest.Reset()
		_, _ = digest.Write(line)
		sum += digest.Sum64()
	}
	return sum
}
