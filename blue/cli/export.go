package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/transfer"
)

// blue export [--format okf|json|html] --output PATH [--server URL --project NAME]
func (d *door) export() *cli.Command {
	return d.verb(&cli.Command{
		Name: "export", Usage: "write all notes except private ones for other tools, as JSON or as web pages",
		Flags: append(serverFlags(),
			&cli.StringFlag{Name: "format", Usage: "`FORMAT`: okf (Open Knowledge Format, the default), json or html (pages that open without a server)"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`PATH` that does not exist yet, or is an empty directory; --format json needs none, and prints"},
		),
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		made, err := transfer.Export(c.Context, p, transfer.Exporting{
			Format: c.String("format"), Output: d.absolute(c.String("output")), Out: d.out, Progress: d.tell,
		})
		if err != nil || made.Output == "" {
			return nil, err // standard output has the export itself
		}
		return made, nil
	})
}
