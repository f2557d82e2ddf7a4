package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
)

// blue search WORDS... [--type WORD] [--tags TAG] [--since WHEN] [--limit N] [--in SHELF] [--all] [--projects NAME] [--prefix] [--explain]
func (d *door) search() *cli.Command {
	return d.verb(&cli.Command{
		Name: "search", Usage: "find notes by words, a question, an identifier or an error message", ArgsUsage: "WORDS...",
		Flags: append(filterFlags("10"),
			&cli.StringSliceFlag{Name: "in", Usage: "only the `SHELF` notes, documents or commits; several with commas"},
			&cli.BoolFlag{Name: "all", Usage: "search all projects that you have opened on this machine, this one first"},
			&cli.StringSliceFlag{Name: "projects", Aliases: []string{"project"}, Usage: "search the project `NAME` too, after this one; several with commas"},
			&cli.BoolFlag{Name: "prefix", Usage: "the last word may be the start of a word (on a terminal it always may)"},
			&cli.BoolFlag{Name: "explain", Usage: "show how each score is made up"}),
	}, func(c *cli.Context, p *blue.Project) (result, error) {
		others := c.StringSlice("projects")
		if c.Bool("all") {
			others = append(others, "*")
		}
		return p.Search(c.Context, blue.Query{
			Text: strings.Join(c.Args().Slice(), " "), Type: c.String("type"), Tags: c.StringSlice("tags"), Since: c.String("since"),
			In: c.StringSlice("in"), Projects: others, Limit: c.Int("limit"), MaxTokens: c.Int("max-tokens"), Cursor: c.String("cursor"),
			Prefix: c.Bool("prefix") || d.std.Width > 0 && !d.json, Explain: c.Bool("explain"), Brief: d.std.Width > 0 && !d.json,
		})
	})
}

// hits lays out what a search found: the words that were asked for stand out.
func (p *pen) hits(h blue.Hits) {
	room := min(p.room, measure)
	for _, hit := range h.Hits {
		p.lines(wrapLines(toGlyphs(hit.Title, bold|heading), room))
		words := append([]string{hit.Type, hit.AgeAndEvidence()}, hit.Remarks()...)
		if len(hit.Tags) > 0 {
			words = append(words, "#"+strings.Join(hit.Tags, " #"))
		}
		about := append(toGlyphs(hit.ID, whole), toGlyphs(dot+strings.Join(words, dot), faint)...)
		p.lines(addMargin(padLine(nil, 2), padLine(nil, 2), wrapLines(about, room-2)))
		if hit.Snippet != "" {
			p.lines(addMargin(padLine(nil, 2), padLine(nil, 2), wrapLines(marked(hit), room-2)))
		}
		if sum := hit.Sum(); sum != "" {
			p.lines(addMargin(padLine(nil, 2), padLine(nil, 2), wrapLines(toGlyphs(sum, faint), room-2)))
		}
	}
	p.tail(h.Tail())
}

// marked is a snippet in which what was asked for stands out.
func marked(hit blue.Hit) (line []glyph) {
	at := 0
	for _, m := range hit.Marks {
		line = append(line, toGlyphs(hit.Snippet[at:m[0]], 0)...)
		line = append(line, toGlyphs(hit.Snippet[m[0]:m[1]], bold|underlined)...)
		at = m[1]
	}
	return append(line, toGlyphs(hit.Snippet[at:], 0)...)
}
