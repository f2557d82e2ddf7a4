// Package follow brings an index in line with the files that its documents are made of, so
// that every change made before a call, by whatever program, is seen by the call.
//
// Whoever has files of another kind uses what is said here of stamps and of damage; notes
// are followed from the listing to the index.
package follow

import (
	"encoding/binary"
	"hash/fnv"
	"iter"
	"time"

	"blue/blue/internal/index"
	"blue/errors"
)

// tick is how long a file's times may stand still while its content changes. A file that
// was touched within it of being read is read again the next time.
const tick = 50 * time.Millisecond

// MarkRacy says in the stamp of a file that is about to be read whether the file was touched
// so lately that the same stamp proves nothing.
func MarkRacy(stamp index.Stamp, now time.Time) index.Stamp {
	stamp.Racy = now.UnixNano()-max(stamp.ModTime, stamp.ChangeTime) < int64(tick)
	return stamp
}

// UntilIntact repeats an update of an index until the files of the index could be trusted.
func UntilIntact(update func() error) error {
	for {
		if err := update(); !errors.Is(err, index.ErrDamaged) {
			return err
		}
	}
}

// Digest stands for the names and stamps of files, in whatever order they come, below what
// a text names.
func Digest(of string, files iter.Seq2[string, index.Stamp]) uint64 {
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
