package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
)

// blue projects [--forget ROOT]
func (d *door) projects() *cli.Command {
	return &cli.Command{
		Name: "projects", Usage: "list the projects that you and your agents have opened on this machine",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "forget", Usage: "take the project at `ROOT` off the list; its files stay"},
			jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.IsSet("forget") {
				left, err := d.b.ForgetProject(c.String("forget"))
				return d.answer(forgotten{left}, err)
			}
			return d.answer(d.b.Projects(c.Context, d.call(c)))
		},
	}
}

// forgotten is the result of --forget.
type forgotten struct{ blue.Projects }
