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
			if err := noArgument(c); err != nil {
				return err
			}
			list := func() (blue.Projects, error) { return d.b.Projects(c.Context, d.call(c)) }
			if c.IsSet("forget") {
				list = func() (blue.Projects, error) { return d.b.ForgetProject(c.String("forget")) }
			}
			known, err := list()
			if err != nil {
				return err
			}
			return d.show(known)
		},
	}
}
