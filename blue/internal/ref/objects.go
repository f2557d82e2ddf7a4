package ref

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"blue/blue/internal/store"
	"blue/errors"
)

// Bounds of what is taken from a tree.
const (
	entryLimit = 150_000   // entries
	totalLimit = 512 << 20 // bytes of all blobs together, which are held at once
	lineLimit  = 8 << 10   // bytes that git prints of an entry
)

// Tree is what a commit holds: the files notes/ID.md and trash/ID.md, by the names of
// their blobs, and the blob of the file "format".
type Tree struct {
	Notes, Trash map[string]string // blob by file name
	Format       string
	Refused      map[string]string // why an entry was left out, by its path
}

// NewTree is an empty tree.
func NewTree() Tree {
	return Tree{Notes: map[string]string{}, Trash: map[string]string{}, Refused: map[string]string{}}
}

// ID is the name that git gives to the blob of these bytes.
func (r *Repo) ID(data []byte) string {
	var h hash.Hash = sha1.New() //nolint:gosec // git's own
	if r.sha256 {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// readTree reads the tree of a commit. What cannot be a note is left out and named: links,
// directories, programs, names that are not served, blobs over the limit of a note.
// Nothing below notes/ and trash/ is entered.
func (r *Repo) readTree(ctx context.Context, commit string) (Tree, error) {
	t := NewTree()
	err := r.stream(ctx, localTime, nil, func(out io.Reader) error {
		in, count, total := bufio.NewReaderSize(out, 1<<16), 0, int64(0)
		for {
			line, err := readUntilNUL(in)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if count++; count > entryLimit {
				return errors.NotNotes(commit, fmt.Sprintf("it has more than %d entries", entryLimit))
			}
			if total += t.addEntry(line); total > totalLimit {
				return errors.NotNotes(commit, fmt.Sprintf("its notes have more than %d MiB", totalLimit>>20))
			}
		}
	}, "ls-tree", "-l", "-z", "--full-tree", commit, "notes/", "trash/", "format")
	return t, err
}

func readUntilNUL(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice(0)
	if err == bufio.ErrBufferFull {
		return "", errors.New("git printed an entry that is too long")
	}
	if err != nil {
		return "", err
	}
	return string(line[:len(line)-1]), nil
}

// addEntry takes a line of ls-tree (mode, type, name of the object and size, a tab, path)
// and returns the size of what may be read.
func (t *Tree) addEntry(line string) int64 {
	head, path, _ := strings.Cut(line, "\t")
	words := strings.Fields(head)
	if len(words) != 4 {
		return 0
	}
	dir, base, below := strings.Cut(path, "/")
	size, _ := strconv.ParseInt(words[3], 10, 64) // a directory has none
	why := ""
	switch {
	case words[1] != "blob" || words[0] != "100644" && words[0] != "100664":
		why = "it is no plain file"
	case size > store.Limit:
		why = "it is larger than 1 MiB"
	case below:
		why = store.SafeName(base)
	}
	switch {
	case why != "":
		t.Refused[path] = why
		return 0
	case dir == "notes":
		t.Notes[base] = words[2]
	case dir == "trash":
		t.Trash[base] = words[2]
	case path == "format":
		t.Format = words[2]
	}
	return size
}

// ReadTexts reads the blobs of these names, each once.
func (r *Repo) ReadTexts(ctx context.Context, ids []string) (map[string][]byte, error) {
	blobs := map[string][]byte{}
	if len(ids) == 0 {
		return blobs, nil
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	err := r.stream(ctx, localTime, strings.NewReader(strings.Join(ids, "\n")+"\n"), func(out io.Reader) error {
		in := bufio.NewReaderSize(out, 1<<16)
		for range ids {
			head, err := in.ReadString('\n')
			if err != nil {
				return err
			}
			var id, kind string
			var size int64
			if n, _ := fmt.Sscanf(head, "%s %s %d", &id, &kind, &size); n != 3 || kind != "blob" || size > store.Limit {
				return errors.GitFailed("cat-file", strings.TrimSpace(head))
			}
			data := make([]byte, size+1) // and the line end behind it
			if _, err := io.ReadFull(in, data); err != nil {
				return err
			}
			blobs[id] = data[:size:size]
		}
		return nil
	}, "cat-file", "--batch")
	return blobs, err
}

// writeTree writes blobs and the tree that holds them, and returns the name of the tree.
// What the tree holds beside the blobs is in the repository already.
func (r *Repo) writeTree(ctx context.Context, t Tree, blobs map[string][]byte) (string, error) {
	if len(blobs) > 0 {
		var in bytes.Buffer
		for _, id := range slices.Sorted(maps.Keys(blobs)) {
			fmt.Fprintf(&in, "blob\ndata %d\n%s\n", len(blobs[id]), blobs[id])
		}
		in.WriteString("done\n")
		if _, err := r.run(ctx, localTime, &in, "fast-import", "--quiet", "--done"); err != nil {
			return "", err
		}
	}
	var in strings.Builder
	list := func(files map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			fmt.Fprintf(&in, "100644 blob %s\t%s\n", files[name], name)
		}
		in.WriteString("\n")
	}
	list(t.Notes)
	list(t.Trash)
	out, err := r.run(ctx, localTime, strings.NewReader(in.String()), "mktree", "--batch", "--missing")
	trees := strings.Fields(out)
	if err != nil || len(trees) != 2 {
		return "", errors.Join(err, errorIf(err == nil, "git mktree printed %d trees", len(trees)))
	}
	in.Reset()
	fmt.Fprintf(&in, "100644 blob %s\tformat\n", t.Format)
	for i, name := range []string{"notes", "trash"} {
		if i == 0 || len(t.Trash) > 0 {
			fmt.Fprintf(&in, "040000 tree %s\t%s\n", trees[i], name)
		}
	}
	out, err = r.run(ctx, localTime, strings.NewReader(in.String()), "mktree")
	return strings.TrimSpace(out), err
}

func errorIf(failed bool, format string, args ...any) error {
	if !failed {
		return nil
	}
	return fmt.Errorf(format, args...)
}
