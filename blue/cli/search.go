package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
)

// blue search WORDS... [--type WORD] [--tags TAG] [--since WHEN] [--limit N] [--prefix] [--explain]
func (d *door) search() *cli.Command {
	return d.verb(&cli.Command{
		Name: "search", Usage: "find notes by words, a question, an identifier or an error message", ArgsUsage: "WORDS...",
		Flags: append(filterFlags(),
			&cli.BoolFlag{Name: "prefix", Usage: "take the last word as the start of words too (on a terminal always)"},
			&cli.BoolFlag{Name: "explain", Usage: "show what each score is made of"}),
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		return p.Search(c.Context, blue.Query{
			Text: strings.Join(c.Args().Slice(), " "), Type: c.String("type"), Tags: c.StringSlice("tags"), Since: c.String("since"),
			Limit: c.Int("limit"), MaxTokens: c.Int("max_tokens"), Cursor: c.String("cursor"),
			Prefix: c.Bool("prefix") || d.std.Terminal && !d.json, Explain: c.Bool("explain"),
		})
	})
}
