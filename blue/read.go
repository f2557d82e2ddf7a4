package blue

import (
	"context"
	"fmt"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/errors"
)

// Reading says which notes to read, and how much of them.
type Reading struct {
	ID        string   `json:"id,omitempty" jsonschema:"id, unique prefix or path"`
	IDs       []string `json:"ids,omitempty" jsonschema:"several of them"`
	Section   string   `json:"section,omitempty" jsonschema:"only the part under this heading"`
	Revision  string   `json:"revision,omitempty" jsonschema:"an earlier revision"`
	MaxTokens int      `json:"max_tokens,omitempty"`
	Cursor    string   `json:"cursor,omitempty"`
	Whole     bool     `json:"-"` // no bound: the terminal prints the whole note
}

// Page is the answer to a reading.
type Page struct {
	About
	Notes   []Note   `json:"notes"`
	Missing []string `json:"missing,omitempty"` // ids of several that are no notes
	More    int      `json:"more,omitempty"`    // bytes of text that did not fit
	Cursor  string   `json:"cursor,omitempty"`  // where the rest begins

	cutLast bool // the last note is not whole
}

// Note is one note as it is read.
type Note struct {
	ID         string       `json:"id"`
	Path       string       `json:"path"`
	Title      string       `json:"title"`
	Type       string       `json:"type"`
	Tags       []string     `json:"tags"`
	Created    string       `json:"created,omitempty"`
	Author     string       `json:"author,omitempty"`
	Status     string       `json:"status"`
	Supersedes []string     `json:"supersedes,omitempty"`
	Files      []note.Cited `json:"files"`
	Body       string       `json:"body"`
	Offset     int          `json:"offset,omitempty"` // byte of the body at which this part begins
	Revision   string       `json:"revision"`
	Revisions  []string     `json:"revisions"` // earlier ones that are kept, newest first
	Links      []Link       `json:"links"`
	Backlinks  []Link       `json:"backlinks"`
	Origin     string       `json:"origin"`
	Private    bool         `json:"private,omitempty"`
	Problem    string       `json:"problem,omitempty"`           // why the front matter cannot be used
	LeftOut    LeftOut      `json:"left_out,omitzero"`           // what has no room in a reply
	Conflicted bool         `json:"conflicted,omitempty"`        // holds the conflict markers of a merge
	Hidden     int          `json:"hidden_characters,omitempty"` // shown in the body as \u{…}
}

// Link is a note that links, or is linked to.
type Link struct {
	ID      string `json:"id"`
	Title   string `json:"title,omitempty"`
	Missing bool   `json:"missing,omitempty"`
}

// Text shows the notes as a person would want to read them.
func (p Page) Text() string {
	var b strings.Builder
	for i, n := range p.Notes {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(n.render())
	}
	return b.String() + p.Tail()
}

// Tail is what Text says after the notes.
func (p Page) Tail() string {
	var b strings.Builder
	if len(p.Missing) > 0 {
		fmt.Fprintf(&b, "No such notes: %s\n", strings.Join(p.Missing, ", "))
	}
	if p.More > 0 {
		fmt.Fprintf(&b, "%d bytes more: cursor %s\n", p.More, p.Cursor)
	}
	return b.String() + p.Lines()
}

func (n Note) render() string {
	var b strings.Builder
	first, _, _ := strings.Cut(n.Body, "\n")
	if !strings.HasPrefix(strings.TrimSpace(first), "#") || note.FindTitle(first, "") != n.Title {
		fmt.Fprintf(&b, "# %s\n", n.Title)
	}
	fmt.Fprintf(&b, "id: %s", n.ID)
	if n.Type != note.TypeNote {
		fmt.Fprintf(&b, " · type: %s", n.Type)
	}
	fmt.Fprintf(&b, " · revision: %s", n.Revision)
	if n.Origin != "local" {
		fmt.Fprintf(&b, " · origin: %s", n.Origin)
	}
	b.WriteByte('\n')
	for _, fact := range n.Facts() {
		fmt.Fprintf(&b, "%s: %s\n", fact[0], fact[1])
	}
	fmt.Fprintf(&b, "\n%s\n", strings.TrimRight(n.Body, "\n"))
	return b.String()
}

// Read returns notes, as much of them as fits; the rest is had with the cursor.
func (p *Project) Read(ctx context.Context, r Reading) (page Page, err error) {
	defer p.NameProject(&err)
	refs, err := r.askedIDs()
	if err != nil {
		return page, err
	}
	call := strings.Join(append(refs, r.Section, r.Revision), "\x00")
	at, err := readCursor(r.Cursor, call, 2)
	if err != nil {
		return page, err
	}
	room, err := replyRoom(r.MaxTokens, readTokens)
	if err != nil {
		return page, err
	}
	if r.Whole {
		room = int(^uint(0) >> 1)
	}
	if err := p.refresh(ctx); err != nil {
		return page, err
	}
	notes, missing, err := p.readNotes(refs, r)
	if err != nil {
		return page, err
	}
	page = Page{About: p.About(), Notes: []Note{}}
	page.Missing, _ = showLabels(missing, note.WordLimit, tailRoom)
	page.fillPage(notes, at, room)
	if page.More > 0 {
		page.Cursor = makeCursor(call, page.nextPlace(at)...)
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
	return nil, errors.Missing("id", "give the id of a note; blue_search and blue_list name ids")
}

// readNotes reads each note; of several asked for, some may be missing.
func (p *Project) readNotes(refs []string, r Reading) (notes []Note, missing []string, err error) {
	for _, ref := range refs {
		n, err := p.readNote(ref, r)
		if errors.Is(err, errors.NotFound) && len(refs) > 1 {
			missing = append(missing, ref)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		notes = append(notes, n)
	}
	if len(notes) == 0 {
		return nil, nil, errors.NoNote(refs[0], p.nearestIDs(refs[0])...)
	}
	return notes, missing, nil
}

func (p *Project) readNote(ref string, r Reading) (Note, error) {
	row, err := p.findNote(ref)
	if err != nil {
		return Note{}, err
	}
	data, revision, err := p.store.Read(row.Name)
	if err != nil {
		return Note{}, err
	}
	past, err := p.store.Revisions(row.Name)
	if err != nil && !p.leaveOut("history/"+row.ID, err) {
		return Note{}, err
	}
	if r.Revision != "" && r.Revision != revision {
		if data, err = p.store.ReadPast(row.Name, r.Revision); err != nil {
			return Note{}, errors.NoRevision(row.ID, r.Revision)
		}
		revision = r.Revision
	}
	n := p.showNote(row, data, past, func(index.Row) bool { return true })
	n.Revision, n.Origin = revision, p.ledger.Origin(row.Name, revision)
	if r.Section != "" {
		section, headings, ok := note.FindSection(n.Body, r.Section)
		if !ok {
			return Note{}, errors.NoSection(row.ID, r.Section, headings...)
		}
		n.Body = section
	}
	return n, nil
}
