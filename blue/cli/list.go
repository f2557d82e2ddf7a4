package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
)

// blue list [--type WORD] [--tags TAG] [--since WHEN] [--sort newest|title] [--limit N]
func (d *door) list() *cli.Command {
	return d.verb(&cli.Command{
		Name: "list", Usage: "list notes",
		Flags: append(filterFlags(), &cli.StringFlag{Name: "sort", Usage: "`ORDER`: newest (default) or title"}),
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		return p.List(c.Context, blue.Filter{
			Type: c.String("type"), Tags: c.StringSlice("tags"), Since: c.String("since"), Sort: c.String("sort"),
			Limit: c.Int("limit"), MaxTokens: c.Int("max_tokens"), Cursor: c.String("cursor"),
		})
	})
}
