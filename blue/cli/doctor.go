package cli

import (
	"github.com/urfave/cli/v2"
)

// blue doctor [CLIENT]
func (d *door) doctor() *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "look for what is wrong with the project, Blue's files and the clients",
		Description: "Says for each thing that is wrong how to mend it, and changes nothing. Exit code 1 when something\nmust be mended. With CLIENT it looks at that client alone.",
		ArgsUsage:   "[CLIENT]",
		Flags:       []cli.Flag{cwdFlag(), jsonFlag()},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return wrongArguments(c, "one CLIENT")
			}
			return d.answer(d.machine().Doctor(c.Context, d.call(c), c.Args().First()))
		},
	}
}
