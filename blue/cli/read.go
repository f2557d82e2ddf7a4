package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// blue read ID... [--section HEADING] [--revision REVISION]
func (d *door) read() *cli.Command {
	return d.verb(&cli.Command{
		Name: "read", Usage: "print notes, laid out on a terminal and as plain Markdown elsewhere", ArgsUsage: "ID...",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "section", Usage: "only the part below `HEADING`"},
			&cli.StringFlag{Name: "revision", Aliases: []string{"r"}, Usage: "the note as it was at `REVISION`; blue history lists them"},
		},
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		r := blue.Reading{Section: c.String("section"), Revision: c.String("revision"), Whole: true}
		switch ids := c.Args().Slice(); len(ids) {
		case 0:
			return nil, errors.Missing("ID", "give the id of a note").Hint("list", "", "see the ids")
		case 1:
			r.ID = ids[0]
		default:
			r.IDs = ids
		}
		return p.Read(c.Context, r)
	})
}

// page lays out notes.
func (p *pen) page(notes blue.Page) {
	for i, n := range notes.Notes {
		if i > 0 {
			p.lines(make([][]glyph, 2))
		}
		p.note(n, min(p.room, measure))
	}
	p.tail(notes.Tail())
}

func (p *pen) note(n blue.Note, room int) {
	p.lines(wrapLines(toGlyphs(n.Title, bold|heading), room))
	about := append(toGlyphs(n.ID, whole), toGlyphs(dot+strings.Join([]string{n.Type, n.Revision, n.Origin}, dot), faint)...)
	p.lines(wrapLines(about, room))
	wide := 0
	for _, fact := range n.Facts() {
		wide = max(wide, len(fact[0])+2)
	}
	for _, fact := range n.Facts() {
		name := padLine(toGlyphs(fact[0], faint), wide)
		p.lines(addMargin(name, padLine(nil, wide), wrapLines(toGlyphs(fact[1], 0), room-wide)))
	}
	p.line(toGlyphs(strings.Repeat("─", room), faint))
	p.line(nil)
	p.lines(layOutNote(n.Title, n.Body, room, p.color))
}
