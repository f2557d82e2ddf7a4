package blue

import (
	"cmp"
	"context"
	"maps"
	"strings"

	"blue/blue/internal/anchor"
	"blue/blue/internal/deliveries"
	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/notesync"
	"blue/blue/internal/reply"
	"blue/blue/internal/shown"
	"blue/blue/internal/store"
	"blue/errors"
)

// Reading says which notes to read, and how much of them.
type Reading struct {
	ID        string   `json:"id,omitempty" jsonschema:"id, docs/x.md#part or commit 3f2a9c1"`
	IDs       []string `json:"ids,omitempty"`
	Section   string   `json:"section,omitempty" jsonschema:"only this heading"`
	Revision  string   `json:"revision,omitempty" jsonschema:"an earlier revision"`
	MaxTokens int      `json:"max_tokens,omitempty"`
	Cursor    string   `json:"cursor,omitempty"`
	Whole     bool     `json:"-"` // no bound: the terminal prints the whole note

	files *anchor.Files // that the notes cite
}

// Page is the answer to a reading.
type Page = reply.Page

// Note is one note as it is read.
type Note = reply.Note

// Link is a note that links, or is linked to.
type Link = reply.Link

// LeftOut counts what has no room in a reply about a note.
type LeftOut = reply.LeftOut

// Read returns notes, as much of them as fits; the rest is had with the cursor.
func (p *Project) Read(ctx context.Context, r Reading) (page Page, err error) {
	defer p.NameProject(&err)
	refs, err := r.askedIDs()
	if err != nil {
		return page, err
	}
	call := strings.Join(append(refs, r.Section, r.Revision), "\x00")
	at, err := reply.ReadCursor(r.Cursor, call, 2)
	if err != nil {
		return page, err
	}
	room, err := reply.Room(cmp.Or(r.MaxTokens, reply.ReadTokens))
	if err != nil {
		return page, err
	}
	if r.Whole {
		room = int(^uint(0) >> 1)
	}
	if err := p.refresh(ctx); err != nil {
		return page, err
	}
	r.files = p.followedFiles()
	notes, missing, err := p.readNotes(ctx, refs, r)
	if err != nil {
		return page, err
	}
	if r.Cursor == "" {
		var ids []string
		for _, n := range notes {
			if !n.Beside() {
				ids = append(ids, n.ID)
			}
		}
		p.recordUse(deliveries.Read, ids)
	}
	page = Page{About: p.About(), Notes: []Note{}}
	page.Missing, _ = reply.ShowLabels(missing, note.WordLimit, reply.TailRoom)
	page.Fill(notes, at, room)
	if page.More > 0 {
		page.Cursor = reply.MakeCursor(call, page.NextPlace(at)...)
	}
	return page, nil
}

// askedIDs returns the notes asked for.
func (r Reading) askedIDs() ([]string, error) {
	switch {
	case r.ID != "" && len(r.IDs) > 0:
		return nil, errors.Exclusive("id", "ids")
	case r.ID != "":
		return []string{r.ID}, nil
	case len(r.IDs) > note.ListLimit:
		return nil, errors.TooLong("ids", len(r.IDs), note.ListLimit, "entries")
	case len(r.IDs) > 0 && r.Revision == "":
		return r.IDs, nil
	case len(r.IDs) > 0:
		return nil, errors.Exclusive("ids", "revision")
	}
	return nil, errors.Missing("id", "give the id of a note").Hint("list", "", "see the ids")
}

