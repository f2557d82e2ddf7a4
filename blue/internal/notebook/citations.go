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
	"time"

	"blue/blue/internal/anchor"
	"blue/blue/internal/git"
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
	sought  int // lines searched for the current note
}

// newCitations returns the files below a root. If root is "", no file can be read, and files are
// cited as named. The function renamed returns the current names of files that no longer exist; it
// is nil if renames are not followed.
func newCitations(root string, renamed func(paths []string) (now map[string]string)) *citations {
	return &citations{root: root, renamed: renamed, names: map[string]string{}, texts: map[string]anchor.Lines{}}
}

// cite converts references into citations with the current hash of each file or part. It rejects
// paths that lead out of the project and parts that a file does not have. It accepts missing files,
// because a note may refer to a file that does not exist yet. Warnings describe choices made for
// the caller.
func (f *citations) cite(refs []string) (cited []note.Cited, warnings []string, err error) {
	for _, ref := range note.CleanWords(refs) {
		c, warning, err := f.citeOne(ref)
		if err != nil {
			return nil, nil, err
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
		cited = append(cited, c)
	}
	return cited, warnings, nil
}

func (f *citations) citeOne(ref string) (c note.Cited, warning string, err error) {
	file, ok := git.Relative(ref, f.root)
	if !ok {
		return c, "", errors.BadFile(ref, "is outside the project")
	}
	if f.root == "" {
		return note.Cited{Path: file}, "", nil
	}
	if at := strings.LastIndexByte(ref, '#'); at > 0 && at+1 < len(ref) && f.isMissing(file) {
		if whole, ok := git.Relative(ref[:at], f.root); ok && !git.IsMissing(f.root, whole) {
			return f.citeSpan(whole, ref[at+1:])
		}
	}
	if f.isMissing(file) {
		warning = note.ShowLabel(file, result.PathShown) + " does not exist in the project: it is cited all the same, but no reply will say that it has changed; cite it again once it is there"
	}
	return note.Cited{Path: file, Hash: git.HashFile(f.root, file)}, warning, nil
}

// isMissing reports whether the project has no file of that name.
func (f *citations) isMissing(file string) bool { return f.root != "" && git.IsMissing(f.root, file) }

func (f *citations) citeSpan(file, span string) (c note.Cited, warning string, err error) {
	c = note.Cited{Path: file, Span: span, Hash: git.HashFile(f.root, file)}
	text, ok := f.text(file)
	if !ok {
		return c, "", errors.BadFile(c.Ref(), fmt.Sprintf("cannot be cited in part: that takes a regular file of at most %d MiB and %d lines", citedSize>>20, anchor.LineLimit))
	}
	at, count := text.Find(span)
	if lines, ok := anchor.ParseLines(span); ok && count == 0 {
		at = lines
		if c.SpanHash = text.Hash(at); c.SpanHash == "" {
			return c, "", errors.BadFile(c.Ref(), fmt.Sprintf("cannot be cited: the file has %s", result.Plural(text.Len(), "line")))
		}
		c.Span = lineRef(at)
		return c, "", nil
	}
	if count == 0 {
		e, near := errors.E(errors.Invalid, "cited file %s does not define %s", errors.Quote(file), errors.Quote(span)),
			errors.Lines(near(span, text.Names()), 8, 80)
		if len(near) > 0 {
			e.Hint("", "", "names near it: "+strings.Join(near, ", "))
		}
		return c, "", e.With(map[string]any{"near": near}).
			Hint("", "", "cite lines, such as "+errors.Clip(errors.Visible(file), 200)+"#L10-L42, or the whole file")
	}
	c.Lines, c.SpanHash = at.String(), text.Hash(at)
	if count > 1 {
		warning = fmt.Sprintf("%s is defined %d times: the first is cited, lines %s; to cite another, name what it is defined in, or lines", note.ShowLabel(c.Ref(), result.PathShown), count, c.Lines)
	}
	return c, warning, nil
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
		f.held = len(content)
	}
	f.texts[file] = text
	return text, ok
}

// check returns the citations as a reply shows them, each with the changes to the file or part.
func (f *citations) check(cited []note.Cited) []note.Cited {
	f.sought = 0
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
		out[i] = note.Cited{Path: note.ShowLabel(c.Ref(), result.PathShown), Hash: note.ShowWord(hash), Changed: c.Changed, Gone: c.Gone, Now: note.ShowLabel(c.Now, result.PathShown)}
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
		c.Changed = c.Hash != "" && hash != strings.ToLower(c.Hash)
		return c, hash != ""
	}
	text, there := f.text(file)
	was, at := f.find(c, text)
	if c.Changed = at.First == 0; !c.Changed && at != was {
		c.Now = note.Cited{Path: file, Span: lineRef(at)}.Ref()
	}
	return c, there
}

// find returns the former lines of a part, and its current lines if it is unchanged. Beyond a limit
// for each note, parts count as changed.
func (f *citations) find(c note.Cited, text anchor.Lines) (was, now anchor.Span) {
	was, _ = anchor.ParseLines(cmp.Or(c.Lines, c.Span))
	want := strings.ToLower(c.SpanHash)
	if text.Hash(was) == want {
		return was, was
	}
	if f.sought += text.Len(); f.sought > linesSought {
		return was, now
	}
	if c.Lines != "" {
		if now, _ = text.Find(c.Span); text.Hash(now) == want {
			return was, now
		}
	}
	now, _ = text.Seek(want, was)
	return was, now
}

// locate returns the lines of a text where a cited part of it is now, and whether they are not what
// was cited. They are the zero [anchor.Span] if nothing is left of the part, or if the whole file is cited.
func (f *citations) locate(c note.Cited, text anchor.Lines) (at anchor.Span, changed bool) {
	f.sought = 0
	was, at := f.find(c, text)
	if at.First == 0 {
		at, _ = text.Find(c.Span)
	}
	if at.First == 0 && was.Last <= text.Len() {
		at = was
	}
	return at, text.Hash(at) != strings.ToLower(c.SpanHash) && c.SpanHash != ""
}

// current returns the lines of a cited file as they are now, which of them were cited, and whether
// these are not what was cited. Of a part that is gone the span is empty.
func (f *citations) current(c note.Cited) (lines anchor.Lines, at anchor.Span, changed bool) {
	lines, ok := f.text(cmp.Or(f.names[c.Path], c.Path))
	if !ok {
		return lines, at, c.SpanHash != ""
	}
	at, changed = f.locate(c, lines)
	return lines, at, changed
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

// renew updates citations to the current name, lines and hash. A file that no longer exists keeps
// its name, without a hash and with a warning.
func (f *citations) renew(cited []note.Cited) (renewed []note.Cited, warnings []string, err error) {
	f.seek(cited)
	for _, c := range cited {
		f.sought = 0
		now, file := f.follow(c)
		if now.Gone {
			renewed = append(renewed, note.Cited{Path: c.Path, Span: c.Span})
			warnings = append(warnings, note.ShowLabel(c.Ref(), result.PathShown)+" is gone: it is now cited without a hash")
			continue
		}
		ref := note.Cited{Path: file, Span: c.Span}.Ref()
		if now.Now != "" && c.Lines == "" {
			ref = now.Now // lines have moved; a name is kept
		}
		again, said, err := f.cite([]string{ref})
		if err != nil {
			return nil, nil, err
		}
		renewed, warnings = append(renewed, again...), append(warnings, said...)
	}
	return renewed, warnings, nil
}
