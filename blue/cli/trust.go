package cli

import (
	"github.com/urfave/cli/v2"
)

// blue trust [DIR | --sync [AUTHOR]]
func (d *door) trust() *cli.Command {
	return &cli.Command{
		Name: "trust", Usage: "approve the notes of this project as they are, or trust a directory that others can write to", ArgsUsage: "[DIR | --sync [AUTHOR]]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "sync", Usage: "approve what blue sync brings, from everybody or from the author with the e-mail address `AUTHOR`"},
			cwdFlag(), jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.Bool("sync") {
				return d.trustSync(c)
			}
			dir, err := d.trustedDir(c)
			if err != nil {
				return err
			}
			return d.answer(d.b.Trust(c.Context, dir))
		},
	}
}

// trustedDir is the directory that was named, else this project's.
func (d *door) trustedDir(c *cli.Context) (string, error) {
	if c.NArg() == 0 {
		return d.b.FindRoot(c.Context, d.call(c))
	}
	dir, err := oneArgument(c, "DIR")
	if err != nil || dir == "*" {
		return dir, err
	}
	return d.absolute(dir), nil
}

func (d *door) trustSync(c *cli.Context) error {
	if c.NArg() > 1 {
		return wrongArguments(c, "one AUTHOR with --sync")
	}
	p, err := d.b.Open(c.Context, d.call(c))
	if err != nil {
		return err
	}
	return d.answer(p.TrustSync(c.Args().First()))
}
