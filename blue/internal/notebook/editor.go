package notebook

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue/internal/anchor"
	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/result"
)

// Spot is a part of a line in a file, as an editor jumps to it.
type Spot struct {
	File   string // absolute
	Line   int    // from 0
	Before string // text of the line before the part
	Within string // the part
}

// Citation is a note that cites a file that an editor shows.
type Citation struct {
	Offered
	First, Last int  // cited lines, from 1; 0 if the whole file is cited
	Changed     bool // what is cited has changed since
}

// noteAt returns the name of the note in a file, by its absolute path. There need be no such file.
func (nb *Notebook) noteAt(file string) (name string, ok bool) {
	name, ok = git.Relative(git.Physical(file), nb.Found.Notes.Dir(), git.Physical(nb.Found.Notes.Dir()))
	dir := path.Dir(name)
	return name, ok && (dir == "notes" || dir == "private") && path.Ext(name) == ".md"
}

// offer returns a note as an editor shows it.
func (nb *Notebook) offer(show presenter, row index.Row) Offered {
	shown := show.row(row)
	shown.Told = show.isTold(row)
	return Offered{Row: shown, Path: nb.absolutePath(row.Name), Name: row.Name, Size: row.Stamp.Size}
}

// Linkable returns at most most notes in force whose titles or ids hold all typed words, newest
// first, and whether there are more.
func (nb *Notebook) Linkable(ctx context.Context, typed string, most int) (notes []Offered, more bool, err error) {
	if err := nb.refresh(ctx); err != nil {
		return nil, false, err
	}
	words := strings.Fields(strings.ToLower(typed))
	rows := slices.DeleteFunc(nb.index.All(false), func(row index.Row) bool {
		text := strings.ToLower(row.Title + " " + row.ID)
		return row.Superseded || slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
	})
	show := nb.shown()
	for _, row := range rows[:min(len(rows), most)] {
		notes = append(notes, nb.offer(show, row))
	}
	return notes, len(rows) > most, nil
}

// Lead is what the word of a link may mean: notes, and the text if it is only one, or else a
// document or commit.
type Lead struct {
	result.Link // of the document or commit
	Notes       []Offered
	Body        string
	Spots       []Spot // files of these
}

// Follow returns what the word of a link may mean.
func (nb *Notebook) Follow(ctx context.Context, word string) (l Lead, err error) {
	if err := nb.refresh(ctx); err != nil {
		return l, err
	}
	rows, show := nb.linkedNotes(word), nb.shown()
	for _, row := range rows {
		l.Notes = append(l.Notes, nb.offer(show, row))
		l.Spots = append(l.Spots, Spot{File: nb.absolutePath(row.Name)})
	}
	switch len(rows) {
	case 0:
		l.Link = nb.linkedBeside(ctx, []string{word})[word]
		if name, _, err := nb.beside().FindDocument(ctx, word, nb.isNoteFile); err == nil && name != "" {
			l.Spots = append(l.Spots, Spot{File: filepath.Join(nb.workTree(), filepath.FromSlash(name))})
		}
	case 1:
		data, _, err := nb.store.Read(rows[0].Name)
		l.Body, _ = note.CountHidden(note.ParseBody(data))
		return l, err
	}
	return l, nil
}

// Backlinks returns the links to a note: the one that word means or, if word is empty, the one in
// a file.
func (nb *Notebook) Backlinks(ctx context.Context, word, file string) (found []Spot, err error) {
	if err := nb.refresh(ctx); err != nil {
		return nil, err
	}
	rows := nb.linkedNotes(word)
	if name, ok := nb.noteAt(file); ok && word == "" {
		row, _ := nb.index.Row(name)
		rows = []index.Row{row}
	}
	if len(rows) != 1 || rows[0].ID == "" {
		return nil, nil
	}
	for _, from := range nb.index.LinkingTo(rows[0]) {
		data, _, err := nb.store.Read(from.Name)
		if err != nil {
			continue // it was removed since
		}
		n := note.ParseText(from.Name, data)
		lineOf := n.BodyLines()
		for _, link := range note.AllLinks(n.Body) {
			if to := nb.linkedNotes(link.ID); len(to) == 1 && to[0].Name == rows[0].Name {
				start := strings.LastIndexByte(n.Body[:link.At], '\n') + 1
				found = append(found, Spot{nb.absolutePath(from.Name), lineOf(link.At) - 1, n.Body[start:link.At], n.Body[link.At:link.End]})
			}
		}
	}
	return found, nil
}

