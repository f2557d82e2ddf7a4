package blue

import (
	"slices"

	"blue/blue/internal/catalog"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/write"
)

// relatedTo finds older notes that a note of the index may replace.
func (p *Project) relatedTo(row index.Row) reply.Related {
	data, _, err := p.store.Read(row.Name)
	if err != nil || row.Superseded {
		return reply.Related{}
	}
	texts := p.committed().Texts()
	defer texts.Close()
	alike, _ := p.index.FindAlike(row, note.ParseBody(data), false, catalog.BodyReader(texts.Read))
	return alike.Related
}

// findAlikeBeside looks, beside the caller, for older notes that are like a new one, for those
// that it may replace, and for those that are not in force; found waits for them.
func (p *Project) findAlikeBeside(n note.Text, private bool) (found write.Alike) {
	var alike reply.Alike
	wait := index.Beside(func() { alike = p.findAlike(n, index.Row{Name: note.FileOf("", private), Title: n.Title}) })
	return func() reply.Alike {
		wait()
		replaced := func(id string) bool { return slices.Contains(n.Supersedes, id) }
		alike.Related.Related = slices.DeleteFunc(alike.Related.Related, replaced)
		alike.SetAside = slices.DeleteFunc(alike.SetAside, func(s reply.SetAside) bool { return replaced(s.ID) || replaced(s.By) })
		return alike
	}
}

// findAlike is [catalog.Notes.FindAlike] with the texts of the store, and of the trash.
func (p *Project) findAlike(n note.Text, row index.Row) reply.Alike {
	from := p.committed()
	texts := from.Texts()
	defer texts.Close()
	read := catalog.BodyReader(texts.Read)
	alike, aside := p.index.FindAlike(row, n.Body, true, read)
	for _, row := range aside {
		alike.SetAside = append(alike.SetAside, p.describeSetAside(from, row, read))
	}
	alike.SetAside = append(alike.SetAside, p.findRemoved(from, n, row)...)
	alike.SetAside = alike.SetAside[:min(len(alike.SetAside), setAsideMost)]
	return alike
}
