package cli

import (
	"github.com/urfave/cli/v2"

	"blue/errors"
)

// blue trust DIR | --sync [AUTHOR]
func (d *door) trust() *cli.Command {
	return &cli.Command{
		Name: "trust", Usage: "trust a directory that others can write to, and approve its notes as they are", ArgsUsage: "DIR | --sync [AUTHOR]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "sync", Usage: "approve what blue sync brings, of everybody or of the `AUTHOR` of that e-mail address"},
			cwdFlag(), jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.Bool("sync") {
				return d.trustSync(c)
			}
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

func (d *door) trustSync(c *cli.Context) error {
	if c.NArg() > 1 {
		return errors.Usage("blue trust --sync takes one author, not %d", c.NArg()).Hint("", "", "see: blue trust --help")
	}
	p, err := d.b.Open(c.Context, d.call(c))
	if err != nil {
		return err
	}
	trusted, err := p.TrustSync(c.Args().First())
	if err != nil {
		return err
	}
	return d.show(trusted)
}
