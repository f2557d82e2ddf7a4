package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// blue restore ID [REVISION]
func (d *door) restore() *cli.Command {
	return d.verb(&cli.Command{
		Name: "restore", Usage: "bring back an earlier revision of a note; without REVISION, a note from the trash", ArgsUsage: "ID [REVISION]",
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		switch c.NArg() {
		case 1:
			return p.Remove(c.Context, blue.Removal{ID: c.Args().First(), Restore: true})
		case 2:
			return p.Edit(c.Context, blue.Change{ID: c.Args().Get(0), Restore: c.Args().Get(1)})
		}
		return nil, errors.Usage("blue restore takes an ID and a REVISION, or the ID of a note in the trash").
			Hint("history", "ID", "see the revisions").Hint("trash", "", "see the trash")
	})
}
