package cli

import (
	"github.com/urfave/cli/v2"
)

func (d *door) harvest() *cli.Command {
	return &cli.Command{
		Name: "harvest", Usage: "list what past sessions settled and no note holds: corrections, decisions, causes, remedies",
		Description: "It lists at most ten, the surest first, each with what was said and the command that writes a note\n" +
			"of it. What has become a note or was dismissed is not listed again. It needs blue sessions --on.",
		ArgsUsage: "[--dismiss ID...]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dismiss", Usage: "leave out the exchanges of these IDs for good"},
			cwdFlag(), jsonFlag(), verboseFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.Bool("dismiss") == (c.NArg() == 0) {
				return wrongArguments(c, "--dismiss and the IDs of what is dismissed, or nothing")
			}
			p, err := d.b.Open(c.Context, d.call(c))
			if err != nil {
				return err
			}
			if c.Bool("dismiss") {
				return d.answer(p.DismissHarvest(c.Args().Slice()))
			}
			return d.answer(p.Harvest(c.Context))
		},
	}
}
