package git

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/errors"
)

// Commit is a commit. Its texts are valid UTF-8 and otherwise unchanged.
type Commit struct {
	Hash, Author  string
	Subject, Body string
	Time          time.Time
	Merge         bool
	Files         []string // touched files, relative to the top of the working tree
	MoreFiles     int      // number of files beyond those
	Cut           int      // bytes of the message left out
}

// isHash reports whether a text is a full hash, SHA-1 or SHA-256. Compiling a regular expression
// for it would take a twentieth of the program's start-up time.
func isHash(text string) bool {
	return (len(text) == 40 || len(text) == 64) && isHex(text)
}

// logFlags make git log print the input of [parseLog]: fields separated by NUL, then file names,
// without detecting renames or verifying signatures.
var logFlags = [...]string{
	"--no-show-signature", "--no-color", "--no-decorate", "--no-notes", "--encoding=UTF-8", "--no-renames", "--no-ext-diff", "--no-textconv",
	"--name-only", "-z", "--format=%x00%H%x00%P%x00%at%x00%an%x00%B%x00",
}

// Log calls each with the commits of the given hashes.
func Log(ctx context.Context, dir string, hashes []string, each func(Commit)) error {
	if len(hashes) == 0 {
		return nil
	}
	args := append(append([]string{"log"}, logFlags[:]...), "--no-walk=unsorted", "--stdin")
	return Command{Dir: dir, Args: args, In: strings.NewReader(strings.Join(hashes, "\n") + "\n")}.Stream(ctx, func(out io.Reader) error {
		return parseLog(out, func(c Commit) error { each(c); return nil })
	})
}

// Ancestors returns the hashes of a commit and its ancestors, newest first and at most most of
// them. The commit must be given by its full hash.
func Ancestors(ctx context.Context, dir, of string, most int) (hashes []string, err error) {
	if !isHash(of) {
		return nil, errors.New("a commit is not given by its hash")
	}
	err = Command{Dir: dir, Args: []string{"rev-list", "--max-count=" + strconv.Itoa(most), of, "--"}}.Stream(ctx, func(out io.Reader) error {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			hashes = append(hashes, lines.Text())
		}
		return lines.Err()
	})
	return hashes, err
}

// ParseRef parses a reference such as "commit 3f2a9c1" and returns the abbreviated hash.
func ParseRef(text string) (hash string, ok bool) {
	word, hash, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), " ")
	hash = strings.TrimLeft(hash, " ")
	if word != "commit" || len(hash) < 4 || !isHex(hash) {
		return "", false
	}
	return hash, true
}

// ParseHash parses an abbreviated hash that is long enough to stand alone.
func ParseHash(text string) (hash string, ok bool) {
	hash = strings.ToLower(strings.TrimSpace(text))
	return hash, len(hash) >= 7 && isHex(hash)
}

func isHex(hash string) bool {
	return len(hash) <= 64 && strings.Trim(hash, "0123456789abcdef") == ""
}

// ReadCommits returns the commits of abbreviated hashes, by these hashes. It leaves out unknown and
// ambiguous ones. It runs git at most twice.
func ReadCommits(ctx context.Context, dir string, hashes []string) (map[string]Commit, error) {
	whole, err := expand(ctx, dir, hashes)
	if err != nil || len(whole) == 0 {
		return nil, err
	}
	found := map[string]Commit{}
	err = Log(ctx, dir, slices.Compact(slices.Sorted(maps.Values(whole))), func(c Commit) { found[c.Hash] = c })
	read := map[string]Commit{}
	for hash, name := range whole {
		if c, ok := found[name]; ok {
			read[hash] = c
		}
	}
	return read, err
}

