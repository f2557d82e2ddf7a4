package blue

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/commits"
	"blue/blue/internal/documents"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
	"blue/blue/internal/tree"
	"blue/blue/internal/trust"
	"blue/errors"
)

// Documents and commits are named by references: guide.md, guide.md#section, commit 3f2a9c1.

// documentPath is the path of a document that a caller names, and its section; empty when
// the words name none. A caller's words never become a path: they are looked up among the
// documents that are there.
func (p *Project) documentPath(ctx context.Context, ref string) (name, section string, err error) {
	ref, section, _ = strings.Cut(strings.TrimSpace(ref), "#")
	if !documents.IsDocument(ref) || p.isNoteFile(ref) {
		return "", "", nil
	}
	name, ok := tree.Relative(tree.Physical(ref), p.found.Root, p.workTree())
	if !ok {
		return "", "", errors.NoDocument(ref, "it is outside the project")
	}
	if p.found.Shelves.NoDocuments {
		return "", "", nil
	}
	s, err := p.shelves()
	if err != nil {
		return "", "", err
	}
	x, err := s.documents.refresh(ctx, p.checkout(), p.found.Shelves.Globs)
	if err != nil {
		return "", "", err
	}
	row, there := x.Row(name)
	if there && row.Type == kindDocument {
		return name, section, nil
	}
	if _, err := os.Lstat(filepath.Join(s.documents.root, filepath.FromSlash(name))); err != nil {
		return "", "", nil
	}
	return "", "", errors.NoDocument(name, "git ignores it, or it is one of those that blue where counts as left out")
}

// isNoteFile reports words that are the name of a note's file.
func (p *Project) isNoteFile(ref string) bool {
	word := p.trimPath(ref)
	return slices.ContainsFunc([]string{word + ".md", "notes/" + word + ".md", "private/" + word + ".md"}, func(name string) bool {
		_, ok := p.index.Row(name)
		return ok
	})
}

// readDocument reads a document, or a section of it.
func (p *Project) readDocument(name, section string) (reply.Note, error) {
	text, reason, err := documents.Read(p.workTree(), name)
	if err != nil || reason != "" {
		return reply.Note{}, errors.NoDocument(name, "it cannot be read now")
	}
	n := p.shelved(name, kindDocument, documents.Title(name, text), text)
	if section != "" {
		part, headings, ok := documents.FindSection(name, text, section)
		if !ok {
			return reply.Note{}, errors.NoSection(name, section, headings...)
		}
		n.Body, n.Hidden = note.CountHidden(part)
		n.ID += "#" + section
	}
	return n, nil
}

// shelved is what is read of a shelf, in the form of a note.
func (p *Project) shelved(ref, kind, title, text string) reply.Note {
	n := reply.Note{ID: note.ShowTitle(ref), Path: note.ShowTitle(ref), Title: note.ShowTitle(title), Type: kind, Status: note.Active, Origin: trust.Repository}
	n.Body, n.Hidden = note.CountHidden(text)
	n.Tags, n.Files, n.Revisions, n.Links, n.Backlinks = []string{}, []note.Cited{}, []string{}, []reply.Link{}, []reply.Link{}
	n.Revision = store.Revision([]byte(text))
	return n
}

// findCommit returns the subject of a commit that a note links to, empty when it is not
// known, and why it cannot be known.
func (p *Project) findCommit(ctx context.Context, hash string) (title string, ok bool, unknown string) {
	if p.found.Shelves.NoCommits {
		return "", false, "project.yaml leaves commits out"
	}
	s, err := p.shelves()
	if err != nil {
		return "", false, errors.Of(err).Message
	}
	s.commits.refresh(ctx, p.checkout(), p.patience())
	if row, ok := s.commits.find(hash); ok {
		return note.ShowTitle(row.Title), true, ""
	}
	if unknown = s.commits.describe(); unknown == "" {
		c, found := commits.Read(ctx, s.commits.tree, hash)
		title, _ = screenCommit(c)
		return note.ShowTitle(title), found, ""
	}
	return "", false, unknown
}

// commitLink is the link of a note to a commit.
func (p *Project) commitLink(hash string) reply.Link {
	title, ok, unknown := p.findCommit(context.Background(), hash)
	return reply.Link{ID: "commit " + hash, Title: title, Missing: !ok && unknown == ""}
}

// readCommit reads one commit with the files that it touched.
func (p *Project) readCommit(ctx context.Context, hash string) (reply.Note, error) {
	if p.found.Shelves.NoCommits {
		return reply.Note{}, errors.NoCommit(hash, "the key sources of project.yaml leaves commits out")
	}
	c, ok := commits.Read(ctx, p.workTree(), hash)
	if !ok {
		return reply.Note{}, errors.NoCommit(hash, "git knows none, or several")
	}
	subject, body := screenCommit(c)
	n := p.shelved(commitRef(c.Hash), kindCommit, subject, cmp.Or(body, subject))
	n.Created, n.Author, n.Revision = c.Time.Format(time.RFC3339), note.ShowWord(c.Author), c.Hash
	n.Path = "commit " + c.Hash
	for _, file := range c.Files {
		n.Files = append(n.Files, note.Cited{Path: note.ShowLabel(file, reply.PathShown)})
	}
	if c.MoreFiles > 0 {
		n.Body += fmt.Sprintf("\n\n(%d more files)", c.MoreFiles)
	}
	if c.Cut > 0 {
		n.Body += fmt.Sprintf("\n\n(%d bytes of the message left out)", c.Cut)
	}
	return n, nil
}
