package config

import (
	"bytes"
	"strings"
)

// Block is a part of a text that begins and ends with marks.
type Block struct{ Begin, End string }

// Put returns before with the block, which has its marks, added at the end or brought up
// to date. Marks that do not pair are refused. A text without a line end at its end stays
// so, and Drop knows by it what was added.
func (b Block) Put(before []byte, block string) ([]byte, error) {
	nl := newline(before)
	text := strings.ReplaceAll(block, "\n", nl)
	start, end, err := b.find(before)
	switch {
	case err != nil:
		return nil, err
	case end > 0:
		return replace(before, start, end, text), nil
	}
	return appendApart(before, text+nl), nil
}

// Drop takes the block out; nil means that nothing is left.
func (b Block) Drop(before []byte) ([]byte, error) {
	start, end, err := b.find(before)
	if err != nil || end == 0 {
		return before, err
	}
	nl := newline(before)
	head, tail := string(before[:start]), strings.TrimPrefix(string(before[end:]), nl)
	switch {
	case end == len(before):
		head = strings.TrimSuffix(strings.TrimSuffix(head, nl), nl)
	case strings.HasSuffix(head, "\n"+nl):
		head = strings.TrimSuffix(head, nl)
	}
	after := []byte(head + tail)
	if len(after) == 0 {
		return nil, nil
	}
	return after, nil
}

// find tells where the block stands; end is 0 when there is none.
func (b Block) find(text []byte) (start, end int, err error) {
	start, end = bytes.Index(text, []byte(b.Begin)), bytes.Index(text, []byte(b.End))
	if start < 0 && end < 0 {
		return 0, 0, nil
	}
	pairs := bytes.Count(text, []byte(b.Begin)) == 1 && bytes.Count(text, []byte(b.End)) == 1
	if !pairs || end < start {
		return 0, 0, Fault{lineAt(text, max(start, end)), "the marks of Blue's block do not pair"}
	}
	return start, end + len(b.End), nil
}
