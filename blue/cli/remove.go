package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
)

// blue remove ID [--revision REVISION] [--restore]
func (d *door) remove() *cli.Command {
	return d.verb(&cli.Command{
		Name: "remove", Aliases: []string{"rm"}, Usage: "move a note to the trash, where it stays for 30 days; or bring it back", ArgsUsage: "ID",
		Flags: []cli.Flag{revisionFlag(), &cli.BoolFlag{Name: "restore", Usage: "bring it back from the trash"}},
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		id, err := oneArgument(c, "ID")
		if err != nil {
			return nil, err
		}
		return p.Remove(c.Context, blue.Removal{ID: id, Revision: c.String("revision"), Restore: c.Bool("restore")})
	})
}
