package cli

import "slices"

// Table writes rows with id, title, type, age, state and tags below a header. Cells that do not fit
// are cut, except for the id.
func (p *pen) Table(rows [][]string) {
	wide := columnsIn(rows, p.room)
	for _, row := range rows[1:] {
		if columnsOfText(row[0]) > wide[0] {
			p.stack(rows[1:])
			return
		}
	}
	if len(rows) > 1 {
		p.table(rows, wide)
	}
}

// stack writes each row of a table on several lines, with the whole id.
func (p *pen) stack(rows [][]string) {
	for _, row := range rows {
		p.Paragraph(row[1], bold)
		words := slices.DeleteFunc(slices.Clone(row[2:]), func(word string) bool { return word == "" })
		p.About(row[0], words...)
	}
}

// table writes rows in columns of the given widths, with a faint header and a bold second column.
// columnsOfText of width 0 are left out.
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

// columnsIn returns the column widths of a list. Id and title share the space that the others
// leave. If that is too little, other columns are dropped.
func columnsIn(table [][]string, room int) []int {
	wide, most := make([]int, 6), []int{room, room, 12, 10, 12, room / 5}
	for i, head := range table[0] {
		for _, row := range table[1:] {
			wide[i] = max(wide[i], columnsOfText(row[i]))
		}
		if wide[i] > 0 { // empty columns have no header
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
