package notebook

import (
	"cmp"
	"context"
	"strings"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/result"
	"blue/blue/internal/store"
	"blue/errors"
)

// History lists the revisions of a note that are kept, of a trashed one too.
func (nb *Notebook) History(ctx context.Context, ref string) (h result.Past, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return h, err
	}
	row, trashed, err := nb.findAnywhere(ref)
	if err != nil {
		return h, err
	}
	h = result.Past{About: nb.About(), ID: row.ID, Trashed: trashed, Revisions: []result.Revised{}}
	if !trashed {
		h.Revisions = append(h.Revisions, result.Revised{Revision: row.Revision, Saved: result.FormatTime(time.Unix(0, row.Stamp.ModTime)), Size: row.Stamp.Size, Current: true})
	}
	former, err := nb.store.Revisions(row.Name)
	for _, rev := range former {
		h.Revisions = append(h.Revisions, result.Revised{Revision: rev.Revision, Saved: result.FormatTime(rev.Time), Size: rev.Size})
	}
	var r activity
	changes, _ := nb.store.Journal() // without them nobody is known
	r.addChanges(changes)
	for i := range h.Revisions {
		v := &h.Revisions[i]
		isFirst := i == len(h.Revisions)-1
		by := r.By(row.Name, v.Revision, isFirst)
		if isFirst {
			by.Author = cmp.Or(by.Author, ExtraOf(row).Author)
		}
		v.Author, v.Client = note.ShowWord(cmp.Or(by.Author, result.Unknown)), note.ShowWord(by.Client)
	}
	return h, err
}

// findAnywhere returns the note of a reference, else the trashed one, of which it knows only name
// and id.
func (nb *Notebook) findAnywhere(ref string) (row index.Row, trashed bool, err error) {
	row, err = nb.findNote(ref)
	if !errors.Is(err, errors.NotFound) {
		return row, false, err
	}
	name, _, ok := nb.findTrashed(ref)
	if !ok {
		return row, false, err
	}
	return index.Row{Name: name, ID: note.IDOf(name)}, true, nil
}

// Comparing names two revisions of a note, or two notes.
type Comparing struct {
	ID   string
	To   string // empty for the newest
	From string // empty for the one before To; without To it may also name another note, to compare with
}

// Compare returns the difference between two revisions of a note, trashed or not, or between two
// notes.
func (nb *Notebook) Compare(ctx context.Context, c Comparing) (out result.Compared, err error) {
	defer nb.NameProject(&err)
	h, err := nb.History(ctx, c.ID)
	if err != nil {
		return out, err
	}
	out = result.Compared{About: h.About, ID: h.ID, From: c.From, To: c.To}
	if err := out.Choose(h.Revisions); err != nil {
		if _, _, fault := nb.findAnywhere(c.From); c.From != "" && c.To == "" && fault == nil {
			return nb.compareNotes(c.ID, c.From)
		}
		return out, err
	}
	row, trashed, err := nb.findAnywhere(c.ID)
	if err != nil {
		return out, err
	}
	read := func(revision string) (text string) { // nothing before the first revision
		data, now, unread := nb.store.Read(row.Name)
		if revision == "" || err != nil {
			return ""
		}
		if trashed || unread != nil || now != revision {
			if data, err = nb.store.ReadPast(row.Name, revision); err != nil {
				err = errors.NoRevision(row.ID, revision)
			}
		}
		return note.ShowHidden(string(data))
	}
	after, before := read(out.To), read(out.From)
	out.Lines = note.DiffLines(before, after)
	return out, err
}

// compareNotes says how the text of another note differs from that of a note.
func (nb *Notebook) compareNotes(ref, other string) (out result.Compared, err error) {
	out.About = nb.About()
	read := func(ref string) (id, revision, text string) {
		var row index.Row
		var data []byte
		trashed := false
		if err == nil {
			row, trashed, err = nb.findAnywhere(ref)
		}
		switch {
		case err != nil:
		case trashed:
			data, revision, _, err = readTrashed(nb.store, row.Name)
		default:
			data, revision, err = nb.store.Read(row.Name)
		}
		return row.ID, revision, note.ShowHidden(string(data))
	}
	var before, after string
	out.ID, out.From, before = read(ref)
	out.With, out.To, after = read(other)
	out.Lines = note.DiffLines(before, after)
	return out, err
}

// wasMadeOf reports whether a file, or the trashed one of that name, was made by the request of n
// or, if it names none, whether its first revision has the title and body of n.
func wasMadeOf(from Reader, name string, n note.Text) (revision, trashed string, ok bool) {
	data, revision, err := from.Read(name)
	if errors.Is(err, errors.NotFound) {
		var file store.Trashed
		data, revision, file, err = readTrashed(from, name)
		trashed = file.File
	}
	if err != nil {
		return "", "", false
	}
	if was := note.ParseText(name, data); was.Request != "" && n.Request != "" {
		return revision, trashed, was.Request == n.Request
	}
	if past, err := from.Revisions(name); err == nil && len(past) > 0 {
		if first, err := from.ReadPast(name, past[len(past)-1].Revision); err == nil {
			data = first
		}
	}
	was := note.ParseText(name, data)
	return revision, trashed, was.Title == n.Title && strings.TrimSpace(was.Body) == strings.TrimSpace(n.Body)
}

// formerStatus returns the status of a note before it was superseded, nil if it had none.
func formerStatus(from Reader, name string) any {
	past, _ := from.Revisions(name)
	for _, rev := range past {
		data, err := from.ReadPast(name, rev.Revision)
		if err != nil {
			continue
		}
		if n := note.ParseText(name, data); n.Problem == "" && !note.IsSuperseded(n.Status) {
			if !n.HasKey("status") {
				return nil
			}
			return n.Status
		}
	}
	return note.Active
}

// sinceMost is how many former texts are read for the day of a status.
const sinceMost = 10

// statusSince is when a note got the status that it has, as far as its history tells, else zero.
func statusSince(from Reader, name, status string) time.Time {
	past, _ := from.Revisions(name)
	for _, rev := range past[:min(len(past), sinceMost)] {
		data, err := from.ReadPast(name, rev.Revision)
		if err == nil && note.StatusWord(note.ParseText(name, data).Status) != note.StatusWord(status) {
			return rev.Time
		}
	}
	return time.Time{}
}

// matchTrashed returns the trashed notes that a reference may mean: the one of that name, else
// those whose id begins so, the newest of each name. It leaves out notes that have moved.
func (nb *Notebook) matchTrashed(ref string) (found []store.Trashed) {
	word := nb.trimPath(ref)
	start := note.BareID(word)
	trashed, err := nb.store.Trash()
	if err != nil || start == "" {
		return nil
	}
	seen := map[string]bool{}
	for _, t := range trashed {
		id := note.IDOf(t.Name)
		if nb.isMoved(t.Name) {
			continue
		}
		if t.Name == word+".md" || id == word {
			return []store.Trashed{t}
		}
		if strings.HasPrefix(id, start) && !seen[id] {
			found = append(found, t)
		}
		seen[id] = true
	}
	return found
}

// readTrashed reads the newest trashed note of a name.
func readTrashed(from Reader, name string) (data []byte, revision string, file store.Trashed, err error) {
	trashed, err := from.TrashedAs(name)
	if err != nil {
		return nil, "", file, err
	}
	if len(trashed) == 0 {
		return nil, "", file, errors.NotTrashed(note.IDOf(name))
	}
	data, revision, err = from.ReadTrashed(trashed[0].File)
	return data, revision, trashed[0], err
}
