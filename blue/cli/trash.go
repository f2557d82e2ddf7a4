package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
)

// blue trash
func (d *door) trash() *cli.Command {
	return d.verb(&cli.Command{
		Name: "trash", Usage: "list the notes in the trash; blue restore ID brings one back",
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		return p.Trash(c.Context)
	})
}
