package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
)

// blue tags
func (d *door) tags() *cli.Command {
	return d.verb(&cli.Command{
		Name: "tags", Usage: "list the tags of the notes, with how many notes have each",
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		return p.Tags(c.Context)
	})
}
