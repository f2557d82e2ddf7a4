package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
)

// blue history ID
func (d *door) history() *cli.Command {
	return d.verb(&cli.Command{
		Name: "history", Usage: "list the revisions of a note that are kept", ArgsUsage: "ID",
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		id, err := oneArgument(c, "ID")
		if err != nil {
			return nil, err
		}
		return p.History(c.Context, id)
	})
}
