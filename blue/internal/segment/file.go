package segment

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// file is an open file of the index. It is mapped if the system supports it, and read otherwise. It
// is unmapped when it becomes unreachable, so readers of its bytes must keep it alive.
//
// Mapped memory changes when the file is written to, and disappears when the file shrinks. So what
// was read counts only if [file.isIntact] returns true afterwards.
type file struct {
	name   string // in the directory, when the file was opened
	f      *os.File
	info   os.FileInfo // when the file was opened
	bytes  []byte
	mapped bool
	sum    uint32 // checksum at the end of the file

	mu      sync.Mutex
	damaged bool
	checked int64 // change time of the file for which the checksum was right; 0 if unknown
}

// Names of files in the directory. All other files are temporary.
const (
	baseName  = "base.index"
	deltaName = "delta.index"
)

// coarse is the resolution of the times of a file.
const coarse = 50 * time.Millisecond

// openFile opens a file and starts to verify its checksum.
func openFile(name string) (x *file, s *Segment, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the index: %w", err)
	}
	if x, err = mapFile(f); err == nil {
		err = CatchFaults(func() error { s, err = x.parse(); return err })
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("opening the index: %w", err)
	}
	go x.isIntact()
	return x, s, nil
}

func mapFile(f *os.File) (*file, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < int64(headerSize+footerSize) {
		return nil, errDamaged
	}
	x := &file{name: filepath.Base(f.Name()), f: f, info: info, bytes: mapMemory(f, int(info.Size()))}
	if x.mapped = x.bytes != nil; x.mapped {
		runtime.AddCleanup(x, unmapMemory, x.bytes)
		return x, nil
	}
	x.bytes = make([]byte, info.Size())
	if _, err := io.ReadFull(f, x.bytes); err != nil {
		return nil, err
	}
	return x, f.Close() // an open file could not be replaced on Windows
}

// parse parses the bytes of the file.
func (x *file) parse() (*Segment, error) {
	s, err := parseSegment(x.bytes)
	if err != nil {
		return nil, err
	}
	x.sum = binary.LittleEndian.Uint32(x.bytes[len(x.bytes)-4:]) // the last bytes of a segment
	return s, nil
}

// isIntact reports whether everything read so far was undamaged. It verifies the checksum once, and
// again if the file has changed since, even if only its name has.
func (x *file) isIntact() bool {
	if x == nil {
		return true
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	changed, size := int64(1), int64(len(x.bytes)) // bytes in our own memory do not change
	if x.mapped {
		changed, size = statusOf(x.f)
	}
	if !x.damaged && (x.checked == 0 || x.checked != changed) {
		x.damaged = size != int64(len(x.bytes)) || !x.checksumMatches()
		x.checked = changed
		if age := time.Since(time.Unix(0, changed)); age >= 0 && age < coarse {
			x.checked = 0 // another change may have the same time
		}
	}
	return !x.damaged
}

// checksumMatches verifies the checksum. It reads a mapped file without using the mapping, whose
// pages would count as memory of the process.
func (x *file) checksumMatches() bool {
	body := int64(len(x.bytes) - 4)
	sum := newChecksum()
	if !x.mapped {
		sum.Write(x.bytes[:body])
		return sum.Sum32() == x.sum
	}
	n, err := io.CopyBuffer(sum, io.NewSectionReader(x.f, 0, body), make([]byte, 1<<17))
	return err == nil && n == body && sum.Sum32() == x.sum
}

// CatchFaults converts a panic or a fault of mapped memory into an error.
func CatchFaults(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("reading the index: %v", r)
		}
	}()
	return read()
}
