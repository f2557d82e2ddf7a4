package blue

import (
	"fmt"
	"unicode/utf8"

	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/screen"
)

// checkText finds what is wrong with the text of one note, for [Project.Check].
func (p *Project) checkText(c *Checked, name string, data []byte) {
	text := string(data)
	n := note.ParseText(name, data)
	f := Issue{Wrong: true, File: reply.FileBelow(name)}
	if !utf8.ValidString(text) {
		f.Kind, f.What, f.Remedy = reply.IssueFront, "the file is not UTF-8 text", "save it as UTF-8"
		c.Add(f) // every other finding would be one of the conversion
		return
	}
	if n.Problem != "" {
		line, problem := n.ProblemLine()
		f.Kind, f.Line, f.What = reply.IssueFront, line, note.ShowLabel(problem, note.ProblemLimit)
		f.Remedy = "mend the lines between the two ---; until then type, title and tags count as missing"
		c.Add(f)
	}
	screenText(c, f.File, text)
	if n.Conflicted {
		f.Kind, f.Line, f.What = reply.IssueMarkers, n.ConflictLine(), "it holds the conflict markers of a merge"
		f.Remedy = "merge the two sides, or send the whole text: blue edit " + note.IDOf(name) + " --body -"
		c.Add(f)
	}
	for _, link := range note.FindLinks(n.Body) {
		p.checkLink(c, link.ID, Issue{Kind: reply.IssueLink, Wrong: true, File: f.File, Line: n.BodyLine(link.At)})
	}
	for _, cited := range p.checkCited(n.Files) {
		if cited.Changed {
			c.Add(Issue{Kind: reply.IssueStale, File: f.File, Line: n.FrontLine(cited.Path),
				What:   fmt.Sprintf("%s has changed since it was cited, or is gone", cited.Path),
				Remedy: "read the note against the file; if it holds, cite the file again: blue edit " + note.IDOf(name) + " --files " + cited.Path})
		}
	}
}

// screenText finds secrets and hidden characters. The latter come in swarms: one
// finding for each line.
func screenText(c *Checked, file, text string) {
	for _, s := range screen.Unallowed(text) {
		c.Add(Issue{Kind: reply.IssueSecret, Wrong: true, File: file, Line: s.Line, What: "it holds what looks like a secret: " + s.Rule,
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
		c.Add(Issue{Kind: reply.IssueHidden, Wrong: true, File: file, Line: s.Line, What: what,
			Remedy: "delete it, or write it as text such as \\u{200B}"})
	}
}

// checkLink finds out whether a link leads to one note.
func (p *Project) checkLink(c *Checked, to string, f Issue) {
	switch rows := p.matchNotes(to); {
	case len(rows) == 0:
		f.What = fmt.Sprintf("the link to %q leads to no note", note.ShowTitle(to))
		f.Remedy = "write that note, bring it back from the trash, or take the link out"
	case len(rows) > 1:
		f.What = fmt.Sprintf("the link to %q fits several notes: %s, %s", note.ShowTitle(to), rows[0].ID, rows[1].ID)
		f.Remedy = "give the whole id"
	default:
		return
	}
	c.Add(f)
}
