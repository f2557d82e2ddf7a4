package cli

import (
	"github.com/urfave/cli/v2"

	"blue/errors"
)

// blue trust [DIR] [--branch | --remove]
func (d *door) trust() *cli.Command {
	return &cli.Command{
		Name: "trust", Usage: "let agents be told the notes of a project unasked", ArgsUsage: "[DIR]",
		Description: "Until then, agents find the notes of a project that was cloned or unpacked only by a search. DIR is\n" +
			"that of another project, or one that is to be used although others own or can write it.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "remove", Usage: "take trust back"},
			&cli.BoolFlag{Name: "branch", Usage: "also what the branch that is checked out has changed, as it is now"},
			cwdFlag(), jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.Bool("branch") && (c.Bool("remove") || c.NArg() > 0) {
				return errors.Exclusive("--branch", "--remove", "DIR")
			}
			if c.NArg() > 0 {
				dir, err := oneArgument(c, "DIR")
				if err != nil {
					return err
				}
				return d.trustDirectory(c, dir)
			}
			found, err := d.b.FindUntrusted(c.Context, d.call(c))
			switch {
			case err != nil:
				return err
			case c.Bool("remove"):
				return d.answer(d.b.Distrust(c.Context, found.Root))
			}
			trusted, err := d.b.TrustProject(found)
			if err == nil && c.Bool("branch") {
				return d.trustBranch(c)
			}
			return d.answer(trusted, err)
		},
	}
}

func (d *door) trustDirectory(c *cli.Context, dir string) error {
	if dir != "*" {
		dir = d.absolute(dir)
	}
	change := d.b.Trust
	if c.Bool("remove") {
		change = d.b.Distrust
	}
	return d.answer(change(c.Context, dir))
}

func (d *door) trustBranch(c *cli.Context) error {
	p, err := d.b.Open(c.Context, d.call(c))
	if err != nil {
		return err
	}
	return d.answer(p.TrustBranch(c.Context))
}
