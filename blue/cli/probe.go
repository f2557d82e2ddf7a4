package cli

import (
	"github.com/urfave/cli/v2"

	"blue/marker/mount"
)

// blue __probe
//
// It stats paths on file systems that may hang, for a parent process.
func (d *door) probe() *cli.Command {
	return &cli.Command{
		Name: mount.Probe, Hidden: true, SkipFlagParsing: true,
		Action: func(*cli.Context) error { return mount.Look(d.std.In, d.std.Out) },
	}
}
