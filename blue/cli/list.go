package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/cli/internal/term"
)

// blue list [--type WORD] [--tags TAG] [--since WHEN] [--sort newest|title] [--limit N | --all]
func (d *door) list() *cli.Command {
	return d.verb(&cli.Command{
		Name: "list", Aliases: []string{"ls"}, Usage: "list notes by type, tags and age",
		Flags: append(listFlags("50"), &cli.StringFlag{Name: "sort", Usage: "`ORDER` of the list: newest (default) or title"}),
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		f, err := filterOf(c)
		if err != nil {
			return nil, err
		}
		f.Sort = c.String("sort")
		return p.List(c.Context, f)
	})
}

// drawRows formats a list as a table.
func drawRows(p *term.Pen, r blue.Rows) {
	p.Tail(r.Head())
	table := [][]string{{"ID", "TITLE", "TYPE", "AGE", "STATE", "TAGS"}}
	for _, row := range r.Notes {
		var state []string
		if row.Stale {
			state = append(state, "stale")
		}
		for _, remark := range row.Remarks() {
			word, _, _ := strings.Cut(remark, ":")
			word, _, _ = strings.Cut(word, " ")
			state = append(state, word)
		}
		table = append(table, []string{row.ID, row.Title, row.Type, row.Age, strings.Join(state, " "), strings.Join(row.Tags, " ")})
	}
	p.Table(table)
	p.Tail(r.Tail())
}
