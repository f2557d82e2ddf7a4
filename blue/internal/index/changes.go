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

// changes is what an index knows of the files that its documents are made of: as
// little as possible. On Linux the kernel queues a note of each change at the moment
// it happens, so that the call that empties the queue at its beginning has seen
// every change made before. Elsewhere, and whenever there is any doubt, the answer
// is that a listing must be made.
type changes struct {
	mu     sync.Mutex
	calls  int
	listed time.Time // when a listing was last asked for
	watch  *watch
	blind  bool // there is nothing to watch with
	inLine bool // the index was in line with the files when they were last looked at
}

// Touched is a file that may have changed.
type Touched struct {
	Name  string // as in [Row]
	Stamp Stamp
	Gone  bool // or no regular file
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

// tick is how long a file's times may stand still while its content changes. A file that
// was touched within it of being read is read again the next time.
const tick = 50 * time.Millisecond

// MarkRacy says in the stamp of a file that is about to be read whether the file was touched
// so lately that the same stamp proves nothing.
func MarkRacy(stamp Stamp, now time.Time) Stamp {
	stamp.Racy = now.UnixNano()-max(stamp.ModTime, stamp.ChangeTime) < int64(tick)
	return stamp
}

// UntilIntact repeats an update of an index until the files of the index could be trusted.
func UntilIntact(update func() error) error {
	for {
		if err := update(); !errors.Is(err, ErrDamaged) {
			return err
		}
	}
}

// Digest stands for the names and stamps of files, in whatever order they come, below what
// a text names.
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
