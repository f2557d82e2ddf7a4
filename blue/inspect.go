package blue

import (
	"fmt"
	"unicode/utf8"

	"blue/blue/internal/note"
	"blue/blue/internal/screen"
)

// note finds what is wrong with the text of one note, for [Project.Check].
func (c *Checked) note(p *Project, name string, data []byte) {
	text := string(data)
	n := note.ParseText(name, data)
	f := Flaw{Wrong: true, File: filed(name)}
	if !utf8.ValidString(text) {
		f.Kind, f.What, f.Remedy = FlawFront, "the file is not UTF-8 text", "save it as UTF-8"
		c.add(f) // every other finding would be one of the conversion
		return
	}
	if n.Problem != "" {
		line, problem := n.ProblemLine()
		f.Kind, f.Line, f.What = FlawFront, line, note.ShowLabel(problem, note.ProblemLimit)
		f.Remedy = "mend the lines between the two ---; until then type, title and tags count as missing"
		c.add(f)
	}
	c.screen(f.File, text)
	if n.Conflicted {
		f.Kind, f.Line, f.What = FlawMarkers, n.ConflictLine(), "it holds the conflict markers of a merge"
		f.Remedy = "merge the two sides, or send the whole text: blue edit " + note.IDOf(name) + " --body -"
		c.add(f)
	}
	for _, link := range note.FindLinks(n.Body) {
		c.link(p, link.ID, Flaw{Kind: FlawLink, Wrong: true, File: f.File, Line: n.BodyLine(link.At)})
	}
	for _, cited := range p.checked(n.Files) {
		if cited.Changed {
			c.add(Flaw{Kind: FlawStale, File: f.File, Line: n.FrontLine(cited.Path),
				What:   fmt.Sprintf("%s has changed since it was cited, or is gone", cited.Path),
				Remedy: "read the note against the file; if it holds, cite the file again: blue edit " + note.IDOf(name) + " --files " + cited.Path})
		}
	}
}

// screen finds secrets and hidden characters. The latter come in swarms: one
// finding for each line.
func (c *Checked) screen(file, text string) {
	for _, s := range screen.Unallowed(text) {
		c.add(Flaw{Kind: FlawSecret, Wrong: true, File: file, Line: s.Line, What: "it holds what looks like a secret: " + s.Rule,
			Remedy: "revoke it, and write the name of a variable or of a vault item in its place; if it is none, a person ends the line with <!-- blue:allow " + s.Rule + " -->"})
	}
	found := screen.Hidden(text)
	for i, s := range found {
		if i > 0 && found[i-1].Line == s.Line {
			continue
		}
		same := 1
		for same < len(found)-i && found[i+same].Line == s.Line {
			same++
		}
		what := fmt.Sprintf("it holds the hidden character U+%04X in column %d", s.Code, s.Column)
		if same > 1 {
			what += fmt.Sprintf(", and %d more", same-1)
		}
		c.add(Flaw{Kind: FlawHidden, Wrong: true, File: file, Line: s.Line, What: what,
			Remedy: "delete it, or write it as text such as \\u{200B}"})
	}
}

// link finds out whether a link leads to one note.
func (c *Checked) link(p *Project, to string, f Flaw) {
	switch rows := p.meant(to); {
	case len(rows) == 0:
		f.What = fmt.Sprintf("the link to %q leads to no note", note.ShowTitle(to))
		f.Remedy = "write that note, bring it back from the trash, or take the link out"
	case len(rows) > 1:
		f.What = fmt.Sprintf("the link to %q fits several notes: %s, %s", note.ShowTitle(to), rows[0].ID, rows[1].ID)
		f.Remedy = "give the whole id"
	default:
		return
	}
	c.add(f)
}