// readNotes reads each note; of several asked for, some may be missing.
func (p *Project) readNotes(ctx context.Context, refs []string, r Reading) (notes []Note, missing []string, err error) {
	for _, ref := range refs {
		n, err := p.readRef(ctx, ref, r)
		if errors.Is(err, errors.NotFound) && len(refs) > 1 {
			missing = append(missing, ref)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if !n.OfBranch {
			p.showPath(&n.Path)
		}
		notes = append(notes, n)
	}
	if len(notes) == 0 {
		return nil, nil, errors.NoNote(refs[0], p.index.NearestIDs(refs[0])...)
	}
	return notes, missing, nil
}

// readRef reads what a reference names: a commit, a document, or else a note.
func (p *Project) readRef(ctx context.Context, ref string, r Reading) (Note, error) {
	hash, isCommit := git.ParseRef(ref)
	beside := p.beside()
	name, section, err := beside.FindDocument(ctx, ref, p.isNoteFile)
	switch {
	case err != nil:
		return Note{}, err
	case (isCommit || name != "") && r.Revision != "":
		return Note{}, errors.NoRevision(ref, r.Revision)
	case isCommit:
		return beside.ReadCommit(ctx, hash)
	case name != "":
		return p.readDocument(name, cmp.Or(r.Section, section))
	}
	return p.readNote(ctx, ref, r)
}

// readDocument reads a document, with what the notes say of it.
func (p *Project) readDocument(name, section string) (Note, error) {
	n, err := p.beside().ReadDocument(name, section)
	if by, ok := p.superseded()[name]; ok {
		n.Status, n.By = note.Superseded, note.ShowTitle(by.ID)
	}
	for _, from := range p.index.LinkingTo(index.Row{ID: name}) {
		n.Backlinks = append(n.Backlinks, Link{ID: from.ID, Title: note.ShowTitle(from.Title)})
	}
	return n, err
}

func (p *Project) readNote(ctx context.Context, ref string, r Reading) (Note, error) {
	row, err := p.findNote(ref)
	if errors.Is(err, errors.NotFound) && p.found.Notebook {
		if n := p.readOfBranch(ctx, ref, r); n.OfBranch {
			return n, nil
		}
	}
	if err != nil {
		return Note{}, err
	}
	data, revision, err := p.store.Read(row.Name)
	if err != nil {
		return Note{}, err
	}
	past, err := p.store.Revisions(row.Name)
	if err != nil && !p.left.LeaveOut("history/"+row.ID, err) {
		return Note{}, err
	}
	if r.Revision != "" && r.Revision != revision {
		if data, err = p.store.ReadPast(row.Name, r.Revision); err != nil {
			return Note{}, errors.NoRevision(row.ID, r.Revision)
		}
		revision = r.Revision
	}
	n := p.view(ctx, func(index.Row) bool { return true }, r.files).Note(row, data, p.index.LinkingTo(row))
	for _, rev := range past {
		n.Revisions = append(n.Revisions, rev.Revision)
	}
	n.Revision = revision
	n.Conflicts = p.index.Conflicts(row.ID)
	if by, ok := p.index.Row(p.index.SuccessorName(row)); ok {
		n.By = note.ShowTitle(by.ID)
	}
	if r.Section != "" {
		section, headings, ok := note.FindSection(n.Body, r.Section)
		if !ok {
			return Note{}, errors.NoSection(row.ID, r.Section, headings...)
		}
		n.Body = section
	}
	return n, nil
}

// readOfBranch returns a note of the commit that is checked out, from before the notebook, which
// does not know it.
func (p *Project) readOfBranch(ctx context.Context, ref string, r Reading) (n Note) {
	id := note.BareID(p.trimPath(ref))
	_ = p.replica().EachLeftover(ctx, func(l notesync.Leftover) error {
		if l.Known || note.IDOf(l.Name) != id {
			return nil
		}
		if data, err := l.Text(); err == nil {
			n = p.view(ctx, func(index.Row) bool { return true }, r.files).Note(index.Row{Name: l.Name, ID: id}, data, nil)
			n.Revision, n.OfBranch = store.Revision(data), true
		}
		return nil
	})
	return n
}

// view is how the notes look to a reader who may see that the visible ones are there.
func (p *Project) view(ctx context.Context, visible func(index.Row) bool, files *anchor.Files) shown.View {
	beside := func(words []string) map[string]Link { return p.linkedBeside(ctx, words) }
	return shown.View{Visible: visible, Files: files, Linked: p.linkedNotes, Beside: beside, Now: p.b.o.Now()}
}

// linkedBeside returns the commits and documents that the words of links mean, by these words.
// Where nobody can tell, none is missing.
func (p *Project) linkedBeside(ctx context.Context, words []string) map[string]Link {
	beside := p.beside()
	links := beside.LinkCommits(ctx, words)
	var paths []string
	for _, word := range words {
		if p.mayBeDocument(word) {
			paths = append(paths, word)
		}
	}
	found, unknown := beside.FindDocuments(ctx, paths)
	maps.Copy(links, found)
	for _, path := range paths {
		if _, ok := found[path]; !ok && unknown != "" && len(p.linkedNotes(path)) == 0 {
			links[path] = Link{ID: note.ShowTitle(path)}
		}
	}
	return links
}
