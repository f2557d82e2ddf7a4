package notebook

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/deliveries"
	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/notesync"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
)

// Reading says which notes to read, and how much of them.
type Reading struct {
	ID        string   `json:"id,omitempty" jsonschema:"id, docs/x.md#part or commit 3f2a9c1"`
	IDs       []string `json:"ids,omitempty"`
	Section   string   `json:"section,omitempty" jsonschema:"only this heading"`
	Revision  string   `json:"revision,omitempty" jsonschema:"an earlier revision"`
	Code      bool     `json:"code,omitempty" jsonschema:"add the cited lines"`
	MaxTokens int      `json:"max_tokens,omitempty"`
	Cursor    string   `json:"cursor,omitempty"`
	Whole     bool     `json:"-"` // no bound: the terminal prints the whole note

	files *citations // files that the notes cite
}

// Read returns as much of the notes as fits. The cursor continues with the rest.
func (nb *Notebook) Read(ctx context.Context, r Reading) (page result.Page, err error) {
	defer nb.NameProject(&err)
	refs, err := r.askedIDs()
	if err != nil {
		return page, err
	}
	call := strings.Join(append(refs, r.Section, r.Revision), "\x00")
	at, err := result.ReadCursor(r.Cursor, call, 2)
	if err != nil {
		return page, err
	}
	room, err := result.Room(cmp.Or(r.MaxTokens, result.ReadTokens))
	if err != nil {
		return page, err
	}
	if r.Whole {
		room = int(^uint(0) >> 1)
	}
	if err := nb.refresh(ctx); err != nil {
		return page, err
	}
	r.files = nb.followedFiles()
	notes, missing, err := nb.readNotes(ctx, refs, r)
	if err != nil {
		return page, err
	}
	if r.Cursor == "" {
		var ids []string
		for _, n := range notes {
			if !n.ReadOnly() {
				ids = append(ids, n.ID)
			}
		}
		nb.recordUse(deliveries.Read, ids)
	}
	page = result.Page{About: nb.About(), Notes: []result.Note{}}
	page.Missing, _ = result.ShowLabels(missing, note.WordLimit, result.TailRoom)
	page.Fill(notes, at, room)
	if page.More > 0 {
		page.Cursor = result.MakeCursor(call, page.NextPlace(at)...)
	}
	return page, nil
}

// askedIDs returns the ids of the notes that are asked for.
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

