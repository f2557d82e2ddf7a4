package blue

import (
	"context"

	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/shelves"
	"blue/errors"
)

// Documents is a directory of the documents of a project, with what lies below it.
type Documents = reply.Documents

// Document is a document as it is read.
type Document = reply.Document

// Part is the text of a document from one heading to the next.
type Part = reply.Part

// Shelf counts documents or commits.
type Shelf = reply.Shelf

// CountBeside counts the documents and commits of the project. Both are nil on a server.
func (p *Project) CountBeside(ctx context.Context) (documents, commits *Shelf) {
	if p.hosted != nil {
		return nil, nil
	}
	return p.beside().Count(ctx)
}

// ListDocuments lists the documents below a directory of the project, the root if dir is
// empty, without the first skip entries of that directory.
func (p *Project) ListDocuments(ctx context.Context, dir string, skip int) (d Documents, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return d, err
	}
	d, err = p.beside().Browse(ctx, dir, skip)
	about := p.About()
	about.Reading = d.Reading
	d.About = about
	return d, err
}

// ReadDocument reads one document, which is found as [Project.Read] does.
func (p *Project) ReadDocument(ctx context.Context, ref string) (d Document, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return d, err
	}
	beside := p.beside()
	name, _, err := beside.FindDocument(ctx, ref, p.isNoteFile)
	if err == nil && name == "" {
		err = errors.NoDocument(ref, "there is none of that name")
	}
	if err != nil {
		return d, err
	}
	d, err = beside.ShowDocument(ctx, name)
	if by, ok := p.superseded()[name]; ok {
		d.Status, d.By = note.Superseded, note.ShowTitle(by.ID)
	}
	d.About = p.About()
	return d, err
}

// HasDocument reports whether a path, from the top of the project, is that of a document. It
// does not look at the files again.
func (p *Project) HasDocument(name string) bool { return p.beside().Has(name) }

// findSuperseded returns the path of the document that ref names. It is empty if ref is not a
// path; the error says why a path names no document.
func (p *Project) findSuperseded(ref string) (path string, err error) {
	beside := p.beside()
	path, section, err := beside.FindDocument(context.Background(), ref, p.isNoteFile)
	switch {
	case err != nil || !shelves.IsPath(ref):
	case section != "":
		return "", errors.BadValue("supersedes", ref, "the path of the whole document, "+path)
	case path != "":
	case p.hosted != nil:
		err = errors.NoDocument(ref, "a server has none")
	case beside.Sources.NoDocuments:
		err = errors.NoDocument(ref, "the key sources of project.yaml leaves documents out")
	default:
		err = errors.NoDocument(ref, "the project has no such file").Hint("", "", "give its path from the root of the project, or the id of a note")
	}
	return path, err
}
