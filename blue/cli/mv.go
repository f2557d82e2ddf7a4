package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
)

// blue mv ID [TITLE...]
func (d *door) mv() *cli.Command {
	return d.verb(&cli.Command{
		Name: "mv", Usage: "give a note a new title, and the id that goes with it; links to it follow", ArgsUsage: "ID [TITLE...]",
		Description: "The former id stays valid: it becomes an alias of the note. The history stays with the note, and\n" +
			"other notes that link to it or replace it name the new id. Without TITLE the id follows the title\n" +
			"that the note has.",
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		if c.NArg() == 0 {
			return nil, wrongArguments(c, "an ID and the new title of the note")
		}
		return p.Move(c.Context, c.Args().First(), strings.Join(c.Args().Tail(), " "))
	})
}
