package blue

import "blue/blue/internal/site"

// HTML is the body of a note that was read, as the pages of an export show it. Only
// links to notes, which are pages ID.html beside this one, and to the web are
// links; raw HTML is text, pictures are links, and nothing in it makes a browser
// ask anybody for anything.
func (p *Project) HTML(n Note) (string, error) {
	s := site.New(p.found.Name, nil, func(ref string) (string, bool) {
		if rows := p.meant(ref); len(rows) == 1 {
			return rows[0].ID, true
		}
		return "", false
	})
	return s.Body(site.Note{Entry: site.Entry{Title: n.Title}, Body: n.Body, Plain: Involved(n.Body)})
}
