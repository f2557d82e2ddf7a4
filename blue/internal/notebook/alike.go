package notebook

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
)

// similarTo finds older notes that a note of the index may replace.
func (nb *Notebook) similarTo(row index.Row) result.Similar {
	data, _, err := nb.store.Read(row.Name)
	if err != nil || row.Superseded {
		return result.Similar{}
	}
	return nb.findAlike(note.ParseText(row.Name, data), row, false).Similar
}

// startAlike searches concurrently for notes that are about the same matter as a new one. found waits
// for the result.
func (nb *Notebook) startAlike(n note.Text, private bool) (found func() result.Alike) {
	var alike result.Alike
	wait := index.Background(func() { alike = nb.findAlike(n, index.Row{Name: note.FileOf("", private)}, true) })
	return func() result.Alike { wait(); return alike }
}

// findAlike returns older notes that are about the same matter as a note: those that it may replace, and with
// aside those that are not in force. A note may replace those of its type that it neither links to nor
// supersedes. The row has the name of the note and, unless it is new, its time.
func (nb *Notebook) findAlike(n note.Text, row index.Row, aside bool) (a result.Alike) {
	linked := map[string]bool{}
	for _, link := range note.FindLinks(n.Body) {
		for _, to := range nb.linkedNotes(link.ID) {
			linked[to.Name] = true
		}
	}
	mayTell := func(older index.Row) bool {
		hidden := note.IsPrivate(older.Name) && !note.IsPrivate(row.Name)
		isOlder := older.Name != row.Name && (row.Time.IsZero() || !older.Time.After(row.Time))
		return isOlder && !hidden && !slices.Contains(n.Supersedes, older.ID)
	}
	from := nb.store.Committed()
	texts := from.Texts()
	defer texts.Close()
	d := index.Draft{Title: n.Title, Body: n.Body, Read: BodyReader(texts.Read)}
	d.MayReplace = func(older index.Row) bool {
		return mayTell(older) && !linked[older.Name] && cmp.Or(older.Type, note.TypeNote) == cmp.Or(n.Type, note.TypeNote)
	}
	if aside {
		d.MayTell = mayTell
	}
	similar, others := nb.index.FindAlike(d)
	for _, row := range similar {
		a.Similar.Similar = append(a.Similar.Similar, nb.named(row))
	}
	for _, row := range others {
		if told := nb.describeSetAside(from, row, d.Read); !slices.Contains(n.Supersedes, told.By) {
			a.SetAside = append(a.SetAside, told)
		}
	}
	return a
}

// named returns the id of a note with its title, if that may be told.
func (nb *Notebook) named(row index.Row) result.Named {
	named := result.Named{ID: row.ID}
	if nb.trusted {
		named.Title = result.PlainTags(note.ShowTitle(row.Title))
	}
	return named
}

// describeSetAside tells since when a note is not in force, what replaces it and why; only the first
// two in a project that is not trusted.
func (nb *Notebook) describeSetAside(from Reader, row index.Row, read ReadBody) result.SetAside {
	status, since := ExtraOf(row).Status, time.Time{}
	s, why := result.SetAside{ID: row.ID}, ""
	if nb.trusted {
		body, _ := read(row)
		s.Title, why = result.PlainTags(note.ShowTitle(row.Title)), note.Reason(body, whyMost)
	}
	if since = statusSince(from, row.Name, status); since.IsZero() {
		s.Written = row.Time.UTC().Format(time.DateOnly)
	}
	if heirs := nb.index.Successors(row); len(heirs) > 0 {
		if row.Replaced {
			since = heirs[len(heirs)-1].Time
		}
		by, _ := nb.index.Current(heirs[0])
		if s.By = by.ID; nb.trusted {
			s.ByTitle = result.PlainTags(note.ShowTitle(by.Title))
		}
		if IsSuperseded(row) { // its replacement says more
			why = ""
		}
	}
	if !since.IsZero() {
		s.Since, s.Written = since.UTC().Format(time.DateOnly), ""
	}
	if _, more, _ := strings.Cut(status, " "); s.Title != "" && more != "" { // "rejected: too slow"
		why = strings.TrimSuffix(more+". "+why, ". ")
	}
	s.Status, s.Why = note.StatusWord(status), result.PlainTags(note.ShowLabel(why, whyMost))
	return s
}

// describeExisting adds what has become of the note that a write has found in a file.
func (nb *Notebook) describeExisting(w *result.Written, name string) {
	from := nb.store.Committed()
	if w.Trashed {
		if data, _, file, err := readTrashed(from, name); err == nil {
			w.SetAside = []result.SetAside{nb.describeTrashed(name, data, file.Time)}
		}
		return
	}
	row, _ := nb.index.Row(name)
	if w.Status = result.PlainTags(note.ShowWord(ExtraOf(row).Status)); row.Superseded {
		w.SetAside = []result.SetAside{nb.describeSetAside(from, row, BodyReader(func(name string, _ uint64) ([]byte, error) {
			data, _, err := from.Read(name)
			return data, err
		}))}
	}
}

// describeTrashed tells since when a note is in the trash; what it says only in a trusted project.
func (nb *Notebook) describeTrashed(name string, data []byte, since time.Time) result.SetAside {
	s := result.SetAside{ID: note.IDOf(name), Status: result.StatusRemoved, Since: since.UTC().Format(time.DateOnly)}
	if n := note.ParseText(name, data); nb.trusted {
		s.Title, s.Why = result.PlainTags(note.ShowTitle(n.Title)), result.PlainTags(note.ShowLabel(note.Reason(n.Body, whyMost), whyMost))
	}
	return s
}

// whyMost is the maximum number of characters of the reason in a reply.
const whyMost = 250

// sinceMost is the maximum number of former texts that are read for the day of a status.
const sinceMost = 10

// statusSince returns when a note got its present status as far as its history tells, or else
// the zero time.
func statusSince(from Reader, name, status string) time.Time {
	read := 0
	for past, n := range pastTexts(from, name) {
		if note.StatusWord(n.Status) != note.StatusWord(status) {
			return past.Time
		}
		if read++; read == sinceMost {
			break
		}
	}
	return time.Time{}
}
