package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
)

// blue stats [--since WHEN]
func (d *door) stats() *cli.Command {
	return d.verb(&cli.Command{
		Name: "stats", Usage: "say what agents were told of the notes, and whether it helped",
		Description: "Counted are sessions, prompts, notes that were told, found, read and cited, and bytes, in a file of\n" +
			"the state directory that you alone can read; no text of a prompt is kept.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "since", Usage: "count from `WHEN` on: 2026-01-31, 7d or 12h", Value: "30d"}},
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		return p.Stats(c.Context, c.String("since"))
	})
}
