package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// blue open ID
func (d *door) open() *cli.Command {
	return d.verb(&cli.Command{
		Name: "open", Usage: "open the file of a note in $VISUAL or $EDITOR, or print its path when there is none", ArgsUsage: "ID",
		Description: "The file itself is opened: nothing is checked before it is saved, as blue edit does. The text\n" +
			"that was there before goes into the history.",
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		id, err := oneArgument(c, "ID")
		if err != nil {
			return nil, err
		}
		if len(d.editor()) == 0 {
			return p.Locate(c.Context, id)
		}
		return p.ChangeInPlace(c.Context, id, func(path string) error { return d.runEditor(c.Context, path) })
	})
}

// blue path ID...
func (d *door) path() *cli.Command {
	return d.verb(&cli.Command{
		Name: "path", Usage: "print the path of the file of a note, for other programs", ArgsUsage: "ID...",
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		if c.NArg() == 0 {
			return nil, errors.Missing("ID", "give the id of a note; blue list shows them")
		}
		return p.Locate(c.Context, c.Args().Slice()...)
	})
}
