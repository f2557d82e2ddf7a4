package cli

import (
	"github.com/urfave/cli/v2"

	"blue/marker/mount"
)

// blue __probe
//
// It looks at the paths that it is asked about, each on a file system that may not answer.
func (d *door) probe() *cli.Command {
	return &cli.Command{
		Name: mount.Probe, Hidden: true, SkipFlagParsing: true,
		Action: func(*cli.Context) error { return mount.Look(d.std.In, d.std.Out) },
	}
}
