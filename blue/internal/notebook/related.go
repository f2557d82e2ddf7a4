package notebook

import (
	"slices"
	"strings"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
)

// relatedTo finds older notes that a note of the index may replace.
func (nb *Notebook) relatedTo(row index.Row) result.Related {
	data, _, err := nb.store.Read(row.Name)
	if err != nil || row.Superseded {
		return result.Related{}
	}
	texts := nb.store.Committed().Texts()
	defer texts.Close()
	alike, _ := nb.index.FindAlike(row, note.ParseBody(data), false, BodyReader(texts.Read))
	return alike.Related
}

// findAlikeBeside searches concurrently for notes that are like a new one, that it may replace,
// or that are set aside. found waits for the result.
func (nb *Notebook) findAlikeBeside(n note.Text, private bool) (found func() result.Alike) {
	var alike result.Alike
	wait := index.Beside(func() { alike = nb.findAlike(n, index.Row{Name: note.FileOf("", private), Title: n.Title}) })
	return func() result.Alike { wait(); return alike }
}

// findAlike is [Catalog.FindAlike] with the texts of the store. It leaves out what n supersedes.
func (nb *Notebook) findAlike(n note.Text, row index.Row) result.Alike {
	from := nb.store.Committed()
	texts := from.Texts()
	defer texts.Close()
	read := BodyReader(texts.Read)
	alike, aside := nb.index.FindAlike(row, n.Body, true, read)
	for _, row := range aside {
		alike.SetAside = append(alike.SetAside, nb.describeSetAside(from, row, read))
	}
	alike.SetAside = alike.SetAside[:min(len(alike.SetAside), setAsideMost)]
	replaced := func(id string) bool { return slices.Contains(n.Supersedes, id) }
	alike.Related.Related = slices.DeleteFunc(alike.Related.Related, replaced)
	alike.SetAside = slices.DeleteFunc(alike.SetAside, func(s result.SetAside) bool { return replaced(s.ID) || replaced(s.By) })
	return alike
}

// FindAlike compares a text, which has the title, directory and time of row, with the notes. It
// returns those that may be about the same matter, and those that the text may replace but does
// not supersede. If aside is set, it also returns those that are set aside.
func (n Catalog) FindAlike(row index.Row, body string, aside bool, read ReadBody) (a result.Alike, setAside []index.Row) {
	said := ExtraOf(row).Supersedes
	mayName := func(older index.Row) bool {
		hidden := note.IsPrivate(older.Name) && !note.IsPrivate(row.Name)
		isOlder := older.Name != row.Name && (row.Time.IsZero() || !older.Time.After(row.Time))
		return isOlder && !hidden && !slices.Contains(said, older.ID)
	}
	alike := n.Index.FindAlike(index.Draft{Title: row.Title, Body: body, MayAmend: mayName, SetAside: aside, Read: read})
	a.Similar = alike.Similar
	for _, name := range alike.Related {
		a.Related.Related = append(a.Related.Related, note.IDOf(name))
	}
	return a, alike.SetAside
}

// setAsideMost is the maximum number of notes that are set aside and named by a write.
const setAsideMost = 3

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
