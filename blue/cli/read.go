package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/cli/internal/term"
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
			r.ID, r.Revision = ids[0], wholeRevision(c.Context, p, ids[0], r.Revision)
		default:
			r.IDs = ids
		}
		return p.Read(c.Context, r)
	})
}

// drawPage formats notes, separated by two blank lines.
func drawPage(p *term.Pen, notes blue.Page) {
	p.Narrow()
	for i, n := range notes.Notes {
		if i > 0 {
			p.Line("", 0)
			p.Line("", 0)
		}
		p.Paragraph(n.Title, term.Bold|term.Heading)
		p.Byline(n.ID, n.Type, n.Revision)
		p.Facts(n.Facts())
		p.Rule()
		p.Line("", 0)
		p.Markdown(n.Title, n.Body)
	}
	p.Tail(notes.Tail())
}
