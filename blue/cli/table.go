package cli

import (
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

const (
	narrowest = 4 // columns of a cell, below which a table is none
	gap       = 3 // columns between cells: " │ "
)

// table lays out a Markdown table; one with too many columns for the room becomes
// a list of its cells.
func (s *sheet) table(n *east.Table, room int) (lines [][]glyph) {
	rows := s.rows(n)
	natural := make([]int, len(n.Alignments))
	for _, row := range rows {
		for i, cell := range row {
			natural[i] = max(natural[i], columnsOf(cell))
		}
	}
	room -= gap * (len(natural) - 1)
	if room < narrowest*len(natural) {
		return s.records(rows, room+gap*(len(natural)-1))
	}
	wide := shares(natural, room)
	tall := false
	for _, row := range rows {
		for i, cell := range row {
			tall = tall || columnsOf(cell) > wide[i]
		}
	}
	for i, row := range rows {
		if i == 1 || i > 1 && tall {
			lines = append(lines, crossing(wide))
		}
		lines = append(lines, cells(row, wide, n.Alignments)...)
	}
	return lines
}

// rows are the cells of a table, the header first, each row with as many as there
// are columns.
func (s *sheet) rows(n *east.Table) (rows [][][]glyph) {
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		line := make([][]glyph, len(n.Alignments))
		l := look(0)
		if row.Kind() == east.KindTableHeader {
			l = bold
		}
		cell := row.FirstChild()
		for i := range line {
			if cell != nil {
				line[i] = s.cell(cell, l)
				cell = cell.NextSibling()
			}
		}
		rows = append(rows, line)
	}
	return rows
}

// cell is the text of a cell, which may be broken anywhere.
func (s *sheet) cell(n ast.Node, l look) []glyph {
	line := s.inline(n, l)
	for i := range line {
		line[i].look &^= whole
	}
	return line
}

// cells is one row of a table.
func cells(row [][]glyph, wide []int, sides []east.Alignment) (lines [][]glyph) {
	parts, height := make([][][]glyph, len(row)), 1
	for i, cell := range row {
		parts[i] = wrap(cell, wide[i])
		height = max(height, len(parts[i]))
	}
	for at := range height {
		var line []glyph
		for i, part := range parts {
			var text []glyph
			if at < len(part) {
				text = part[at]
			}
			if i > 0 {
				line = append(line, glyphs(" │ ", faint)...)
			}
			line = append(line, aligned(text, wide[i], sides[i])...)
		}
		lines = append(lines, line)
	}
	return lines
}

func aligned(text []glyph, room int, side east.Alignment) []glyph {
	free := room - columnsOf(text)
	switch side {
	case east.AlignRight:
		return append(fill(nil, free), text...)
	case east.AlignCenter:
		text = append(fill(nil, free/2), text...)
	}
	return fill(text, room)
}

func crossing(wide []int) (line []glyph) {
	for i, n := range wide {
		if i > 0 {
			line = append(line, glyphs("─┼─", faint)...)
		}
		line = append(line, rule(n)...)
	}
	return line
}

// records says a table row by row, a line for each cell.
func (s *sheet) records(rows [][][]glyph, room int) (lines [][]glyph) {
	for i, row := range rows[1:] {
		if i > 0 {
			lines = append(lines, nil)
		}
		for at, cell := range row {
			name := append(rows[0][at][:len(rows[0][at]):len(rows[0][at])], glyphs(": ", 0)...)
			lines = append(lines, wrap(append(name, cell...), room)...)
		}
	}
	return lines
}

// shares divides the room among columns: each has what it needs when that is no
// more than an equal share of what the others leave.
func shares(need []int, room int) []int {
	wide := make([]int, len(need))
	left, open := room, len(need)
	for given := true; given && open > 0; {
		given = false
		for i, n := range need {
			if wide[i] == 0 && n <= left/open {
				wide[i] = max(n, 1)
				left -= wide[i]
				open--
				given = true
				if open == 0 {
					break
				}
			}
		}
	}
	for i := range wide {
		if wide[i] == 0 {
			wide[i] = left / open
			left -= wide[i]
			open--
		}
	}
	return wide
}