// expand returns the full hashes of commits by their abbreviated hashes.
func expand(ctx context.Context, dir string, hashes []string) (map[string]string, error) {
	hashes = slices.DeleteFunc(slices.Clone(hashes), func(hash string) bool {
		_, ok := ParseRef("commit " + hash)
		return !ok
	})
	if len(hashes) == 0 {
		return nil, nil
	}
	whole, at := map[string]string{}, 0
	c := Command{Dir: dir, Args: []string{"cat-file", "--batch-check=%(objectname) %(objecttype)", "--buffer"}, In: strings.NewReader(strings.Join(hashes, "\n") + "\n")}
	err := c.Stream(ctx, func(out io.Reader) error {
		lines := bufio.NewScanner(out)
		for ; lines.Scan() && at < len(hashes); at++ {
			name, kind, _ := strings.Cut(lines.Text(), " ")
			if kind == "commit" && strings.HasPrefix(name, hashes[at]) { // not a branch of that name
				whole[hashes[at]] = name
			}
		}
		return lines.Err()
	})
	return whole, err
}

// parseLog parses the output of git log. Each commit is an empty field, five fields with content,
// and an empty field followed by file names, the first of which begins with a newline.
func parseLog(in io.Reader, each func(Commit) error) error {
	f := fieldReader{in: bufio.NewReaderSize(in, 1<<16)}
	hash, _, err := f.next(nameLimit)
	for err == nil {
		if hash == "" {
			hash, _, err = f.next(nameLimit)
			continue
		}
		if !isHash(hash) {
			return fmt.Errorf("git log printed %q in place of a hash", errors.Short(hash, 80))
		}
		var c Commit
		if c, err = f.commit(hash); err != nil {
			break
		}
		if hash, err = f.files(&c); err != nil && err != io.EOF {
			break
		}
		if failed := each(c); failed != nil {
			return failed
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// fieldReader reads fields terminated by NUL.
type fieldReader struct{ in *bufio.Reader }

// next reads a field but returns at most limit bytes of it; cut is the number of the others. The
// error is io.EOF at the end of the input and io.ErrUnexpectedEOF within a field.
func (f fieldReader) next(limit int) (text string, cut int, err error) {
	var field []byte
	for {
		part, err := f.in.ReadSlice(0)
		whole := err == nil
		if whole {
			part = part[:len(part)-1]
		}
		room := max(limit-len(field), 0)
		field = append(field, part[:min(len(part), room)]...)
		cut += max(len(part)-room, 0)
		switch {
		case whole:
			return strings.ToValidUTF8(string(field), "\uFFFD"), cut, nil
		case err == io.EOF && len(field)+cut > 0:
			return "", 0, io.ErrUnexpectedEOF
		case err != bufio.ErrBufferFull:
			return "", 0, err
		}
	}
}

// commit reads the fields of a commit after its hash.
func (f fieldReader) commit(hash string) (c Commit, err error) {
	var fields [4]string // parents, time, author and message
	for i, limit := range []int{nameLimit, nameLimit, nameLimit, messageLimit} {
		if fields[i], c.Cut, err = f.next(limit); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return c, err
		}
	}
	seconds, _ := strconv.ParseInt(fields[1], 10, 64) // a time that git cannot print counts as 1970
	c.Hash, c.Merge, c.Author, c.Time = hash, strings.Contains(fields[0], " "), fields[2], time.Unix(seconds, 0).UTC()
	c.Subject, c.Body, _ = strings.Cut(strings.TrimSpace(fields[3]), "\n")
	c.Subject, c.Body = strings.TrimSpace(c.Subject), strings.TrimSpace(c.Body)
	return c, nil
}

// files reads file names up to the hash of the next commit, which it returns.
func (f fieldReader) files(c *Commit) (next string, err error) {
	ended := true // an empty field was read, so a hash may follow
	for {
		name, _, err := f.next(nameLimit)
		if err != nil {
			return "", err
		}
		first, begins := strings.CutPrefix(name, "\n")
		switch {
		case name == "":
			ended = true
			continue
		case ended && !begins:
			return name, nil
		case len(c.Files) < fileLimit:
			c.Files = append(c.Files, first)
		default:
			c.MoreFiles++
		}
		ended = false
	}
}
