package cli

import "github.com/urfave/cli/v2"

// blue where
func (d *door) where() *cli.Command {
	return &cli.Command{
		Name: "where", Usage: "say which project this is, why, and what is in it",
		Flags:  []cli.Flag{cwdFlag(), jsonFlag()},
		Action: func(c *cli.Context) error { return d.answer(d.b.Where(c.Context, d.call(c))) },
	}
}
