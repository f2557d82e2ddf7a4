package blue

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"blue/blue/internal/screen"
)

// note finds what is wrong with the text of one note, for [Project.Check].
func (c *Checked) note(p *Project, name string, data []byte) {
	text := string(data)
	n := ParseText(name, data)
	f := Flaw{Wrong: true, File: filed(name)}
	if !utf8.ValidString(text) {
		f.Kind, f.What, f.Remedy = FlawFront, "the file is not UTF-8 text", "save it as UTF-8"
		c.add(f) // every other finding would be one of the conversion
		return
	}
	if n.Problem != "" {
		f.Kind, f.Line, f.What = FlawFront, frontLine(n), Label(yamlLine.ReplaceAllString(n.Problem, ""), problemLimit)
		f.Remedy = "mend the lines between the two ---; until then type, title and tags count as missing"
		c.add(f)
	}
	c.screen(f.File, text)
	if n.Conflicted {
		f.Kind, f.Line, f.What = FlawMarkers, 1+strings.Count(text[:markerAt(text)], "\n"), "it holds the conflict markers of a merge"
		f.Remedy = "merge the two sides, or send the whole text: blue edit " + idOf(name) + " --body -"
		c.add(f)
	}
	above := strings.Count(n.lead+n.Front+n.tail, "\n")
	for _, link := range links(n.Body) {
		c.link(p, link, Flaw{Kind: FlawLink, Wrong: true, File: f.File, Line: above + 1 + strings.Count(n.Body[:link.at], "\n")})
	}
	for _, cited := range p.checked(n.Files) {
		if cited.Changed {
			c.add(Flaw{Kind: FlawStale, File: f.File, Line: lineOf(n.lead+n.Front, cited.Path),
				What:   fmt.Sprintf("%s has changed since it was cited, or is gone", cited.Path),
				Remedy: "read the note against the file; if it holds, cite the file again: blue edit " + idOf(name) + " --files " + cited.Path})
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
func (c *Checked) link(p *Project, to linked, f Flaw) {
	switch rows := p.meant(to.id); {
	case len(rows) == 0:
		f.What = fmt.Sprintf("the link to %q leads to no note", Label(to.id, TitleLimit))
		f.Remedy = "write that note, bring it back from the trash, or take the link out"
	case len(rows) > 1:
		f.What = fmt.Sprintf("the link to %q fits several notes: %s, %s", Label(to.id, TitleLimit), rows[0].ID, rows[1].ID)
		f.Remedy = "give the whole id"
	default:
		return
	}
	c.add(f)
}

var yamlLine = regexp.MustCompile(`\bline (\d+): `)

// frontLine is the line that a parser of YAML complained of, the first of the file
// when it named none.
func frontLine(n Text) int {
	if m := yamlLine.FindStringSubmatch(n.Problem); m != nil {
		if line, err := strconv.Atoi(m[1]); err == nil {
			return line + strings.Count(n.lead, "\n")
		}
	}
	return 1
}

// markerAt is where the first conflict marker stands.
func markerAt(text string) int {
	return strings.Index("\n"+text, "\n<<<<<<< ")
}

// lineOf is the line of text that holds the words, 0 when none does.
func lineOf(text, words string) int {
	at := strings.Index(text, words)
	if at < 0 || words == "" {
		return 0
	}
	return 1 + strings.Count(text[:at], "\n")
}
