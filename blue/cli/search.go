package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
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

// hits lays out what a search found: the words that were asked for stand out.
func (p *pen) hits(h blue.Hits) {
	room := min(p.room, measure)
	for _, hit := range h.Hits {
		p.lines(wrapLines(toGlyphs(hit.Title, bold|heading), room))
		words := append([]string{hit.Type, hit.AgeAndEvidence()}, hit.Remarks()...)
		if len(hit.Tags) > 0 {
			words = append(words, "#"+strings.Join(hit.Tags, " #"))
		}
		p.about(hit.ID, words, room)
		if hit.Snippet != "" {
			p.lines(addMargin(padLine(nil, 2), padLine(nil, 2), wrapLines(marked(hit), room-2)))
		}
		if sum := hit.Sum(); sum != "" {
			p.lines(addMargin(padLine(nil, 2), padLine(nil, 2), wrapLines(toGlyphs(sum, faint), room-2)))
		}
	}
	p.tail(h.Tail())
}

// about writes the whole id of a note, and words about it behind or below that.
func (p *pen) about(id string, words []string, room int) {
	line := append(toGlyphs(id, whole), toGlyphs(dot+strings.Join(words, dot), faint)...)
	if columnsOf(toGlyphs(id+dot+words[0], 0)) > room-2 {
		line = append(toGlyphs(id+"\n", whole), toGlyphs(strings.Join(words, dot), faint)...)
	}
	p.lines(addMargin(padLine(nil, 2), padLine(nil, 2), wrapLines(line, room-2)))
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
