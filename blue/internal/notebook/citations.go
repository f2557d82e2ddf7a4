package notebook

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"blue/blue/internal/anchor"
	"blue/blue/internal/corpus"
	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/errors"
)

// Limits of citations.
const (
	citedSize   = 1 << 20  // bytes of a file that can be cited in part
	textsHeld   = 16 << 20 // bytes of file contents kept for one reply
	linesSought = 400_000  // lines searched per note for cited parts that have moved
)

// renamePatience bounds the time that git spends on finding renamed files for one answer.
const renamePatience = time.Second

// citedFiles returns the files that notes cite. It does not look for renamed files, which would
// start git.
func (nb *Notebook) citedFiles() *citations { return newCitations(nb.Found.Root, nil) }

// followedFiles returns [Notebook.citedFiles] that follow renamed files with git.
func (nb *Notebook) followedFiles() *citations {
	left := renamePatience
	return newCitations(nb.Found.Root, func(paths []string) map[string]string {
		if left <= 0 || git.FindCheckout(nb.Found.Root).Top == "" {
			return nil
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), left)
		defer cancel()
		now, err := git.Renamed(ctx, nb.Found.Root, paths, func(name string) bool { return git.IsMissing(nb.Found.Root, name) })
		nb.warnOfGit(err)
		left -= time.Since(began)
		return now
	})
}

// warnOfGit makes the results of this call say that git did not answer.
func (nb *Notebook) warnOfGit(err error) {
	if err != nil && nb.gitTrouble == "" {
		nb.gitTrouble = errors.Of(err).Message
		nb.o.Log.Warn("git not run", "project", nb.Found.Root, "err", err)
	}
}

// citations provides the files of a project to one reply.
type citations struct {
	root    string
	renamed func(paths []string) (now map[string]string)
	names   map[string]string // results of renamed
	texts   map[string]anchor.Lines
	held    int
	sought  int           // lines searched for the current note
	said    func() string // what the current note says
	codes   map[string]*anchor.Code
}

// newCitations returns the files below a root. If root is "", no file can be read, and files are
// cited as named. The function renamed returns the current names of files that no longer exist; it
// is nil if renames are not followed.
func newCitations(root string, renamed func(paths []string) (now map[string]string)) *citations {
	return &citations{root: root, renamed: renamed, names: map[string]string{}, texts: map[string]anchor.Lines{}, codes: map[string]*anchor.Code{}}
}

// cite converts references into citations with the current hash of each file or part, for a note that
// says this. It cites the parts of a file that the note names in place of the file. It rejects paths that
// lead out of the project and parts that a file does not have. It accepts missing files, because a note
// may refer to a file that does not exist yet.
func (f *citations) cite(refs []string, said string) (cited []note.Cited, told cites, err error) {
	for _, ref := range note.CleanWords(refs) {
		if cited, err = f.citeOne(cited, &told, ref, said); err != nil {
			return nil, told, err
		}
	}
	return cited, told, nil
}

// cites is what a reply says about the files that were cited.
type cites struct {
	warnings []string
	parts    []string // cited because the note names them
}

func (f *citations) citeOne(cited []note.Cited, told *cites, ref, said string) ([]note.Cited, error) {
	file, ok := git.Relative(ref, f.root)
	if !ok {
		return nil, errors.BadFile(ref, "is outside the project")
	}
	if f.root == "" {
		return append(cited, note.Cited{Path: file}), nil
	}
	if at := strings.LastIndexByte(ref, '#'); at > 0 && at+1 < len(ref) && f.isMissing(file) {
		if whole, ok := git.Relative(ref[:at], f.root); ok && !git.IsMissing(f.root, whole) {
			c, err := f.citeSpan(told, whole, ref[at+1:], "")
			return append(cited, c), err
		}
	}
	var parts []string
	if text, ok := f.text(file); ok {
		parts = text.NamedIn(said, file)
	}
	for _, part := range parts {
		c, err := f.citeSpan(told, file, part, said)
		if err != nil {
			return nil, err
		}
		cited, told.parts = append(cited, c), append(told.parts, c.Ref())
	}
	if len(parts) == 0 {
		cited = append(cited, f.citeWhole(told, file, said))
	}
	return cited, nil
}

func (f *citations) citeWhole(told *cites, file, said string) note.Cited {
	if f.isMissing(file) {
		told.warnings = append(told.warnings, note.ShowLabel(file, result.PathShown)+" does not exist in the project: it is cited all the same, but no reply will say that it has changed; cite it again once it is there")
	}
	c := note.Cited{Path: file, Hash: git.HashFile(f.root, file)}
	if code := f.code(file); code != nil {
		c.Sketch = code.Sketch(anchor.Span{}, said)
	}
	return c
}

// isMissing reports whether the project has no file of that name.
func (f *citations) isMissing(file string) bool { return f.root != "" && git.IsMissing(f.root, file) }

