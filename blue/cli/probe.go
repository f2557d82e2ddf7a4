package cli

import (
	"os"

	"github.com/urfave/cli/v2"

	"blue/marker/mount"
)

// blue __probe PATH
//
// It ends when the file system of the path answers.
func (d *door) probe() *cli.Command {
	return &cli.Command{
		Name: mount.Probe, Hidden: true, SkipFlagParsing: true,
		Action: func(c *cli.Context) error {
			_, _ = os.Stat(c.Args().First()) // that it answers is all that is asked
			return nil
		},
	}
}
