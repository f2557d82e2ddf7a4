package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// blue init [DIR] [--name NAME] [--own] [--personal]
func (d *door) initCommand() *cli.Command {
	return &cli.Command{
		Name: "init", Usage: "make a directory a project (default: the working directory)", ArgsUsage: "[DIR]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "name", Usage: "`NAME` of the project in replies (default: the name of the directory)"},
			&cli.BoolFlag{Name: "own", Usage: "in a linked git worktree: make a project of its own, apart from that of the main tree"},
			&cli.BoolFlag{Name: "personal", Usage: "make a project for notes about yourself, in your data directory"},
			&cli.StringFlag{Name: "cwd", Aliases: []string{"C"}, Usage: "start from `DIR` instead of the working directory"},
			jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return wrongArguments(c, "one directory")
			}
			if c.IsSet("cwd") {
				d.std.Dir = d.absolute(c.String("cwd"))
			}
			dir := d.std.Dir
			if c.NArg() == 1 {
				dir = d.absolute(c.Args().First())
			}
			if c.Bool("personal") && (c.NArg() > 0 || c.Bool("own")) {
				return errors.Exclusive("--personal", "DIR", "--own")
			}
			return d.answer(d.b.Init(c.Context, blue.NewProject{Dir: dir, Name: c.String("name"), Own: c.Bool("own"), Personal: c.Bool("personal"), Read: d.std.Width > 0 && !d.json}))
		},
	}
}
