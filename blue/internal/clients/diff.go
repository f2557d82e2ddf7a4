package clients

import (
	"fmt"
	"slices"
	"strings"
)

// around is how many unchanged lines stand beside a change: few, because the
// neighbours of Blue's entry may hold secrets of other servers.
const around = 1

// maxTable bounds the table of the comparison. What lies beyond is shown as
// replaced whole.
const maxTable = 4 << 20

// Diff shows, in the unified format, how before becomes after; "" when equal.
func Diff(path string, before, after []byte) string {
	ops := compare(split(before), split(after))
	if !slices.ContainsFunc(ops, op.changes) {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", path, path)
	for i := 0; i < len(ops); i++ {
		if !ops[i].changes() {
			continue
		}
		last := i
		for j := i; j < len(ops) && j-last <= 2*around+1; j++ {
			if ops[j].changes() {
				last = j
			}
		}
		hunk(&b, ops, max(0, i-around), min(len(ops), last+around+1))
		i = last
	}
	return b.String()
}

// op is one line of a comparison: ' ' kept, '-' taken out, '+' put in.
type op struct {
	sign byte
	line string
}

func (o op) changes() bool { return o.sign != ' ' }

func hunk(b *strings.Builder, ops []op, start, end int) {
	count := func(ops []op, sign byte) (n int) {
		for _, o := range ops {
			if o.sign == ' ' || o.sign == sign {
				n++
			}
		}
		return n
	}
	from := func(sign byte) int { // a side without lines counts from the line before
		return count(ops[:start], sign) + min(1, count(ops[start:end], sign))
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", from('-'), count(ops[start:end], '-'), from('+'), count(ops[start:end], '+'))
	for _, o := range ops[start:end] {
		fmt.Fprintf(b, "%c%s", o.sign, o.line)
		if !strings.HasSuffix(o.line, "\n") {
			b.WriteString("\n\\ no newline at end of file\n")
		}
	}
}

func split(text []byte) []string { return slices.Collect(strings.Lines(string(text))) }

// compare keeps equal lines at both ends and a longest common part between.
func compare(a, b []string) []op {
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	ops := signed(' ', a[:head])
	ops = append(ops, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return append(ops, signed(' ', a[len(a)-tail:])...)
}

func signed(sign byte, lines []string) []op {
	var ops []op
	for _, line := range lines {
		ops = append(ops, op{sign, line})
	}
	return ops
}

func middle(a, b []string) []op {
	if len(a)*len(b) > maxTable {
		return append(signed('-', a), signed('+', b)...)
	}
	longest := lengths(a, b)
	var ops []op
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			ops = append(ops, op{' ', a[i]})
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			ops = append(ops, op{'-', a[i]})
			i++
		default:
			ops = append(ops, op{'+', b[j]})
			j++
		}
	}
	return append(append(ops, signed('-', a[i:])...), signed('+', b[j:])...)
}

// lengths holds at [i][j] the length of the longest common part of a[i:] and b[j:].
func lengths(a, b []string) [][]int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			table[i][j] = max(table[i+1][j], table[i][j+1])
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			}
		}
	}
	return table
}
