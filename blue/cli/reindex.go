package cli

import (
	"github.com/urfave/cli/v2"

	"blue/blue"
)

// blue reindex
func (d *door) reindex() *cli.Command {
	return d.verb(&cli.Command{
		Name: "reindex", Usage: "throw the search index away and build it from the files",
		Description: "Correct answers never need it: every command brings the index up to date with the files, and builds a\n" +
			"damaged one anew. It takes time, and changes nothing but the cache directory.",
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		return p.Reindex(c.Context, d.tell)
	})
}
