package corpus

import (
	"bytes"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/errors"
	"blue/marker"
)

// workTree describes where to look for documents, or for files of code.
type workTree struct {
	Root  string   // the directory of the project
	Top   string   // top of the working tree that contains it; "" without git, and then no ignore rules apply
	Rules []string // files with ignore rules for the whole working tree, the weakest first
	Globs []string // documents match one of these, relative to the root; none means all
	Mark  string   // name of the directory that makes its parent a project
	Code  bool     // look for files of code

	Known map[string]dirState // directories as an earlier listing read them, by path
}

// takes reports whether a file of that name is looked for.
func (t workTree) takes(name string) bool {
	if t.Code {
		return languageOf(name) != nil
	}
	return isDocument(name)
}

// limit returns the maximum number of files.
func (t workTree) limit() int {
	if t.Code {
		return codeLimit
	}
	return fileLimit
}

// listedFile is a document or a directory.
type listedFile struct {
	Path string // relative to the root, with slashes
	index.Stamp
}

// listing holds the documents of a tree.
type listing struct {
	Files []listedFile
	Dirs  []string            // directories that were read, relative to the root; "." is the root
	Left  map[string]int      // number of files and of directories not entered that were left out, by reason
	Known map[string]dirState // the directories, for the next listing
	Fresh int                 // directories that were read and need not be read the next time
}

// listDocuments finds the documents of a tree, in the order of their directories. It leaves out
// files that cannot be read. The error is that of the context.
func listDocuments(ctx context.Context, t workTree) (listing, error) {
	w := walker{ctx: ctx, tree: t, listing: listing{Left: map[string]int{}, Known: map[string]dirState{}}, began: time.Now()}
	for _, text := range t.Globs {
		w.globs = append(w.globs, parseGlob(text))
	}
	if t.Top != "" {
		w.prepare()
	}
	w.walk("")
	return w.listing, ctx.Err()
}

type walker struct {
	listing
	ctx     context.Context
	tree    workTree
	globs   []glob
	scopes  []scope  // the strongest last
	above   []string // parts of the path from the top to the root of the project
	entries int
	began   time.Time
}

type scope struct {
	depth int // parts of the path from the top to that directory
	rules []rule
}

// prepare reads the ignore rules outside of the root.
func (w *walker) prepare() {
	for _, file := range w.tree.Rules {
		text, _ := marker.ReadLinked(file, rulesLimit) // the user's files may be links
		w.addScope(text, 0)
	}
	below, err := filepath.Rel(w.tree.Top, w.tree.Root)
	if err != nil || below == "." || !filepath.IsLocal(below) {
		return
	}
	w.above = strings.Split(filepath.ToSlash(below), "/")
	for i := range w.above {
		w.addRules(filepath.Join(w.tree.Top, filepath.Join(w.above[:i]...), ".gitignore"), i)
	}
}

func (w *walker) addRules(file string, depth int) {
	text, _ := marker.ReadFile(file, rulesLimit)
	w.addScope(text, depth)
}

func (w *walker) addScope(text []byte, depth int) {
	if rules := parseRules(string(text)); len(rules) > 0 {
		w.scopes = append(w.scopes, scope{depth, rules})
	}
}

// walk lists a directory, given by its slash-separated path relative to the root.
func (w *walker) walk(dir string) {
	if w.ctx.Err() != nil {
		return
	}
	d, err := w.readDirectory(path.Join(".", dir))
	if err != nil {
		w.Left[leftUnread]++
		return
	}
	if w.entries += d.Count; w.entries > entryLimit {
		w.Left[leftTooMany]++
		return
	}
	w.Known[d.Path] = d
	isRepository, isProject := findEntry(d.Entries, ".git"), findEntry(d.Entries, w.tree.Mark)
	if dir != "" && (w.tree.Top != "" && isRepository || w.tree.Mark != "" && isProject) {
		w.Left[leftNested]++
		return
	}
	w.Dirs = append(w.Dirs, d.Path)
	rules := len(w.scopes)
	if w.tree.Top != "" && findEntry(d.Entries, ".gitignore") {
		w.addRules(filepath.Join(w.tree.Root, filepath.FromSlash(dir), ".gitignore"), len(w.above)+len(partsOf(dir)))
	}
	for _, e := range d.Entries {
		if name := e[1:]; e[0] == aDirectory || w.tree.takes(name) {
			w.look(path.Join(dir, name), e[0])
		}
	}
	w.scopes = w.scopes[:rules]
}

func partsOf(name string) []string {
	if name == "" {
		return nil
	}
	return strings.Split(name, "/")
}

// look adds a document, enters a directory, or counts what it leaves out.
func (w *walker) look(name string, kind byte) {
	dir, last := kind == aDirectory, path.Base(name)
	if dir && (last == ".git" || last == w.tree.Mark) {
		return
	}
	parts := partsOf(name)
	reason := ""
	if dir || !w.tree.Code {
		reason = refuses(last, dir)
	}
	switch {
	case dir && (len(parts) > depthLimit || len(w.Files) >= w.tree.limit()):
		reason = leftTooMany
	case !w.wants(parts, dir):
		if reason = leftOtherGlob; dir {
			return
		}
	case reason == "" && w.ignored(parts, dir):
		reason = leftIgnored
	}
	switch {
	case reason != "":
		w.Left[reason]++
	case dir:
		w.walk(name)
	default:
		w.addFile(name, kind)
	}
}

// wants reports whether the globs match a document, or may match something in a directory.
func (w *walker) wants(parts []string, dir bool) bool {
	return len(w.globs) == 0 || slices.ContainsFunc(w.globs, func(g glob) bool {
		if dir {
			return g.reaches(parts)
		}
		return g.matches(parts)
	})
}

// ignored reports whether git ignores the path.
func (w *walker) ignored(parts []string, dir bool) bool {
	if len(w.scopes) == 0 {
		return false
	}
	whole := slices.Concat(w.above, parts)
	for _, s := range slices.Backward(w.scopes) {
		if ignored, decided := ignores(s.rules, whole[s.depth:], dir); decided {
			return ignored
		}
	}
	return false
}

func (w *walker) addFile(name string, kind byte) {
	if kind == aSpecial {
		w.Left[leftNoFile]++
		return
	}
	stamp, isRegular, err := stampFile(filepath.Join(w.tree.Root, filepath.FromSlash(name)))
	switch {
	case err != nil:
		w.Left[leftUnread]++
	case !isRegular:
		w.Left[leftNoFile]++
	case stamp.Size > sizeLimit:
		w.Left[leftTooLarge]++
	case len(w.Files) >= w.tree.limit():
		w.Left[leftTooMany]++
	default:
		w.Files = append(w.Files, listedFile{name, stamp})
	}
}

// readText returns the text of a document below a root, as valid UTF-8. No link leads out of the
// root, even if directories have been replaced since they were listed. The reason is not empty if
// the file is not a document.
func readText(root, name string) (text, reason string, err error) {
	data, ok := git.ReadFile(root, name, sizeLimit)
	switch {
	case !ok:
		return "", "", errors.New("the file cannot be read")
	case bytes.IndexByte(data, 0) >= 0:
		return "", leftBinary, nil
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(data), "\uFFFD"), "\ufeff"), "", nil
}
