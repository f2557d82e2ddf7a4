package notesync

import (
	"bufio"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"blue/blue/internal/store"
	"blue/errors"
)

// Limits of what is read from a commit.
const (
	entryLimit = 150_000   // entries
	totalLimit = 512 << 20 // bytes of all blobs together
)

// batchBytes is how many bytes of texts are in memory at once; the last text may exceed it.
const batchBytes = 8 << 20

// pendingRef is the ref at which fast-import leaves a new commit.
const pendingRef = "refs/blue/pending"

// ID returns the name of the blob with these bytes.
func (g *gitBackend) ID(text []byte) string { return g.hash("blob", text) }

func (g *gitBackend) hash(kind string, data []byte) string {
	var h hash.Hash = sha1.New() //nolint:gosec // git's own
	if g.sha256 {
		h = sha256.New()
	}
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// readChanges updates t, the tree of commit from, to the tree of commit to; from is empty for an
// empty tree. Entries that cannot be notes go to t.Refused: links, directories, executables, unsafe
// names and blobs over the size limit of a note. It returns the blob of the format file if that has
// changed.
func (g *gitBackend) readChanges(ctx context.Context, t *tree, from, to string) (format string, err error) {
	changed, err := g.listChanges(ctx, from, to)
	if err == nil {
		err = g.checkSizes(ctx, to, changed)
	}
	if err != nil {
		return "", err
	}
	slices.SortStableFunc(changed, func(a, b treeEntry) int { return len(a.blob) - len(b.blob) }) // deletions first
	for _, e := range changed {
		if e.path == "format" {
			if format = e.blob; format == "" {
				return "", notNotes(to, "it has no file named format")
			}
		}
		t.apply(e)
	}
	if len(t.Notes) > entryLimit {
		return "", notNotes(to, fmt.Sprintf("it has more than %d entries", entryLimit))
	}
	return format, nil
}

// listChanges returns the entries in which two commits differ.
func (g *gitBackend) listChanges(ctx context.Context, from, to string) (changed []treeEntry, err error) {
	if from == "" {
		from = g.hash("tree", nil)
	}
	return changed, g.stream(ctx, nil, func(out io.Reader) error {
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
				return notNotes(to, fmt.Sprintf("it has more than %d entries", entryLimit))
			}
			e := treeEntry{path: path, blob: words[3]}
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

// checkSizes marks new entries that are too large as refused.
func (g *gitBackend) checkSizes(ctx context.Context, commit string, changed []treeEntry) error {
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
	err := g.stream(ctx, strings.NewReader(strings.Join(ids, "\n")+"\n"), func(out io.Reader) error {
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
		err = notNotes(commit, fmt.Sprintf("its notes have more than %d MiB", totalLimit>>20))
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

// ReadTexts calls each once for every blob of ids that exists. It reads them in batches, and no git
// process runs during a call of each.
func (g *gitBackend) ReadTexts(ctx context.Context, ids []string, each func(id string, text []byte) error) error {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for len(ids) > 0 {
		batch, err := g.readBatch(ctx, ids)
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

// errFull stops git when a batch is full.
var errFull = errors.New("the batch is full")

// readBatch reads the first blobs of ids, at least one, until they have batchBytes. A missing
// blob is nil.
func (g *gitBackend) readBatch(ctx context.Context, ids []string) (batch [][]byte, err error) {
	total := int64(0)
	err = g.stream(ctx, strings.NewReader(strings.Join(ids, "\n")+"\n"), func(out io.Reader) error {
		in := bufio.NewReaderSize(out, 1<<16)
		for _, want := range ids {
			if total >= batchBytes {
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
			data := make([]byte, size+1) // with a newline at the end
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

// commit creates a commit of t and returns its name. A single fast-import reads all texts and
// prints a line for each, so that its silence is limited instead of its time.
func (g *gitBackend) commit(ctx context.Context, h heads, t tree, texts textSource, message string) (name string, err error) {
	parent := h.tip()
	before, err := g.ReadTree(ctx, parent)
	if err != nil {
		return "", err
	}
	who, err := g.run(ctx, nil, "var", "GIT_COMMITTER_IDENT")
	if err != nil {
		who, err = g.run(ctx, nil, "-c", "user.name=Blue", "-c", "user.email=blue@localhost", "var", "GIT_COMMITTER_IDENT")
	}
	if err != nil {
		return "", err
	}
	head := fmt.Sprintf("commit %s\nmark :1\ncommitter %s\ndata %d\n%s\n", pendingRef, strings.TrimSpace(who), len(message), message)
	if parent != "" {
		head += "from " + parent + "\n"
	}
	if h.setBack && h.base != "" && h.base != parent {
		head += "merge " + h.base + "\n" // commits that the remote has lost
	}
	in, to := io.Pipe()
	fed := make(chan error, 1)
	go func() {
		err := g.feed(to, head, g.changes(before, t), texts)
		_ = to.CloseWithError(err)
		fed <- err
	}()
	err = g.stream(ctx, in, func(out io.Reader) error {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if line := lines.Text(); !strings.HasPrefix(line, "progress ") {
				name = line
			}
		}
		return lines.Err()
	}, "fast-import", "--quiet", "--force", "--done")
	in.Close() // unblocks feed if git has ended
	if failed := <-fed; failed != nil && !errors.Is(failed, io.ErrClosedPipe) {
		return "", failed
	}
	if err == nil && len(name) != len(g.ID(nil)) {
		err = errors.GitFailed("fast-import", "it named no commit")
	}
	if err == nil {
		g.trees[name] = t.clone()
	}
	return name, err
}

// feed writes the input of fast-import: new blobs, and a commit with head that changes entries and
// the format file.
func (g *gitBackend) feed(to io.Writer, head string, entries []treeEntry, texts textSource) (err error) {
	print := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(to, format, args...)
		}
	}
	blob := func(id string, text []byte) {
		print("blob\ndata %d\n", len(text))
		if err == nil {
			_, err = to.Write(text)
		}
		print("\nprogress %s\n", id)
	}
	sent := map[string]bool{}
	for _, e := range entries {
		if !texts.fresh[e.blob] || sent[e.blob] {
			continue
		}
		sent[e.blob] = true
		text, failed := texts.read(e.blob)
		if failed != nil {
			return failed
		}
		blob(e.blob, text)
	}
	format := []byte("format: 2\n")
	if g.project != "" {
		format = fmt.Appendf(format, "project: %s\n", g.project)
	}
	blob(g.ID(format), format)
	print("%s", head)
	for _, e := range entries {
		if e.blob == "" {
			print("D %s\n", e.path)
		}
	}
	for _, e := range entries {
		if e.blob != "" {
			print("M 100644 %s %s\n", e.blob, e.path)
		}
	}
	print("M 100644 %s format\n\nget-mark :1\ndone\n", g.ID(format))
	return err
}

// changes returns the entries in which t differs from before, and deletes those of before that this
// version cannot read.
func (g *gitBackend) changes(before, t tree) []treeEntry {
	changed := before.compare(t)
	for path := range before.Refused {
		changed = append(changed, treeEntry{path: path})
	}
	return changed
}

// pack moves the loose objects of the commits after from, up to to, into one pack.
func (g *gitBackend) pack(ctx context.Context, from, to string) error {
	args := []string{"rev-list", "--objects", "--unpacked", to}
	if from != "" {
		args = append(args, "^"+from)
	}
	out, err := g.run(ctx, nil, args...)
	if err == nil {
		_, err = g.run(ctx, strings.NewReader(out), "pack-objects", "--quiet", filepath.Join(g.shared, "objects", "pack", "pack"))
	}
	if err == nil {
		_, err = g.run(ctx, nil, "prune-packed", "--quiet")
	}
	return err
}
