package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// blue restore ID REVISION
func (d *door) restore() *cli.Command {
	return d.verb(&cli.Command{
		Name: "restore", Usage: "bring back an earlier revision of a note", ArgsUsage: "ID REVISION",
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		if c.NArg() != 2 {
			return nil, errors.Usage("blue restore takes an ID and a REVISION").Hint("history", "ID", "see the revisions")
		}
		return p.Edit(c.Context, blue.Change{ID: c.Args().Get(0), Restore: c.Args().Get(1)})
	})
}
