package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/cli/internal/term"
)

// blue search WORDS... [--type WORD] [--tags TAG] [--since WHEN] [--limit N] [--in SHELF] [--all] [--projects NAME] [--prefix] [--explain]
func (d *door) search() *cli.Command {
	return d.verb(&cli.Command{
		Name: "search", Usage: "find notes by words, a question, an identifier or an error message; -WORD must not occur", ArgsUsage: "WORDS...",
		Flags: append(filterFlags("10"),
			&cli.StringSliceFlag{Name: "in", Usage: "only the `SHELF` notes, documents or commits; several with commas"},
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "search all projects that you have opened on this machine, this one first"},
			&cli.StringSliceFlag{Name: "projects", Aliases: []string{"project"}, Usage: "search the project `NAME` too, after this one; several with commas"},
			&cli.BoolFlag{Name: "prefix", Usage: "the last word may be the start of a word (on a terminal it always may)"},
			&cli.BoolFlag{Name: "explain", Usage: "show how each score is made up"}),
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		f, err := filterOf(c)
		if err != nil {
			return nil, err
		}
		others := c.StringSlice("projects")
		if c.Bool("all") {
			others = append(others, "*")
		}
		return p.Search(c.Context, blue.Query{
			Text: strings.Join(c.Args().Slice(), " "), Type: f.Type, Tags: f.Tags, Since: f.Since,
			In: c.StringSlice("in"), Projects: others, Limit: f.Limit, MaxTokens: f.MaxTokens, Cursor: f.Cursor, Whole: true,
			Prefix: c.Bool("prefix") || d.std.Width > 0 && !d.json, Explain: c.Bool("explain"), Brief: d.std.Width > 0 && !d.json,
		})
	})
}

// drawHits formats search results with the query's words highlighted.
func drawHits(p *term.Pen, h blue.Hits) {
	p.Narrow()
	p.Tail(h.Head())
	above, below := h.Beside()
	drawBeside(p, above)
	for _, hit := range h.Hits {
		p.Paragraph(hit.Title, term.Bold|term.Heading)
		words := append([]string{hit.Type, hit.AgeAndEvidence()}, hit.Remarks()...)
		if len(hit.Tags) > 0 {
			words = append(words, "#"+strings.Join(hit.Tags, " #"))
		}
		p.About(hit.ID, words...)
		if hit.Snippet != "" {
			p.Snippet(hit.Snippet, hit.Marks)
		}
		if sum := hit.Sum(); sum != "" {
			p.Remark(sum)
		}
	}
	p.Tail(h.Notices())
	if len(below) > 0 {
		p.Tail(blue.BesideHeading)
		drawBeside(p, below)
	}
	p.Tail(h.Rest())
}

// drawBeside formats documents and commits.
func drawBeside(p *term.Pen, found []blue.Beside) {
	for _, hit := range found {
		p.Paragraph(hit.Title, term.Bold|term.Heading)
		p.About(hit.Ref, hit.Words()...)
		if hit.Snippet != "" {
			p.Snippet(hit.Snippet, hit.Marks)
		}
	}
}
