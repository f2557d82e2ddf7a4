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
	"strings"

	"blue/errors"
	"blue/marker"
)

// Changed returns the files below a directory that its branch has changed since it left the
// main branch, by commits, staged or not. It returns none without a branch, and when git does
// not answer in time; the error names a file that git would wait for. Git compares commits
// and its index; Blue compares files with the index, because git would run filters on them.
func Changed(ctx context.Context, dir, branch string) (files []string, err error) {
	if branch == "" { // no repository, one without a commit, or one that cannot be read
		return nil, Check(FindDirectories(dir))
	}
	ctx, cancel := context.WithTimeout(ctx, changedPatience)
	defer cancel()
	from, err := branchedFrom(ctx, dir)
	if from == "" {
		return nil, ifStuck(err)
	}
	out, err := Output(ctx, dir, "diff-index", "--cached", "-z", "--name-only", "--no-renames", "--ignore-submodules", from, "--", spec(dir))
	if err != nil {
		return nil, ifStuck(err)
	}
	seen, below := map[string]bool{}, strings.TrimSuffix(belowTop(dir)+"/", "./")
	for _, name := range append(strings.Split(strings.TrimSuffix(out, "\x00"), "\x00"), modified(ctx, dir, len(from)/2)...) {
		name, ok := strings.CutPrefix(name, below)
		if ok && name != "" && !seen[name] && !strings.HasPrefix(name, marker.Name+"/") && len(files) < changedLimit {
			seen[name] = true
			files = append(files, name)
		}
	}
	return files, nil
}

// branchedFrom returns the commit at which HEAD has left the main branch, empty when there is
// none.
func branchedFrom(ctx context.Context, dir string) (string, error) {
	names := []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/heads/main", "refs/heads/master"}
	known, err := Output(ctx, dir, append([]string{"for-each-ref", "--format=%(refname)"}, names...)...)
	if err != nil {
		return "", err
	}
	for _, name := range append(names, "HEAD") {
		if name != "HEAD" && !strings.Contains(known, name+"\n") {
			continue
		}
		if from, err := Output(ctx, dir, "merge-base", "HEAD", name); err == nil {
			return strings.TrimSpace(from), nil
		}
	}
	return "", nil
}

// ifStuck returns an error that names a file for which git would wait, and no other.
func ifStuck(err error) error {
	if errors.Is(err, errors.Timeout) {
		return err
	}
	return nil
}

// belowTop returns the slash-separated path from the top of the working tree to a directory.
func belowTop(dir string) string {
	name, err := filepath.Rel(FindDirectories(dir).Top, dir)
	if err != nil {
		return "."
	}
	return filepath.ToSlash(name)
}

// spec returns the path specification that limits git to a directory.
func spec(dir string) string {
	if below := belowTop(dir); below != "." {
		return ":(top,literal)" + below
	}
	return ":/"
}

// relative returns the option by which git names files relative to a directory, and leaves out
// those outside it.
func relative(dir string) []string {
	if below := belowTop(dir); below != "." {
		return []string{"--relative=" + below + "/"}
	}
	return nil
}

const (
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
