package corpus

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blue/blue/internal/git"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
)

// References to documents and commits: docs/notes.md, docs/notes.md#where-things-lie, commit
// 3f2a9c1.

// FindDocument returns the path and section of the document that a reference names. Both are empty
// if it names none or names a note. The reference is never used as a path: it is looked up in the
// index.
func (s Corpus) FindDocument(ctx context.Context, ref string, isNote func(ref string) bool) (name, section string, err error) {
	if s.Tree == "" { // on a server, which cannot see the files of its clients
		return "", "", nil
	}
	ref, section = cutSection(strings.TrimSpace(ref))
	if !IsPath(ref) || isNote(ref) {
		return "", "", nil
	}
	name, ok := s.relative(ref)
	if !ok {
		return "", "", errors.NoDocument(ref, "it is outside the project")
	}
	if s.Sources.NoDocuments {
		return "", "", nil
	}
	p := s.open()
	x, ended := p.documents.refresh(ctx, s.checkout(), s.Sources.Globs, s.patience())
	row, there := x.Row(name)
	if there && row.Type == kindDocument {
		return name, section, nil
	}
	file := filepath.Join(s.Tree, filepath.FromSlash(name))
	if _, err := os.Lstat(file); err != nil {
		return "", "", nil
	}
	if !ended {
		_, progress := p.documents.describe(ended)
		return "", "", errors.StillReading(progress)
	}
	return "", "", errors.NoDocument(name, "git ignores it, or it is one of those that `blue where` counts as left out")
}

// IsPath reports whether a reference may be the path of a document.
func IsPath(ref string) bool {
	file, _ := cutSection(strings.TrimSpace(ref))
	return isDocument(file)
}

// relative returns the path of a file relative to the root.
func (s Corpus) relative(file string) (name string, ok bool) {
	return git.Relative(git.Physical(file), s.Root, s.Tree)
}

// FindDocuments returns the documents that link targets name, by target. unknown says why other
// targets may be documents too.
func (s Corpus) FindDocuments(ctx context.Context, words []string) (links map[string]result.Link, unknown string) {
	links = map[string]result.Link{}
	switch {
	case len(words) == 0:
		return links, ""
	case s.Tree == "":
		return links, "a server has no documents"
	case s.Sources.NoDocuments:
		return links, "project.yaml leaves documents out"
	}
	of := &s.open().documents
	x, ended := of.refresh(ctx, s.checkout(), s.Sources.Globs, s.patience())
	for _, word := range words {
		name, ok := s.relative(word)
		if row, there := x.Row(name); ok && there && row.Type == kindDocument {
			links[word] = result.Link{ID: note.ShowTitle(name), Title: note.ShowTitle(row.Title)}
		}
	}
	lacks, progress := of.describe(ended)
	return links, lacks + progress
}

// ReadDocument reads a document, or a section of it.
func (s Corpus) ReadDocument(name, section string) (result.Note, error) {
	text, err := s.readDocument(name)
	if err != nil {
		return result.Note{}, err
	}
	n := asNote(name, kindDocument, titleOf(name, text, sectionsOf(name, text)), text)
	if section != "" {
		part, headings, ok := findSection(name, text, section)
		if !ok {
			return result.Note{}, errors.NoSection(name, section, headings...)
		}
		n.Body, n.Hidden = note.CountHidden(part)
		n.ID += "#" + section
	}
	return n, nil
}

func (s Corpus) readDocument(name string) (text string, err error) {
	text, reason, err := readText(s.Tree, name)
	if err != nil || reason != "" {
		return "", errors.NoDocument(name, "it cannot be read now")
	}
	return text, nil
}

// asNote returns a document or commit in the form of a note.
func asNote(ref, kind, title, text string) result.Note {
	n := result.Note{ID: note.ShowTitle(ref), Path: note.ShowTitle(ref), Title: note.ShowTitle(title), Type: kind, Status: note.Active}
	n.Body, n.Hidden = note.CountHidden(text)
	n.Tags, n.Files, n.Revisions, n.Links, n.Backlinks = []string{}, []note.Cited{}, []string{}, []result.Link{}, []result.Link{}
	n.Revision = store.Revision([]byte(text))
	return n
}

