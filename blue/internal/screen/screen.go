// Package screen finds two things in text that must not reach the disk: secrets and hidden
// characters. It is a pure function of the text.
//
// A [Finding] never contains the text at its place, so that code which prints or logs it cannot
// repeat a secret.
//
// Only text that a write adds is judged; see [Added]. `blue check` judges whole files and honours
// comments that allow a line; see [Unallowed].
package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"blue/errors"
)

// Finding is a place in a text. Lines and columns count from 1; columns count characters.
type Finding struct {
	Rule   string `json:"rule,omitempty"` // rule of a secret or of a comment that allows one; "" for a hidden character
	Code   string `json:"code,omitempty"` // code point of a hidden character, such as U+200B
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Last   int    `json:"-"` // last line; differs from Line only for multi-line blocks
}

// Secrets returns the places of apparent secrets in the order of the text, in time linear in its
// length. It ignores placeholders and the examples in vendors' documentation. It does not honour
// comments that allow a line.
func Secrets(text string) []Finding {
	found := append(scan(text), scanBase64(text)...)
	toText := func(at int) int { return at }
	plain := text
	for range maxEscapes {
		next, offsets := unescape(plain)
		if offsets == nil {
			break
		}
		before := toText
		plain, toText = next, func(at int) int { return before(offsets[at]) }
		for _, s := range scan(plain) {
			found = append(found, span{s.rule, toText(s.start), toText(s.end-1) + 1})
		}
	}
	return toFindings(text, dropOverlaps(found))
}

// maxEscapes is the number of times that a text may be escaped: JSON within JSON is common.
const maxEscapes = 3

// dropOverlaps keeps of overlapping spans the first one of the rule that knows most about the form
// of a secret.
func dropOverlaps(spans []span) (kept []span) {
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(generality(a.rule), generality(b.rule)), cmp.Compare(a.start, b.start))
	})
	for _, s := range spans {
		at, _ := slices.BinarySearchFunc(kept, s.end, func(k span, end int) int { return cmp.Compare(k.start, end) })
		if at == 0 || kept[at-1].end <= s.start {
			kept = slices.Insert(kept, at, s)
		}
	}
	return kept
}

// generality returns 0 for a rule that knows the form of one vendor's secrets, 1 for a form that
// many vendors share, and 2 for one that goes by the text before a secret.
func generality(rule string) int {
	switch rule {
	case namedRule, "authorization-header":
		return 2
	case "vendor-token":
		return 1
	}
	return 0
}

// Added returns the findings of find in after that it did not have in before: those of the text
// that a write adds. A finding is old if before has a finding of the same kind in the same lines;
// lines that occur more often than before are new. It compares findings and not lines, because
// lines that were harmless apart can form a private key when they are adjacent.
func Added(before, after string, find func(string) []Finding) []Finding {
	found := find(after)
	if len(found) == 0 {
		return nil
	}
	ids := map[string]int{}
	old := map[findingKey]int{}
	for _, p := range findingKeys(before, find(before), ids) {
		old[p]++
	}
	var added []Finding
	for i, p := range findingKeys(after, found, ids) {
		if old[p]--; old[p] < 0 {
			added = append(added, found[i])
		}
	}
	return added
}

// findingKey identifies a finding by the text of its lines, represented by a number, instead of
// their position.
type findingKey struct {
	rule, code    string
	column, lines int
}

// findingKeys returns the key of each finding; ids has the numbers of the line texts seen so far.
func findingKeys(text string, found []Finding, ids map[string]int) []findingKey {
	result := make([]findingKey, len(found))
	line, first, last, id := 1, 0, 0, 0
	for i, f := range found {
		for ; line < f.Line; line++ {
			text = text[strings.IndexByte(text, '\n')+1:]
		}
		if f.Line != first || f.Last != last {
			parts := strings.SplitAfterN(text, "\n", f.Last-f.Line+2)
			lines := strings.Join(parts[:min(len(parts), f.Last-f.Line+1)], "")
			lines = strings.ReplaceAll(strings.TrimRight(lines, "\r\n"), "\r\n", "\n") // regardless of line ends
			if ids[lines] == 0 {
				ids[lines] = len(ids) + 1
			}
			first, last, id = f.Line, f.Last, ids[lines]
		}
		result[i] = findingKey{f.Rule, f.Code, f.Column, id}
	}
	return result
}

// toFindings converts spans in the order of the text into findings.
func toFindings(text string, spans []span) []Finding {
	var found []Finding
	line, column, seen := 1, 1, 0
	for _, s := range spans {
		line, column, seen = advance(text, line, column, seen, s.start)
		last := line + strings.Count(text[s.start:s.end], "\n")
		found = append(found, Finding{Rule: s.rule, Line: line, Column: column, Last: last})
	}
	return found
}

// Hidden returns the places of the characters that docs/notes.md refuses. An invalid byte counts as
// U+FFFD. A carriage return before a newline is part of the line end and not reported.
func Hidden(text string) []Finding {
	count := 0
	for range errors.EachHidden(text, errors.HiddenInText) {
		count++
	}
	if count == 0 {
		return nil
	}
	found := make([]Finding, 0, count) // of which there may be a million
	codes := map[rune]string{}
	line, column, seen := 1, 1, 0
	for i, r := range errors.EachHidden(text, errors.HiddenInText) {
		line, column, seen = advance(text, line, column, seen, i)
		if codes[r] == "" {
			codes[r] = fmt.Sprintf("U+%04X", r)
		}
		found = append(found, Finding{Code: codes[r], Line: line, Column: column, Last: line})
	}
	return found
}

// advance returns the line and the column of the offset to, from those of an earlier offset.
func advance(text string, line, column, from, to int) (int, int, int) {
	line += strings.Count(text[from:to], "\n")
	if i := strings.LastIndexByte(text[from:to], '\n'); i >= 0 {
		column, from = 1, from+i+1
	}
	return line, column + utf8.RuneCountInString(text[from:to]), to
}
