package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/cli/internal/term"
)

// blue log [ID] [--type WORD] [--tags TAG] [--since WHEN] [--limit N | --all]
func (d *door) log() *cli.Command {
	return d.verb(&cli.Command{
		Name: "log", Usage: "say who wrote what, newest first; with ID, of one note", ArgsUsage: "[ID]",
		Description: "Who wrote a note and when stands in the note, when it was edited in its history. Who edited it\n" +
			"is known where Blue did so, or when the edit was committed with git; so are edits and removals by\n" +
			"others. It is \"unknown\" who changed a file in an editor.",
		Flags: listFlags("50"),
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		if c.NArg() > 1 {
			return nil, wrongArguments(c, "one ID, or none")
		}
		f, err := filterOf(c)
		if err != nil {
			return nil, err
		}
		return p.Log(c.Context, c.Args().First(), f)
	})
}

// drawLog formats a log.
func drawLog(p *term.Pen, l blue.Log) {
	p.Narrow()
	for _, e := range l.Entries {
		p.Paragraph(e.Title, term.Bold)
		p.About(e.ID, e.Who(), e.Age, e.Revision)
	}
	p.Tail(l.Tail())
}
