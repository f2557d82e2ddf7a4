package notebook

import (
	"slices"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/result"
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

// findAlikeBeside looks, in a goroutine of its own, for older notes that are like a new one, for
// those that it may replace, and for those that are not in force; found waits for them.
func (nb *Notebook) findAlikeBeside(n note.Text, private bool) (found func() result.Alike) {
	var alike result.Alike
	wait := index.Beside(func() { alike = nb.findAlike(n, index.Row{Name: note.FileOf("", private), Title: n.Title}) })
	return func() result.Alike {
		wait()
		replaced := func(id string) bool { return slices.Contains(n.Supersedes, id) }
		alike.Related.Related = slices.DeleteFunc(alike.Related.Related, replaced)
		alike.SetAside = slices.DeleteFunc(alike.SetAside, func(s result.SetAside) bool { return replaced(s.ID) || replaced(s.By) })
		return alike
	}
}

// findAlike is [Catalog.FindAlike] with the texts of the store, and of the trash.
func (nb *Notebook) findAlike(n note.Text, row index.Row) result.Alike {
	from := nb.store.Committed()
	texts := from.Texts()
	defer texts.Close()
	read := BodyReader(texts.Read)
	alike, aside := nb.index.FindAlike(row, n.Body, true, read)
	for _, row := range aside {
		alike.SetAside = append(alike.SetAside, nb.describeSetAside(from, row, read))
	}
	alike.SetAside = append(alike.SetAside, nb.findRemoved(from, n, row)...)
	alike.SetAside = alike.SetAside[:min(len(alike.SetAside), setAsideMost)]
	return alike
}

// FindAlike compares a text, with the title, directory and time of the row, with the notes:
// which may be the same matter, by id, and which older ones it may replace, but for those that
// it supersedes; aside asks also for those that are set aside.
func (n Catalog) FindAlike(row index.Row, body string, aside bool, read ReadBody) (a result.Alike, setAside []index.Row) {
	said := ExtraOf(row).Supersedes
	mayName := func(older index.Row) bool { return mayReplace(row, older) && !slices.Contains(said, older.ID) }
	alike := n.Index.FindAlike(index.Draft{Title: row.Title, Body: body, MayAmend: mayName, SetAside: aside, Read: read})
	a.Similar = alike.Similar
	for _, name := range alike.Related {
		a.Related.Related = append(a.Related.Related, note.IDOf(name))
	}
	return a, alike.SetAside
}

// mayReplace reports whether a note is an older one that another may know of.
func mayReplace(row, older index.Row) bool {
	hidden := note.IsPrivate(NameOf(older)) && !note.IsPrivate(row.Name)
	return older.Name != row.Name && !hidden && (row.Time.IsZero() || !older.Time.After(row.Time))
}

// NameOf is the name of the file of a note: for one that is known by its file in the trash,
// the name that it had.
func NameOf(row index.Row) string {
	file, removed := strings.CutPrefix(row.Name, "trash/")
	if !removed {
		return row.Name
	}
	return note.FileOf(row.ID, strings.HasPrefix(file, note.ScopeDir(true)))
}
