package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/cli/internal/term"
)

// blue diff ID [REVISION [REVISION] | ID]
func (d *door) diff() *cli.Command {
	return d.verb(&cli.Command{
		Name: "diff", Usage: "show the last change of a note, or all since a revision; or compare two notes", ArgsUsage: "ID [REVISION [REVISION] | ID]",
		Description: "Without a REVISION it shows the last change; with one, all that has changed since; with two,\n" +
			"what changed from the first to the second. blue history ID lists them; the start of one is\n" +
			"enough. With the ID of another note it shows how that one differs. The output is a unified diff.",
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		if c.NArg() < 1 || c.NArg() > 3 {
			return nil, wrongArguments(c, "an ID and at most two revisions, or two IDs")
		}
		return p.Compare(c.Context, blue.Comparing{ID: c.Args().Get(0), From: c.Args().Get(1), To: c.Args().Get(2)})
	})
}

// drawDiff formats a unified diff.
func drawDiff(p *term.Pen, c blue.Compared) {
	for line := range strings.Lines(c.Text()) {
		l := term.Look(0)
		switch line[0] {
		case '-':
			l = term.Removed
		case '+':
			l = term.Added
		case '@':
			l = term.Faint
		}
		p.Line(strings.TrimSuffix(line, "\n"), l)
	}
}
