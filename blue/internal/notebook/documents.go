package notebook

import (
	"context"

	"blue/blue/internal/corpus"
	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/errors"
)

// shelves returns the documents, commits and code of the project.
func (nb *Notebook) shelves() corpus.Corpus {
	tree := nb.workTree()
	return corpus.Corpus{
		Root: nb.Found.Root, Tree: tree, Sources: nb.Found.Shelves, Cache: nb.o.IndexDir(nb.Found.ID, tree),
		Superseded: nb.index.SupersededDocuments, Home: nb.o.Home, Git: nb.o.gitSettings(), Server: nb.isServed(), Now: nb.o.Now, Log: nb.o.Log, Indexes: &nb.corpus,
	}
}

// CountShelves counts the documents and commits of the project. Both are nil on a server.
func (nb *Notebook) CountShelves(ctx context.Context) (documents, commits *result.Shelf) {
	if nb.Found.Root == "" {
		return nil, nil
	}
	return nb.shelves().Count(ctx)
}

// ProposeSearch proposes a search of the documents and commits. The proposal is empty if there
// are none.
func (nb *Notebook) ProposeSearch(ctx context.Context) string { return nb.shelves().Propose(ctx) }

// ListDocuments lists the documents below a directory of the project, the root if dir is
// empty, without the first skip entries of that directory.
func (nb *Notebook) ListDocuments(ctx context.Context, dir string, skip int) (d result.Documents, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return d, err
	}
	d, err = nb.shelves().Browse(ctx, dir, skip)
	about := nb.About()
	about.Reading = d.Reading
	d.About = about
	return d, err
}

// ReadDocument reads one document. A reference names it as for [Notebook.Read].
func (nb *Notebook) ReadDocument(ctx context.Context, ref string) (d result.Document, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return d, err
	}
	shelves := nb.shelves()
	name, _, err := shelves.FindDocument(ctx, ref, nb.isNoteFile)
	if err == nil && name == "" {
		err = errors.NoDocument(ref, "there is none of that name")
	}
	if err != nil {
		return d, err
	}
	d, err = shelves.ShowDocument(ctx, name)
	if by, ok := nb.index.SupersededDocuments()[name]; ok {
		d.Status, d.By = note.Superseded, note.ShowTitle(by.ID)
	}
	d.About = nb.About()
	return d, err
}

// HasDocument reports whether a path, from the top of the project, is that of a document. It
// does not look at the files again.
func (nb *Notebook) HasDocument(name string) bool {
	_, ok := nb.shelves().Title(name)
	return ok
}

// findSupersededDocument returns the path of the document that ref names. The path is empty if
// ref is not a path; the error says why a path names no document.
func (nb *Notebook) findSupersededDocument(ref string) (path string, err error) {
	shelves := nb.shelves()
	path, section, err := shelves.FindDocument(context.Background(), ref, nb.isNoteFile)
	switch {
	case err != nil || !corpus.IsPath(ref):
	case section != "":
		return "", errors.BadValue("supersedes", ref, "the path of the whole document, "+path)
	case path != "":
	case nb.Found.Root == "":
		err = errors.NoDocument(ref, "a server has none")
	case shelves.Sources.NoDocuments:
		err = errors.NoDocument(ref, "the key sources of project.yaml leaves documents out")
	default:
		err = errors.NoDocument(ref, "the project has no such file").Hint("", "", "give its path from the root of the project, or the id of a note")
	}
	return path, err
}
