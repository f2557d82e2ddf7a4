package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"os"
	"path/filepath"
)

const (
	indexLimit    = 64 << 20 // bytes of git's index
	comparedLimit = 1 << 20  // bytes of a file that is compared by its content

	isRegular, isLink       = 0o100000, 0o120000 // kinds of entries
	extended, assumed, kept = 0x4000, 0x8000, 0x4000
)

// indexed is a file as git's index has it.
type indexed struct {
	name          string
	seconds, nano uint32 // when it was changed
	mode, size    uint32
	id            []byte
	ignored       bool // git takes it to be unchanged, or it is not checked out
}

// modified returns the tracked files of the working tree around a directory that differ from
// git's index: by size or time, and then by content when that is small. Content that git
// stores in another form counts as different once its time has changed.
func modified(ctx context.Context, dir string, hashSize int) (names []string) {
	at := FindDirectories(dir)
	data, ok := ReadFile(at.Private, "index", indexLimit)
	if !ok {
		return nil
	}
	entries := parseIndex(data, hashSize)
	for i, e := range entries {
		if i%64 == 0 && ctx.Err() != nil {
			return names
		}
		if kind := e.mode &^ 0o7777; !e.ignored && (kind == isRegular || kind == isLink) && e.differs(at.Top, kind == isLink) {
			names = append(names, e.name)
		}
	}
	return names
}

// differs reports whether the file in the working tree differs from the entry.
func (e indexed) differs(top string, link bool) bool {
	info, err := os.Lstat(filepath.Join(top, filepath.FromSlash(e.name)))
	if err != nil || link != (info.Mode()&os.ModeSymlink != 0) || !link && !info.Mode().IsRegular() {
		return true
	}
	now := info.ModTime()
	same := uint32(now.Unix()) == e.seconds && (e.nano == 0 || uint32(now.Nanosecond()) == e.nano)
	if same && uint32(info.Size()) == e.size {
		return false
	}
	if link || info.Size() > comparedLimit {
		return true
	}
	text, ok := ReadFile(top, e.name, comparedLimit)
	return !ok || !bytes.Equal(blobID(text, len(e.id)), e.id)
}

// blobID returns the id of so many bytes that git gives to a blob.
func blobID(text []byte, size int) []byte {
	var sum hash.Hash = sha1.New() //nolint:gosec // git's own
	if size == sha256.Size {
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "blob %d\x00", len(text))
	sum.Write(text)
	return sum.Sum(nil)
}

// parseIndex parses the entries of git's index (gitformat-index(5)), up to the first that it
// does not understand. It leaves out those of a split index that stand in another file.
func parseIndex(data []byte, hashSize int) (entries []indexed) {
	if len(data) < 12 || string(data[:4]) != "DIRC" {
		return nil
	}
	version, name := binary.BigEndian.Uint32(data[4:]), ""
	count := binary.BigEndian.Uint32(data[8:])
	for at, fixed := 12, 40+hashSize+2; count > 0 && at+fixed+2 < len(data); count-- {
		start := at
		field := func(i int) uint32 { return binary.BigEndian.Uint32(data[start+4*i:]) }
		e := indexed{seconds: field(2), nano: field(3), mode: field(6), size: field(9), id: data[at+40 : at+40+hashSize]}
		flags := binary.BigEndian.Uint16(data[at+fixed-2:])
		at += fixed
		e.ignored = flags&assumed != 0
		if flags&extended != 0 {
			e.ignored = e.ignored || binary.BigEndian.Uint16(data[at:])&kept != 0
			at += 2
		}
		drop := len(name)
		if version == 4 {
			var n int
			if n, at = readOffset(data, at); n > drop {
				return entries
			}
			drop = n
		}
		end := bytes.IndexByte(data[at:], 0)
		if end < 0 || version < 2 || version > 4 {
			return entries
		}
		name = name[:len(name)-drop] + string(data[at:at+end])
		if at += end + 1; version < 4 {
			at = start + (at-start+7)/8*8
		}
		e.name = name
		entries = append(entries, e)
	}
	return entries
}

// readOffset parses a number of variable length, and returns where it ends.
func readOffset(data []byte, at int) (n, end int) {
	for ; at < len(data); at++ {
		n = n<<7 | int(data[at]&0x7f)
		if data[at]&0x80 == 0 || n > indexLimit {
			return n, at + 1
		}
		n++
	}
	return n, at
}