// FindCommits returns the subjects of commits by their abbreviated hashes. unknown says why other
// hashes may be commits too. It runs git at most twice.
func (s Corpus) FindCommits(ctx context.Context, hashes []string) (titles map[string]string, unknown string) {
	switch {
	case len(hashes) == 0:
		return nil, ""
	case s.Tree == "":
		return nil, "a server has no commits"
	case s.Sources.NoCommits:
		return nil, "project.yaml leaves commits out"
	}
	p := s.open()
	ended := p.commits.refresh(ctx, s.checkout(), s.patience())
	titles = map[string]string{}
	var left []string
	for _, hash := range hashes {
		if row, ok := p.commits.find(hash); ok {
			titles[hash] = note.ShowTitle(row.Title)
		} else {
			left = append(left, hash)
		}
	}
	lacks, progress := p.commits.describe(ended)
	if unknown = lacks + progress; unknown != "" {
		return titles, unknown
	}
	if len(left) > soughtMost {
		left, unknown = left[:soughtMost], fmt.Sprintf("more than %d of them are not in the history of HEAD", soughtMost)
	}
	read, err := git.ReadCommits(ctx, s.Tree, left)
	if err != nil {
		return titles, errors.Of(err).Message
	}
	for hash, c := range read {
		title, _ := screenCommit(c)
		titles[hash] = note.ShowTitle(title)
	}
	return titles, unknown
}

// LinkCommits returns the commits that link targets name, by target.
func (s Corpus) LinkCommits(ctx context.Context, words []string) map[string]result.Link {
	links := map[string]result.Link{}
	var hashes []string
	for _, to := range words {
		if hash, ok := git.ParseRef(to); ok {
			hashes = append(hashes, hash)
			links[to] = result.Link{ID: "commit " + hash}
		}
	}
	titles, unknown := s.FindCommits(ctx, hashes)
	for to, link := range links {
		title, ok := titles[strings.TrimPrefix(link.ID, "commit ")]
		link.Title, link.Missing = title, !ok && unknown == ""
		links[to] = link
	}
	return links
}

// ReadCommit reads one commit with the files that it touched.
func (s Corpus) ReadCommit(ctx context.Context, hash string) (result.Note, error) {
	if s.Tree == "" {
		return result.Note{}, noCommit(hash, "a server has none")
	}
	if s.Sources.NoCommits {
		return result.Note{}, noCommit(hash, "the key sources of project.yaml leaves commits out")
	}
	read, err := git.ReadCommits(ctx, s.Tree, []string{hash})
	if errors.Is(err, errors.Timeout) {
		return result.Note{}, err
	}
	c, ok := read[hash]
	if !ok {
		return result.Note{}, noCommit(hash, "git knows none, or several")
	}
	subject, body := screenCommit(c)
	n := asNote(commitRef(c.Hash), kindCommit, subject, cmp.Or(body, subject))
	n.Created, n.Author, n.Revision = c.Time.Format(time.RFC3339), note.ShowWord(c.Author), c.Hash
	n.Path = "commit " + c.Hash
	for _, file := range c.Files {
		n.Files = append(n.Files, note.Cited{Path: note.ShowLabel(file, result.PathShown)})
	}
	if c.MoreFiles > 0 {
		n.Body += "\n\n(" + result.Plural(c.MoreFiles, "more file") + ")"
	}
	if c.Cut > 0 {
		n.Body += fmt.Sprintf("\n\n(%d bytes of the message left out)", c.Cut)
	}
	return n, nil
}

// noCommit returns the error for an abbreviated hash that names no commit.
func noCommit(hash, reason string) *errors.Error {
	return errors.E(errors.NotFound, "no commit %s: %s", errors.Quote(hash), reason).
		Hint("search", "WORDS --in commits", "search the messages of commits")
}
