package cli

import (
	"github.com/urfave/cli/v2"

	"blue/errors"
)

// blue mcp [--project DIR] [--debug]
func (d *door) mcp() *cli.Command {
	return &cli.Command{
		Name: "mcp", Usage: "serve MCP on standard input and output",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "project", Usage: "use the project of `DIR`, an absolute path"},
			&cli.BoolFlag{Name: "debug", Usage: "also write a debug log; its path is printed"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return errors.Usage("blue mcp takes no argument %q", c.Args().First()).Hint("", "", "see: blue mcp --help")
			}
			return d.serve(c.Context, Serving{Project: c.String("project"), Debug: c.Bool("debug")})
		},
	}
}
