package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// blue read ID... [--section HEADING] [--revision REVISION]
func (d *door) read() *cli.Command {
	return d.verb(&cli.Command{
		Name: "read", Usage: "print notes", ArgsUsage: "ID...",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "section", Usage: "only the part under `HEADING`"},
			&cli.StringFlag{Name: "revision", Usage: "an earlier `REVISION`"},
		},
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		r := blue.Reading{Section: c.String("section"), Revision: c.String("revision"), Whole: true}
		switch ids := c.Args().Slice(); len(ids) {
		case 0:
			return nil, errors.Missing("ID", "give the id of a note; blue list shows them")
		case 1:
			r.ID = ids[0]
		default:
			r.IDs = ids
		}
		return p.Read(c.Context, r)
	})
}
