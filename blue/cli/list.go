package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
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

// rows lays out a list as a table. What does not fit is cut.
func (p *pen) rows(r blue.Rows) {
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
	wide := columnsIn(table, p.room)
	for _, row := range table[1:] {
		if columnsOf(toGlyphs(row[0], 0)) > wide[0] { // who wants the note needs the whole id
			p.stack(table[1:])
			table = nil
			break
		}
	}
	if len(table) > 1 {
		p.table(table, wide)
	}
	p.tail(r.Tail())
}

// stack writes the rows of a table below each other, each with its whole id.
func (p *pen) stack(rows [][]string) {
	for _, row := range rows {
		p.lines(wrapLines(toGlyphs(row[1], bold), p.room))
		words := slices.DeleteFunc(slices.Clone(row[2:]), func(word string) bool { return word == "" })
		p.about(row[0], words, p.room)
	}
}

// table writes rows in columns of those widths, the first row faint and the second
// column bold; a column without width is left out.
func (p *pen) table(rows [][]string, wide []int) {
	for at, row := range rows {
		var line []glyph
		for i, n := range wide {
			if n == 0 {
				continue
			}
			l := faint
			if at > 0 && i < 2 {
				l = []look{0, bold}[i]
			}
			if i > 0 {
				line = append(line, padLine(nil, 2)...)
			}
			line = append(line, cutLine(toGlyphs(row[i], l), n)...)
		}
		p.line(line)
	}
}

// columnsIn are the widths of the columns of a list. The id, by which a note is
// named, and the title, which mostly says the same, share what the others leave;
// where that is too little, others are left out.
func columnsIn(table [][]string, room int) []int {
	wide, most := make([]int, 6), []int{room, room, 12, 9, 12, room / 5}
	for i, head := range table[0] {
		for _, row := range table[1:] {
			wide[i] = max(wide[i], columnsOf(toGlyphs(row[i], 0)))
		}
		if wide[i] > 0 { // a column without a cell needs no head
			wide[i] = min(max(wide[i], len(head)), most[i])
		}
	}
	left := room - 2
	for _, n := range wide[2:] {
		left -= n + 2*min(n, 1)
	}
	for _, i := range []int{5, 2, 4, 3} {
		if left < 34 && wide[i] > 0 {
			left += wide[i] + 2
			wide[i] = 0
		}
	}
	if left = max(left, 8); wide[0]+wide[1] > left {
		wide[1] = min(wide[1], max(left*2/5, left-wide[0]))
		wide[0] = left - wide[1]
	}
	return wide
}

// cutLine is the start of a line that fits, with … when something was left out, and
// filled up with spaces.
func cutLine(line []glyph, room int) []glyph {
	if columnsOf(line) > room {
		used, end, l := 1, 0, look(0)
		for ; end < len(line) && used+line[end].wide <= room; end++ {
			used, l = used+line[end].wide, line[end].look
		}
		line = append(line[:end:end], glyph{"…", l, 1})
	}
	return padLine(line, room)
}
