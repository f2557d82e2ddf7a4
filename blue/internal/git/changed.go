package git

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"blue/errors"
	"blue/marker"
)

// Changed returns the files below a directory that its branch has changed since it left the main
// branch, by commits, staged or not. It returns none without a branch, or if git does not answer in
// time. Git compares commits with its index, and this package compares files with the index, because
// git would run filters on files.
func Changed(ctx context.Context, dir, branch string) (files []string, err error) {
	if branch == "" { // no repository, no commit, or unreadable
		return nil, nil
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
	for _, name := range append(strings.Split(strings.TrimSuffix(out, "\x00"), "\x00"), modified(ctx, dir)...) {
		name, ok := strings.CutPrefix(name, below)
		if ok && name != "" && !seen[name] && !strings.HasPrefix(name, marker.Name+"/") && len(files) < changedLimit {
			seen[name] = true
			files = append(files, name)
		}
	}
	return files, nil
}

// branchedFrom returns the commit at which HEAD left the main branch, or "".
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

// ifStuck returns err if git did not answer in time, and nil otherwise.
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

// relative returns the option that makes git print file names relative to a directory and omit
// files outside of it.
func relative(dir string) []string {
	if below := belowTop(dir); below != "." {
		return []string{"--relative=" + below + "/"}
	}
	return nil
}

// modified returns the tracked files below a directory that differ from git's index: by size or
// time, and then by content if the file is small. Content that git stores in another form counts as
// different once its time has changed.
func modified(ctx context.Context, dir string) (names []string) {
	top := FindDirectories(dir).Top
	files, _ := listTracked(ctx, dir, spec(dir)) // none if git does not answer in time
	for i, f := range files {
		if i%64 == 0 && ctx.Err() != nil {
			return names
		}
		isLink := strings.HasPrefix(f.mode, "120")
		if !f.ignored && (isLink || strings.HasPrefix(f.mode, "100")) && f.differs(top, isLink) {
			names = append(names, f.name)
		}
	}
	return names
}

// differs reports whether the file in the working tree differs from its entry in the index.
func (f tracked) differs(top string, link bool) bool {
	info, err := os.Lstat(filepath.Join(top, filepath.FromSlash(f.name)))
	if err != nil || link != (info.Mode()&os.ModeSymlink != 0) || !link && !info.Mode().IsRegular() {
		return true
	}
	now := info.ModTime()
	same := int64(uint32(now.Unix())) == f.seconds && (f.nano == 0 || int64(now.Nanosecond()) == f.nano)
	if same && int64(uint32(info.Size())) == f.size {
		return false
	}
	if link || info.Size() > comparedLimit {
		return true
	}
	text, ok := ReadFile(top, f.name, comparedLimit)
	return !ok || blobID(text, f.blob) != f.blob
}

// blobID returns the id that git would give to a blob, with the hash function of another id.
func blobID(text []byte, like string) string {
	var sum hash.Hash = sha1.New() //nolint:gosec // git's own
	if len(like) == 2*sha256.Size {
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "blob %d\x00", len(text))
	sum.Write(text)
	return hex.EncodeToString(sum.Sum(nil))
}

// tracked is the entry of a file in git's index: its content, and its time and size when git wrote
// or added it.
type tracked struct {
	name                string // relative to the top of the working tree
	mode, blob          string
	seconds, nano, size int64
	ignored             bool // assumed unchanged, or not checked out
}

// ignoredFlags has the bits of entries that are assumed unchanged or not checked out.
const ignoredFlags = 1<<15 | 1<<30

// listTracked returns the index entries of the files that match a path specification. It does not
// compare them with the working tree.
func listTracked(ctx context.Context, dir, spec string) (files []tracked, err error) {
	out, err := Output(ctx, dir, "ls-files", "-z", "-s", "--debug", "--", spec)
	for err == nil && out != "" {
		entry, rest, _ := strings.Cut(out, "\x00")
		about, name, _ := strings.Cut(entry, "\t")
		words := strings.Fields(about + " - -") // mode, blob and stage
		stat, rest, _ := strings.Cut(rest, "flags: ")
		bits, rest, _ := strings.Cut(rest, "\n")
		flags, _ := strconv.ParseUint(bits, 16, 64)
		_, times, _ := strings.Cut(stat, "mtime: ")
		files = append(files, tracked{name, words[0], words[1], numberAfter(times, ""), numberAfter(times, ":"), numberAfter(times, "size: "), flags&ignoredFlags != 0})
		out = rest
	}
	return files, err
}

// numberAfter parses the number after a word. It returns -1 if there is none.
func numberAfter(text, word string) int64 {
	_, text, _ = strings.Cut(text, word)
	digits := text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return n
	}
	return -1
}
