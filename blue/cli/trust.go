package cli

import "github.com/urfave/cli/v2"

// blue trust DIR
func (d *door) trust() *cli.Command {
	return &cli.Command{
		Name: "trust", Usage: "trust a directory that others can write to, and approve its notes as they are", ArgsUsage: "DIR",
		Flags: []cli.Flag{jsonFlag()},
		Action: func(c *cli.Context) error {
			dir, err := oneArgument(c, "DIR")
			if err != nil {
				return err
			}
			if dir != "*" {
				dir = d.absolute(dir)
			}
			trusted, err := d.b.Trust(c.Context, dir)
			if err != nil {
				return err
			}
			return d.show(trusted)
		},
	}
}
