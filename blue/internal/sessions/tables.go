package sessions

import (
	"bytes"
	"iter"
	"strings"
)

// inDatabase yields rows of a database.
func inDatabase(path string, rows func(d *database, yield func(row) bool)) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		d, err := openDatabase(path)
		if err != nil {
			yield(row{}, err)
			return
		}
		goesOn := true
		rows(d, func(r row) bool {
			goesOn = yield(r, nil)
			return goesOn
		})
		if err := d.close(); err != nil && goesOn {
			yield(row{}, err)
		}
	}
}

// A table is a table of a database.
type table struct {
	in      *database
	root    uint32
	columns []string
	indexes map[string]uint32 // roots of indexes by their first column
}

// table returns the table with a name. One that is not there has no rows.
func (d *database) table(name string) table {
	t := table{in: d, indexes: map[string]uint32{}}
	schema := table{in: d, root: 1, columns: []string{"type", "name", "tbl_name", "rootpage", "sql"}}
	for row := range schema.rows() {
		if row.text("tbl_name") != name {
			continue
		}
		columns := columnsOf(row.text("sql"))
		switch {
		case row.text("type") == "table":
			t.root, t.columns = uint32(row.number("rootpage")), columns
		case row.text("type") == "index" && len(columns) > 0:
			t.indexes[columns[0]] = uint32(row.number("rootpage"))
		}
	}
	return t
}

// columnsOf returns the names of the columns in a statement that creates a table or an index.
func columnsOf(sql string) (names []string) {
	_, sql, _ = strings.Cut(sql, "(")
	depth, start := 0, 0
	for i := 0; i < len(sql) && depth >= 0; i++ {
		switch sql[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth > 0 || depth == 0 && sql[i] != ',' {
			continue
		}
		if words := strings.Fields(sql[start:i]); len(words) > 0 {
			names = append(names, strings.Trim(words[0], "`\"[]"))
		}
		start = i + 1
	}
	return names
}

// A row is a row of a table.
type row struct {
	columns []string
	values  []any
}

func (r row) value(column string) any {
	for i, name := range r.columns {
		if name == column && i < len(r.values) {
			return r.values[i]
		}
	}
	return nil
}

func (r row) text(column string) string { return string(r.bytes(column)) }

func (r row) bytes(column string) []byte {
	text, _ := r.value(column).([]byte)
	return text
}

func (r row) number(column string) int64 {
	n, _ := r.value(column).(int64)
	return n
}

// rows yields all rows.
func (t table) rows() iter.Seq[row] {
	return func(yield func(row) bool) {
		t.in.start()
		t.in.walk(t.root, deepestTree, func(c cell) bool {
			return yield(row{t.columns, values(t.in.record(c))})
		})
	}
}

// where yields the rows in which a column has a text, by an index if there is one.
func (t table) where(column, text string) iter.Seq[row] {
	return func(yield func(row) bool) {
		if t.indexes[column] == 0 {
			for r := range t.rows() {
				if r.text(column) == text && !yield(r) {
					return
				}
			}
			return
		}
		t.in.start()
		t.in.seek(t.indexes[column], text, deepestTree, func(rowid int64) bool {
			record := t.in.find(t.root, rowid)
			return record == nil || yield(row{t.columns, values(record)})
		})
	}
}

// start allows the next walk as many pages as it needs to find by an index all the rows of pages
// that are full of short rows.
func (d *database) start() { d.budget = 4096 + 256*d.pages }

// walk visits the records of a table, and reports whether it shall go on.
func (d *database) walk(number uint32, depth int, visit func(cell) bool) bool {
	kind, cells := d.cells(number)
	if depth == 0 || kind != tableNode && kind != tableLeaf {
		return true
	}
	for c := range cells {
		if kind == tableLeaf && !visit(c) || kind == tableNode && !d.walk(c.child, depth-1, visit) {
			return false
		}
	}
	return true
}

// find returns the record of a table with a rowid.
func (d *database) find(number uint32, rowid int64) []byte {
	for range deepestTree {
		kind, cells := d.cells(number)
		if kind != tableNode && kind != tableLeaf {
			return nil
		}
		number = 0
		for c := range cells {
			if kind == tableLeaf && c.rowid == rowid {
				return d.record(c)
			}
			if kind == tableNode && rowid <= c.rowid {
				number = c.child
				break
			}
		}
	}
	return nil
}

// seek visits the rowids of an index whose first column is text, in the order of the index, and
// reports whether it shall go on.
func (d *database) seek(number uint32, text string, depth int, visit func(rowid int64) bool) bool {
	kind, cells := d.cells(number)
	if depth == 0 || kind != indexNode && kind != indexLeaf {
		return true
	}
	for c := range cells {
		columns := values(d.record(c)) // the last child has none
		order := 1
		if len(columns) > 0 {
			first, _ := columns[0].([]byte)
			order = bytes.Compare(first, []byte(text))
		}
		if kind == indexNode && order >= 0 && !d.seek(c.child, text, depth-1, visit) {
			return false
		}
		if len(columns) == 0 || order < 0 {
			continue
		}
		rowid, _ := columns[len(columns)-1].(int64)
		if order > 0 || !visit(rowid) {
			return false
		}
	}
	return true
}
