package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue/build"
)

// blue version
func (d *door) version() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the versions of Blue, Go and the MCP SDK",
		Flags:  []cli.Flag{jsonFlag()},
		Action: func(*cli.Context) error { return d.show(build.Read()) },
	}
}
