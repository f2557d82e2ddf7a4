package transfer

import (
	"html/template"

	"blue/blue"
	"blue/blue/internal/note"
	"blue/blue/internal/site"
)

// HTML is the body of a note that was read, as the pages of an export show it. Only
// links to notes, which are pages ID.html beside this one, and to the web are
// links; raw HTML is text, a picture of the project stands in the text itself, another one is
// a link, and nothing in it makes a browser ask anybody for anything.
func HTML(p *blue.Project, n blue.Note) (template.HTML, error) {
	s := site.New(p.Ref().Name, nil, p.FindID, p.Picture)
	return s.Body(site.Note{Entry: site.Entry{Title: n.Title}, Body: n.Body, Plain: note.TakesLongToParse(n.Body)})
}