// CheckText returns what [Notebook.Check] would report of the text of a note, in a file with this
// absolute path.
func (nb *Notebook) CheckText(ctx context.Context, file, text string) (found []result.Issue, err error) {
	name, ok := nb.noteAt(file)
	if !ok {
		return nil, nil
	}
	if err := nb.refresh(ctx); err != nil {
		return nil, err
	}
	var c result.Checked
	for _, issue := range screenNote(name, []byte(text)) {
		c.Add(issue)
	}
	all := checker{nb: nb, cited: nb.followedFiles(), uids: map[string]string{}}
	n := note.ParseText(name, []byte(text))
	for _, row := range nb.index.OfUID(n.Identity()) {
		if row.Name < name && note.ScopeOf(row.Name) == note.ScopeOf(name) {
			all.uids[note.ScopeOf(name)+"/"+n.Identity()] = row.Name
		}
	}
	lint{&all, name, []byte(text)}.text(&c)
	all.check(ctx, &c)
	c.Sort()
	return c.Findings, nil
}

// Citations returns the notes in force that cite a file or parts of it, by its absolute path, with
// the cited lines of its text in the editor, the first lines first.
func (nb *Notebook) Citations(ctx context.Context, file, text string) (found []Citation, err error) {
	if err := nb.refresh(ctx); err != nil {
		return nil, err
	}
	show := nb.shown()
	for _, name := range nb.treeNames([]string{file}) {
		lines := anchor.Split(name, text)
		for _, row := range nb.index.Keyed(fileKey + name) {
			if row.Superseded {
				continue
			}
			for _, c := range ExtraOf(row).Files {
				if whole, part, byHand := strings.Cut(c.Path, "#"); byHand && c.Span == "" {
					c.Path, c.Span = whole, part
				}
				if c.Path == name {
					at, changed := show.cited.locate(c, lines)
					if c.Span == "" {
						changed = isStale(show.cited.check([]note.Cited{c}))
					}
					found = append(found, Citation{nb.offer(show, row), at.First, at.Last, changed})
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Citation) int { return cmp.Compare(a.First, b.First) })
	return found, nil
}

// LinkAt returns the link at a byte offset in the text of a Markdown file, with its place there. It
// is the zero value if there is none.
func (*Notebook) LinkAt(text string, at int) note.Wikilink {
	front := len(text) - len(note.ParseBody([]byte(text)))
	for _, link := range note.AllLinks(text[front:]) {
		if front+link.At-len("[[") <= at && at <= front+link.End+len("]]") {
			return note.Wikilink{ID: link.ID, At: front + link.At, End: front + link.End}
		}
	}
	return note.Wikilink{}
}

// LinkBegun returns what has been typed behind the brackets of a link that is not complete at a
// byte offset in the text of a Markdown file, outside of code.
func (*Notebook) LinkBegun(text string, at int) (typed string, ok bool) {
	front := len(text) - len(note.ParseBody([]byte(text)))
	if at < front {
		return "", false
	}
	line := text[front+strings.LastIndexByte(text[front:at], '\n')+1 : at]
	open := strings.LastIndex(line, "[[")
	if open < 0 || strings.ContainsAny(line[open+2:], "[]|#") {
		return "", false
	}
	bracket := at - len(line) + open
	return line[open+2:], note.BlankCode(text[front:])[bracket-front] == '['
}
