package ref

import (
	"bufio"
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
	totalLimit = 512 << 20 // bytes of all blobs together
	lineLimit  = 8 << 10   // bytes that git prints of an entry
)

// BatchBytes is how many bytes of texts are held at once; the last text may exceed it.
const BatchBytes = 8 << 20

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
	err := r.stream(ctx, nil, func(out io.Reader) error {
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

// ReadTexts calls each with the blobs of these names, once per name. It reads a batch of
// them at a time, and no git runs while each does.
func (r *Repo) ReadTexts(ctx context.Context, ids []string, each func(id string, text []byte) error) error {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for len(ids) > 0 {
		batch, err := r.readBatch(ctx, ids)
		if err != nil {
			return err
		}
		for i, text := range batch {
			if err := each(ids[i], text); err != nil {
				return err
			}
		}
		ids = ids[len(batch):]
	}
	return nil
}

// errFull ends the git that prints a batch.
var errFull = errors.New("the batch is full")

// readBatch reads the blobs of the first names, at least one, until they have BatchBytes.
func (r *Repo) readBatch(ctx context.Context, ids []string) (batch [][]byte, err error) {
	total := int64(0)
	err = r.stream(ctx, strings.NewReader(strings.Join(ids, "\n")+"\n"), func(out io.Reader) error {
		in := bufio.NewReaderSize(out, 1<<16)
		for _, want := range ids {
			if total >= BatchBytes {
				return errFull
			}
			head, err := in.ReadString('\n')
			if err != nil {
				return err
			}
			var id, kind string
			var size int64
			if n, _ := fmt.Sscanf(head, "%s %s %d", &id, &kind, &size); n != 3 || id != want || kind != "blob" || size > store.Limit {
				return errors.GitFailed("cat-file", strings.TrimSpace(head))
			}
			data := make([]byte, size+1) // and the line end behind it
			if _, err := io.ReadFull(in, data); err != nil {
				return err
			}
			batch = append(batch, data[:size:size])
			total += size
		}
		return nil
	}, "cat-file", "--batch")
	if errors.Is(err, errFull) {
		err = nil
	}
	return batch, err
}

// writeTexts writes blobs. One git gets all of them, each when it has taken the one before, and
// prints a line for each, so that its silence is bounded and not its time.
func (r *Repo) writeTexts(ctx context.Context, ids []string, read func(id string) ([]byte, error)) error {
	in, to := io.Pipe()
	fed := make(chan error, 1)
	go func() {
		err := feedTexts(to, ids, read)
		_ = to.CloseWithError(err)
		fed <- err
	}()
	err := r.stream(ctx, in, func(out io.Reader) error { _, err := io.Copy(io.Discard, out); return err }, "fast-import", "--quiet", "--done")
	in.Close() // else the texts wait for a git that has ended
	if failed := <-fed; failed != nil && !errors.Is(failed, io.ErrClosedPipe) {
		return failed
	}
	return err
}

func feedTexts(to io.Writer, ids []string, read func(id string) ([]byte, error)) error {
	for _, id := range ids {
		text, err := read(id)
		if err == nil {
			_, err = fmt.Fprintf(to, "blob\ndata %d\n", len(text))
		}
		if err == nil {
			_, err = to.Write(text)
		}
		if err == nil {
			_, err = fmt.Fprintf(to, "\nprogress %s\n", id)
		}
		if err != nil {
			return err
		}
	}
	_, err := io.WriteString(to, "done\n")
	return err
}

// writeTree writes the tree that holds these blobs, which are in the repository already,
// and returns its name.
func (r *Repo) writeTree(ctx context.Context, t Tree) (string, error) {
	var in strings.Builder
	list := func(files map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			fmt.Fprintf(&in, "100644 blob %s\t%s\n", files[name], name)
		}
		in.WriteString("\n")
	}
	list(t.Notes)
	list(t.Trash)
	out, err := r.run(ctx, strings.NewReader(in.String()), "mktree", "--batch", "--missing")
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
	out, err = r.run(ctx, strings.NewReader(in.String()), "mktree")
	return strings.TrimSpace(out), err
}

func errorIf(failed bool, format string, args ...any) error {
	if !failed {
		return nil
	}
	return fmt.Errorf(format, args...)
}
