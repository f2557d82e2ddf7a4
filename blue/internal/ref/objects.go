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
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/errors"
)

// Bounds of what is taken from a commit.
const (
	entryLimit = 150_000   // entries
	totalLimit = 512 << 20 // bytes of all blobs together
	lineLimit  = 8 << 10   // bytes that git prints of an entry
)

// BatchBytes is how many bytes of texts are held at once; the last text may exceed it.
const BatchBytes = 8 << 20

// ID is the name that git gives to the blob of these bytes.
func (r *Repo) ID(data []byte) string { return r.hash("blob", data) }

func (r *Repo) hash(kind string, data []byte) string {
	var h hash.Hash = sha1.New() //nolint:gosec // git's own
	if r.sha256 {
		h = sha256.New()
	}
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// readChanges brings a tree that was read from one commit, empty for none, to another commit.
// What cannot be a note is left out and named: links, directories, programs, names that are not
// served, blobs over the limit of a note. format is the blob of the file of that name, empty when
// it has not changed.
func (r *Repo) readChanges(ctx context.Context, t *Tree, from, to string) (format string, err error) {
	changed, err := r.listChanges(ctx, from, to)
	if err == nil {
		err = r.checkSizes(ctx, to, changed)
	}
	if err != nil {
		return "", err
	}
	slices.SortStableFunc(changed, func(a, b entry) int { return len(a.blob) - len(b.blob) }) // what has gone first
	old := map[string][]string{}                                                              // names by blob
	for _, e := range changed {
		if e.path == "format" {
			if format = e.blob; format == "" {
				return "", errors.NotNotes(to, "it has no file named format")
			}
		}
		if name := t.take(e); name != "" {
			old[e.blob] = append(old[e.blob], name)
		}
	}
	if len(t.Notes) > entryLimit {
		return "", errors.NotNotes(to, fmt.Sprintf("it has more than %d entries", entryLimit))
	}
	return format, r.ReadTexts(ctx, slices.Collect(maps.Keys(old)), func(blob string, text []byte) error {
		for _, name := range old[blob] {
			n := note.ParseText(name, text)
			if t.Notes[n.Identity()].Name == "" {
				t.Notes[n.Identity()] = Note{Name: name, Blob: blob}
			}
		}
		return nil
	})
}

// listChanges lists the files in which two commits differ.
func (r *Repo) listChanges(ctx context.Context, from, to string) (changed []entry, err error) {
	if from == "" {
		from = r.hash("tree", nil)
	}
	return changed, r.stream(ctx, nil, func(out io.Reader) error {
		in := bufio.NewReaderSize(out, 1<<16)
		for {
			head, err := readUntilNUL(in)
			if err == io.EOF {
				return nil
			}
			var path string
			if err == nil {
				path, err = readUntilNUL(in)
			}
			words := strings.Fields(head) // :100644 100644 from to M
			switch {
			case err != nil:
				return err
			case len(words) != 5:
				return errors.GitFailed("diff-tree", head)
			case len(changed) == 2*entryLimit:
				return errors.NotNotes(to, fmt.Sprintf("it has more than %d entries", entryLimit))
			}
			e := entry{path: path, blob: words[3]}
			switch mode := words[1]; {
			case strings.Trim(mode, "0") == "":
				e.blob = ""
			case mode != "100644" && mode != "100664":
				e.why = "it is no plain file"
			}
			changed = append(changed, e)
		}
	}, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to, "--", "notes/", "trash/", "format")
}

// checkSizes refuses what is too large among new entries.
func (r *Repo) checkSizes(ctx context.Context, commit string, changed []entry) error {
	var ids []string
	for _, e := range changed {
		if e.blob != "" && e.why == "" {
			ids = append(ids, e.blob)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	sizes, total := map[string]int64{}, int64(0)
	err := r.stream(ctx, strings.NewReader(strings.Join(ids, "\n")+"\n"), func(out io.Reader) error {
		in := bufio.NewScanner(out)
		for in.Scan() { // id blob size
			words := strings.Fields(in.Text())
			if len(words) != 3 || words[1] != "blob" {
				return errors.GitFailed("cat-file", in.Text())
			}
			size, _ := strconv.ParseInt(words[2], 10, 64)
			if sizes[words[0]] = size; size <= store.Limit {
				total += size
			}
		}
		return in.Err()
	}, "cat-file", "--batch-check")
	if err == nil && total > totalLimit {
		err = errors.NotNotes(commit, fmt.Sprintf("its notes have more than %d MiB", totalLimit>>20))
	}
	for i, e := range changed {
		if sizes[e.blob] > store.Limit {
			changed[i].why = "it is larger than 1 MiB"
		}
	}
	return err
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

// ReadTexts calls each with the blobs of these names, once per name; one that is missing is left
// out. It reads a batch of them at a time, and no git runs while each does.
func (r *Repo) ReadTexts(ctx context.Context, ids []string, each func(id string, text []byte) error) error {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for len(ids) > 0 {
		batch, err := r.readBatch(ctx, ids)
		if err != nil {
			return err
		}
		for i, text := range batch {
			if text == nil {
				continue
			}
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
			if strings.TrimSpace(head) == want+" missing" {
				batch = append(batch, nil)
				continue
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

// change is what a commit is to change beside its parent.
type change struct {
	entries []entry
	fresh   map[string]bool                 // blobs that may not be in the repository
	read    func(id string) ([]byte, error) // gives them
	parent  string                          // empty for none
	message string
}

// pendingRef is where git leaves a commit that it has just made.
const pendingRef = "refs/blue/pending"

// commit makes a commit and returns its name. One git gets all of the texts, each when it has
// taken the one before, and prints a line for each, so that its silence is bounded and not its
// time.
func (r *Repo) commit(ctx context.Context, c change) (name string, err error) {
	who, err := r.run(ctx, nil, "var", "GIT_COMMITTER_IDENT")
	if err != nil {
		who, err = r.run(ctx, nil, "-c", "user.name=Blue", "-c", "user.email=blue@localhost", "var", "GIT_COMMITTER_IDENT")
	}
	if err != nil {
		return "", err
	}
	in, to := io.Pipe()
	fed := make(chan error, 1)
	go func() {
		err := c.feed(to, strings.TrimSpace(who))
		_ = to.CloseWithError(err)
		fed <- err
	}()
	err = r.stream(ctx, in, func(out io.Reader) error {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if line := lines.Text(); !strings.HasPrefix(line, "progress ") {
				name = line
			}
		}
		return lines.Err()
	}, "fast-import", "--quiet", "--force", "--done")
	in.Close() // else the texts wait for a git that has ended
	if failed := <-fed; failed != nil && !errors.Is(failed, io.ErrClosedPipe) {
		return "", failed
	}
	if err == nil && len(name) != len(r.ID(nil)) {
		err = errors.GitFailed("fast-import", "it named no commit")
	}
	return name, err
}

// feed writes the commit as fast-import reads it.
func (c change) feed(to io.Writer, who string) (err error) {
	print := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(to, format, args...)
		}
	}
	sent := map[string]bool{}
	for _, e := range c.entries {
		if !c.fresh[e.blob] || sent[e.blob] {
			continue
		}
		sent[e.blob] = true
		text, failed := c.read(e.blob)
		if failed != nil {
			return failed
		}
		print("blob\ndata %d\n", len(text))
		if err == nil {
			_, err = to.Write(text)
		}
		print("\nprogress %s\n", e.blob)
	}
	print("commit %s\nmark :1\ncommitter %s\ndata %d\n%s\n", pendingRef, who, len(c.message), c.message)
	if c.parent != "" {
		print("from %s\n", c.parent)
	}
	for _, e := range c.entries {
		if e.blob == "" {
			print("D %s\n", e.path)
		}
	}
	for _, e := range c.entries {
		if e.blob != "" {
			print("M 100644 %s %s\n", e.blob, e.path)
		}
	}
	print("\nget-mark :1\ndone\n")
	return err
}

// Pack puts the objects that lie in files of their own, from one commit to another, into one
// file.
func (r *Repo) Pack(ctx context.Context, from, to string) error {
	args := []string{"rev-list", "--objects", "--unpacked", to}
	if from != "" {
		args = append(args, "^"+from)
	}
	out, err := r.run(ctx, nil, args...)
	if err == nil {
		_, err = r.run(ctx, strings.NewReader(out), "pack-objects", "--quiet", filepath.Join(r.shared, "objects", "pack", "pack"))
	}
	if err == nil {
		_, err = r.run(ctx, nil, "prune-packed", "--quiet")
	}
	return err
}