// citeSpan cites a part of a file for a note that says this. If said is empty, the caller has named the part,
// and every line of it is near the note.
func (f *citations) citeSpan(told *cites, file, span, said string) (c note.Cited, err error) {
	c = note.Cited{Path: file, Span: span, Hash: git.HashFile(f.root, file)}
	text, ok := f.text(file)
	if !ok {
		return c, errors.BadFile(c.Ref(), fmt.Sprintf("cannot be cited in part: that takes a regular file of at most %d MiB and %d lines", citedSize>>20, anchor.LineLimit))
	}
	at, count := text.Find(span)
	if lines, ok := anchor.ParseLines(span); ok && count == 0 {
		at = lines
		if c.SpanHash = text.Hash(at); c.SpanHash == "" {
			return c, errors.BadFile(c.Ref(), fmt.Sprintf("cannot be cited: the file has %s", result.Plural(text.Len(), "line")))
		}
		c.Span = lineRef(at)
	} else if count == 0 {
		return c, notDefined(c, text)
	} else {
		c.Lines, c.SpanHash = at.String(), text.Hash(at)
	}
	if code := f.code(file); code != nil {
		c.Sketch = code.Sketch(at, said)
	}
	if count > 1 {
		told.warnings = append(told.warnings, fmt.Sprintf("%s is defined %d times: the first is cited, lines %s; to cite another, name what it is defined in, or lines", note.ShowLabel(c.Ref(), result.PathShown), count, c.Lines))
	}
	return c, nil
}

// notDefined returns the error for a citation of a name that the file does not define.
func notDefined(c note.Cited, text anchor.Lines) error {
	e, near := errors.E(errors.Invalid, "cited file %s does not define %s", errors.Quote(c.Path), errors.Quote(c.Span)),
		errors.Lines(near(c.Span, text.Names()), 8, 80)
	if len(near) > 0 {
		e.Hint("", "", "names near it: "+strings.Join(near, ", "))
	}
	return e.With(map[string]any{"near": near}).
		Hint("", "", "cite lines, such as "+errors.Clip(errors.Visible(c.Path), 200)+"#L10-L42, or the whole file")
}

// near returns the known names closest to an unknown one, ignoring case.
func near(name string, known []string) []string {
	names := map[string]string{}
	for _, other := range known {
		if len(other) <= note.WordLimit {
			names[strings.ToLower(other)] = other
		}
	}
	found := errors.Near(name, slices.Sorted(maps.Keys(names))...)
	for i, lower := range found {
		found[i] = names[lower]
	}
	return found
}

func lineRef(s anchor.Span) string { return fmt.Sprintf("L%d-L%d", s.First, s.Last) }

// text returns the lines of a file; ok is false if the file is too large or not regular.
func (f *citations) text(file string) (text anchor.Lines, ok bool) {
	if text, ok = f.texts[file]; ok {
		return text, text.Len() > 0
	}
	content, ok := git.ReadFile(f.root, file, citedSize)
	if ok = ok && bytes.Count(content, []byte("\n")) < anchor.LineLimit; ok {
		text = anchor.Split(file, string(content))
	}
	if f.held += len(content); f.held > textsHeld {
		clear(f.texts)
		clear(f.codes)
		f.held = len(content)
	}
	f.texts[file] = text
	return text, ok
}

// code returns the code of a file, or nil if it cannot be read or is no text.
func (f *citations) code(file string) *anchor.Code {
	if c, ok := f.codes[file]; ok {
		return c
	}
	text, ok := f.text(file)
	if !ok {
		return nil
	}
	var c *anchor.Code
	if _, all := text.Text(anchor.Span{First: 1, Last: text.Len()}); !strings.Contains(all, "\x00") {
		c = anchor.NewCode(corpus.CodeLines(file, all))
	}
	f.codes[file] = c
	return c
}

// says returns a function that reads the text of a note once.
func (nb *Notebook) says(row index.Row) func() string {
	return sync.OnceValue(func() string {
		data, _, _ := nb.store.Read(row.Name) // without it a change counts by its size
		n := note.ParseText(row.Name, data)
		return n.Says()
	})
}

// check returns the citations as a reply shows them, each with the changes to the file or part. It calls
// said for what the note says if a file has changed.
func (f *citations) check(cited []note.Cited, said func() string) []note.Cited {
	f.sought, f.said = 0, said
	f.seek(cited[:min(len(cited), note.ListLimit)])
	out := make([]note.Cited, len(cited))
	for i, c := range cited {
		if i < note.ListLimit {
			c, _ = f.follow(c)
		}
		hash := c.Hash
		if c.Span != "" {
			hash = c.SpanHash
		}
		out[i] = note.Cited{Path: note.ShowLabel(c.Ref(), result.PathShown), Hash: note.ShowWord(hash),
			Changed: c.Changed, Differ: c.Differ, Of: c.Of, Gone: c.Gone, Now: note.ShowLabel(c.Now, result.PathShown)}
	}
	return out
}

// follow returns a citation with the changes to its file or part, and the current name of the file.
func (f *citations) follow(c note.Cited) (now note.Cited, file string) {
	if f.root == "" || c.Hash == "" && c.SpanHash == "" {
		return c, c.Path
	}
	now, there := f.compare(c, c.Path)
	if there || !git.IsMissing(f.root, c.Path) {
		return now, c.Path
	}
	if file = f.names[c.Path]; file == "" {
		now.Gone = true
		return now, c.Path
	}
	now, _ = f.compare(c, file)
	if now.Now == "" {
		now.Now = note.Cited{Path: file, Span: c.Span}.Ref()
	}
	return now, file
}

