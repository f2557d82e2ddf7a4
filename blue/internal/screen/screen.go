// Package screen looks at text for two things that must not reach the disk:
// secrets and hidden characters. It is pure: text in, places out.
//
// A place never holds the value that stands there, so that nothing which prints
// or logs a [Finding] can repeat a secret.
//
// Only text that a write adds is judged, see [Added]; a whole file is judged by
// `blue check`, which honours the comment that allows a line, see [Unallowed].
package screen

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Finding is a place in a text. Lines and columns count from 1, columns in
// characters.
type Finding struct {
	Rule   string // the rule of a secret or of a comment that allows one; "" for a hidden character
	Line   int
	Column int
	Last   int  // the line on which it ends: Line, but for blocks of several lines
	Code   rune // the hidden character; 0 for a secret
}

// Secrets returns the places of what looks like a secret, in the order of the
// text, in time linear in its length. Placeholders and the examples that vendors
// print in their documentation pass. Comments that allow a line are not
// honoured.
func Secrets(text string) []Finding {
	var s scanner
	for v := range views(text) {
		s.scan(v)
	}
	return locate(text, distinct(s.found))
}

// distinct leaves out what two views or two rules found in one place: of a rule the
// first, and what goes by a name or header where a rule knows the form.
func distinct(spans []span) []span {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	last, known, end := map[string]int{}, []span(nil), 0
	for _, s := range spans {
		if !general(s.rule) {
			end = max(end, s.end)
			known = append(known, span{start: s.start, end: end})
		}
	}
	return slices.DeleteFunc(spans, func(s span) bool {
		kind, again := s.rule, false
		if general(s.rule) {
			kind = "" // of whatever name, one is enough
			before, _ := slices.BinarySearchFunc(known, s.end, func(k span, end int) int { return cmp.Compare(k.start, end) })
			again = before > 0 && known[before-1].end > s.start
		}
		again = again || s.start < last[kind]
		last[kind] = max(last[kind], s.end)
		return again
	})
}

// general reports whether a rule goes by what stands before a secret.
func general(rule string) bool { return rule == named.name || rule == "authorization-header" }

// Rules returns the names of the rules, each once, in the order of the table.
func Rules() []string {
	var names []string
	for _, r := range rules {
		if !slices.Contains(names, r.name) {
			names = append(names, r.name)
		}
	}
	return names
}

// Added returns what find sees in after and did not see in before: the findings
// of the text that a write adds. A finding is an old one when before has a
// finding of the same kind in the same lines; lines that stand there more often
// than before are new. It compares findings and not bare lines, because lines
// that were harmless apart can make a private key when they meet.
func Added(before, after string, find func(string) []Finding) []Finding {
	found := find(after)
	if len(found) == 0 {
		return nil
	}
	ids := map[string]int{}
	old := map[place]int{}
	for _, p := range places(before, find(before), ids) {
		old[p]++
	}
	var added []Finding
	for i, p := range places(after, found, ids) {
		if old[p]--; old[p] < 0 {
			added = append(added, found[i])
		}
	}
	return added
}

// place is a finding with a number for the text of its lines instead of their
// position.
type place struct {
	rule          string
	code          rune
	column, lines int
}

// places returns the place of each finding; ids holds the numbers of the line
// texts met so far.
func places(text string, found []Finding, ids map[string]int) []place {
	result := make([]place, len(found))
	line, first, last, id := 1, 0, 0, 0
	for i, f := range found {
		for ; line < f.Line; line++ {
			text = text[strings.IndexByte(text, '\n')+1:]
		}
		if f.Line != first || f.Last != last {
			lines := head(text, f.Last-f.Line+1)
			if ids[lines] == 0 {
				ids[lines] = len(ids) + 1
			}
			first, last, id = f.Line, f.Last, ids[lines]
		}
		result[i] = place{f.Rule, f.Code, f.Column, id}
	}
	return result
}

// head returns the first n lines of text, whatever their line ends.
func head(text string, n int) string {
	end := 0
	for ; n > 0 && end < len(text); n-- {
		if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
			end += i + 1
		} else {
			end = len(text)
		}
	}
	return strings.ReplaceAll(strings.TrimRight(text[:end], "\r\n"), "\r\n", "\n")
}

// span is a finding in bytes.
type span struct {
	rule       string
	code       rune
	start, end int
}

// locate turns spans into findings, in the order of the text.
func locate(text string, spans []span) []Finding {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.rule, b.rule))
	})
	var found []Finding
	line, column, seen := 1, 1, 0
	for _, s := range spans {
		line += strings.Count(text[seen:s.start], "\n")
		if i := strings.LastIndexByte(text[seen:s.start], '\n'); i >= 0 {
			column, seen = 1, seen+i+1
		}
		column += utf8.RuneCountInString(text[seen:s.start])
		seen = s.start
		last := line + strings.Count(text[s.start:s.end], "\n")
		found = append(found, Finding{Rule: s.rule, Line: line, Column: column, Last: last, Code: s.code})
	}
	return found
}