// readNotes reads each note. If several are asked for, some may be missing.
func (nb *Notebook) readNotes(ctx context.Context, refs []string, r Reading) (notes []result.Note, missing []string, err error) {
	for _, ref := range refs {
		n, err := nb.readRef(ctx, ref, r)
		if errors.Is(err, errors.NotFound) && len(refs) > 1 {
			missing = append(missing, ref)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		notes = append(notes, n)
	}
	if slices.ContainsFunc(notes, func(n result.Note) bool { return n.Private }) {
		if err := nb.store.RecordPrivate("read"); err != nil {
			return nil, nil, err
		}
	}
	if len(notes) == 0 {
		return nil, nil, errors.NoNote(refs[0], nb.index.NearestIDs(refs[0])...)
	}
	return notes, missing, nil
}

// readRef reads what a reference names: a commit, a document, or else a note. A hash alone is that of a
// commit if no note has an id that begins so.
func (nb *Notebook) readRef(ctx context.Context, ref string, r Reading) (result.Note, error) {
	hash, isCommit := git.ParseRef(ref)
	shelves := nb.shelves()
	name, section, err := shelves.FindDocument(ctx, ref, nb.isNoteFile)
	switch {
	case err != nil:
		return result.Note{}, err
	case (isCommit || name != "") && r.Revision != "":
		return result.Note{}, errors.NoRevision(ref, r.Revision)
	case isCommit:
		return shelves.ReadCommit(ctx, hash)
	case name != "":
		return nb.readDocument(name, cmp.Or(r.Section, section))
	}
	n, err := nb.readNote(ctx, ref, r)
	if hash, ok := git.ParseHash(ref); ok && r.Revision == "" && errors.Is(err, errors.NotFound) {
		if commit, unknown := shelves.ReadCommit(ctx, hash); unknown == nil {
			return commit, nil
		}
	}
	return n, err
}

// readDocument reads a document, and adds which notes supersede it or link to it.
func (nb *Notebook) readDocument(name, section string) (result.Note, error) {
	n, err := nb.shelves().ReadDocument(name, section)
	if by, ok := nb.index.SupersededDocuments()[name]; ok {
		n.Status, n.By = note.Superseded, note.ShowTitle(by.ID)
	}
	for _, from := range nb.index.LinkingTo(index.Row{ID: name}) {
		n.Backlinks = append(n.Backlinks, result.Link{ID: from.ID, Title: note.ShowTitle(from.Title)})
	}
	return n, err
}

func (nb *Notebook) readNote(ctx context.Context, ref string, r Reading) (result.Note, error) {
	row, err := nb.findNote(ref)
	if errors.Is(err, errors.NotFound) && nb.Found.Notebook {
		if n := nb.readOfBranch(ctx, ref, r); n.OfBranch {
			return n, nil
		}
	}
	if err != nil {
		return result.Note{}, err
	}
	data, revision, err := nb.store.Read(row.Name)
	if err != nil {
		return result.Note{}, err
	}
	past, err := nb.store.Revisions(row.Name)
	if err != nil && !nb.left.LeaveOut("history/"+row.ID, err) {
		return result.Note{}, err
	}
	if r.Revision != "" && r.Revision != revision {
		if data, err = nb.store.ReadPast(row.Name, r.Revision); err != nil {
			return result.Note{}, errors.NoRevision(row.ID, r.Revision)
		}
		revision = r.Revision
	}
	n := viewer{nb, r.files, false}.note(ctx, row, data, nb.index.LinkingTo(row))
	for _, rev := range past {
		n.Revisions = append(n.Revisions, rev.Revision)
	}
	if r.Code {
		n.Code = quote(r.files, note.ParseText(row.Name, data))
	}
	n.Path, n.Revision = nb.pathOf(row.Name), revision
	n.Conflicts = nb.index.Conflicts(row.ID)
	if by, ok := nb.index.Successor(row); ok {
		n.Status, n.By = note.Superseded, note.ShowTitle(by.ID)
	}
	if r.Section != "" {
		section, headings, ok := note.FindSection(n.Body, r.Section)
		if !ok {
			return result.Note{}, errors.NoSection(row.ID, r.Section, headings...)
		}
		n.Body = section
	}
	return n, nil
}

// readOfBranch returns a note of the checked-out commit that the notebook does not know.
func (nb *Notebook) readOfBranch(ctx context.Context, ref string, r Reading) (n result.Note) {
	id := note.BareID(nb.trimPath(ref))
	_ = nb.replica().EachLeftover(ctx, func(one notesync.Leftover) error {
		if one.Known || note.IDOf(one.Name) != id {
			return nil
		}
		if data, err := one.Text(); err == nil {
			n = viewer{nb, r.files, false}.note(ctx, index.Row{Name: one.Name, ID: id}, data, nil)
			n.Revision, n.OfBranch = store.Revision(data), true
		}
		return nil
	})
	return n
}

// linkedDocuments returns the commits and documents that links mean, by the words of the links. A
// document does not count as missing if that is not known.
func (nb *Notebook) linkedDocuments(ctx context.Context, words []string) map[string]result.Link {
	shelves := nb.shelves()
	links := shelves.LinkCommits(ctx, words)
	var paths []string
	for _, word := range words {
		if nb.mayBeDocument(word) {
			paths = append(paths, word)
		}
	}
	found, unknown := shelves.FindDocuments(ctx, paths)
	maps.Copy(links, found)
	for _, path := range paths {
		if _, ok := found[path]; !ok && unknown != "" && len(nb.linkedNotes(path)) == 0 {
			links[path] = result.Link{ID: note.ShowTitle(path)}
		}
	}
	return links
}

// goneForGood labels a cited file that no longer exists under any name git knows.
const goneForGood = "gone"

// severalShown is the number of notes that are named for an ambiguous link.
const severalShown = 3

// viewer renders the notes of a project for a reader.
type viewer struct {
	nb     *Notebook
	files  *citations
	public bool // leave out private notes
}

// hides reports whether the reader must not learn of a note.
func (v viewer) hides(row index.Row) bool { return v.public && note.IsPrivate(row.Name) }

// note returns a note with everything that is known about it, safe to show. It leaves out links
// from and to hidden notes.
func (v viewer) note(ctx context.Context, row index.Row, data []byte, linking []index.Row) result.Note {
	n := note.ParseText(row.Name, data)
	body, hidden := note.CountHidden(n.Body)
	out := result.Note{
		ID: row.ID, Path: ".blue/" + row.Name, Title: note.ShowTitle(n.Title), Type: note.ShowWord(n.Type), Tags: result.ShowWords(n.Tags, note.WordLimit),
		Author: note.ShowWord(n.Author), Status: note.ShowWord(n.Status), Supersedes: result.ShowWords(n.Supersedes, note.TitleLimit), Verified: note.ShowWord(n.Verified), Files: v.files.check(n.Files, n.Says),
		Body: body, Hidden: hidden, Revisions: []string{}, Links: []result.Link{}, Backlinks: []result.Link{},
		Private: note.IsPrivate(row.Name), Problem: note.ShowLabel(n.Problem, note.ProblemLimit), Conflicted: n.Conflicted,
	}
	if !n.Created.IsZero() {
		out.Created = n.Created.Format(time.RFC3339)
	}
	if out.Evidence = result.DescribeEvidence(out.Files, goneForGood); out.Evidence != "" {
		out.Age = result.FormatAge(row.Time, v.nb.o.Now())
	}
	v.addLinks(ctx, &out, n.Body)
	for _, from := range linking {
		if !v.hides(from) {
			out.Backlinks = append(out.Backlinks, result.Link{ID: from.ID, Title: note.ShowTitle(from.Title)})
		}
	}
	return out
}

// addLinks adds what the links of a body mean, each note, commit and document once.
func (v viewer) addLinks(ctx context.Context, out *result.Note, body string) {
	var words []string
	for _, link := range note.FindLinks(body) {
		words = append(words, link.ID)
	}
	found, added := v.nb.linkedDocuments(ctx, words), map[string]bool{}
	for _, to := range words {
		link, ok := found[to]
		if !ok {
			link = v.link(to)
		}
		if link.Missing || !added[link.ID] {
			out.Links = append(out.Links, link)
		}
		added[link.ID] = added[link.ID] || !link.Missing
	}
}

// link returns the note that the words of a link mean.
func (v viewer) link(to string) result.Link {
	rows := slices.DeleteFunc(v.nb.linkedNotes(to), v.hides)
	if len(rows) == 1 {
		return result.Link{ID: rows[0].ID, Title: note.ShowTitle(rows[0].Title)}
	}
	var several []string
	for _, row := range rows[:min(len(rows), severalShown)] {
		several = append(several, row.ID)
	}
	return result.Link{ID: note.ShowTitle(to), Missing: true, Several: result.ShowWords(several, note.TitleLimit)}
}