// compare returns a citation with whether it has changed in a file, and the current lines of the
// part if it has moved; there is false if the file cannot be read.
func (f *citations) compare(c note.Cited, file string) (now note.Cited, there bool) {
	if c.Span == "" || c.SpanHash == "" {
		hash := git.HashFile(f.root, file)
		if c.Hash != "" && hash != strings.ToLower(c.Hash) {
			f.judge(&c, file, anchor.Span{})
		}
		return c, hash != ""
	}
	text, there := f.text(file)
	was, at := f.find(&c, file, text)
	if !c.Changed && at != was {
		c.Now = note.Cited{Path: file, Span: lineRef(at)}.Ref()
	}
	return c, there
}

// find returns the former lines of a part, and its current lines, and judges what has changed in
// it. Beyond a limit for each note, what is not in its place has changed.
func (f *citations) find(c *note.Cited, file string, text anchor.Lines) (was, now anchor.Span) {
	was, _ = anchor.ParseLines(cmp.Or(c.Lines, c.Span))
	want := strings.ToLower(c.SpanHash)
	if text.Hash(was) == want {
		return was, was
	}
	if f.sought += text.Len(); f.sought > linesSought {
		c.Changed = true
		return was, now
	}
	if c.Lines != "" {
		if now, _ = text.Find(c.Span); text.Hash(now) == want {
			return was, now
		}
	}
	if moved, ok := text.Seek(want, was); ok {
		return was, moved
	}
	if now.First == 0 && was.Last <= text.Len() && c.Lines == "" {
		now = was
	}
	f.judge(c, file, now)
	return was, now
}

// judge sets whether the change of a cited text counts, by its sketch: if a line differs that is near the
// note, or more than half of the lines do, or a fifth in a whole file without near lines. In a part that the
// caller has cited every line is near. Without a sketch every change counts.
func (f *citations) judge(c *note.Cited, file string, at anchor.Span) {
	c.Changed = true
	code := f.code(file)
	if code == nil || c.Sketch == "" || c.Span != "" && at.First == 0 {
		return
	}
	change, ok := code.ChangeSince(c.Sketch, at, f.said())
	if !ok {
		return
	}
	large := 2*change.Lines > change.Of || 5*change.Lines > change.Of && c.Span == "" && !change.Aimed
	c.Changed, c.Differ, c.Of = large || change.Near, change.Lines, change.Of
}

// current returns the lines of a cited file as they are now, which of them were cited, and whether
// these are not what was cited. Of a part that is gone the span is empty.
func (f *citations) current(c note.Cited, said func() string) (lines anchor.Lines, at anchor.Span, changed bool) {
	file := cmp.Or(f.names[c.Path], c.Path)
	lines, ok := f.text(file)
	if !ok || c.Span == "" {
		return lines, at, c.SpanHash != ""
	}
	f.sought, f.said = 0, said
	was, at := f.find(&c, file, lines)
	if at.First == 0 {
		at, _ = lines.Find(c.Span)
	}
	if at.First == 0 && was.Last <= lines.Len() {
		at = was
	}
	return lines, at, c.Changed
}

// seek looks up the current names of all cited files that are missing, in one call.
func (f *citations) seek(cited []note.Cited) {
	if f.renamed == nil {
		return
	}
	var gone []string
	for _, c := range cited {
		_, asked := f.names[c.Path]
		if !asked && (c.Hash != "" || c.SpanHash != "") && filepath.IsLocal(filepath.FromSlash(c.Path)) && git.IsMissing(f.root, c.Path) {
			f.names[c.Path] = ""
			gone = append(gone, c.Path)
		}
	}
	if len(gone) > 0 {
		maps.Copy(f.names, f.renamed(gone))
	}
}

// renew updates citations of a note that says this to the current name, lines and hash. A file that no
// longer exists keeps its name, without a hash and with a warning.
func (f *citations) renew(cited []note.Cited, said string) (renewed []note.Cited, told cites, err error) {
	f.seek(cited)
	f.said = func() string { return said }
	for _, c := range cited {
		f.sought = 0
		now, file := f.follow(c)
		if now.Gone {
			renewed = append(renewed, note.Cited{Path: c.Path, Span: c.Span})
			told.warnings = append(told.warnings, note.ShowLabel(c.Ref(), result.PathShown)+" is gone: it is now cited without a hash")
			continue
		}
		again, span := note.Cited{}, c.Span
		if _, moved, _ := strings.Cut(now.Now, "#"); moved != "" && c.Lines == "" {
			span = moved // a name is kept
		}
		switch {
		case span == "":
			again = f.citeWhole(&told, file, said)
		case strings.Contains(c.Sketch, "."):
			again, err = f.citeSpan(&told, file, span, said)
		default:
			again, err = f.citeSpan(&told, file, span, "")
		}
		if err != nil {
			return nil, told, err
		}
		renewed = append(renewed, again)
	}
	return renewed, told, nil
}
