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

// Limits, in bytes unless stated otherwise. No byte is examined more than a fixed number of times.
const (
	minRandom  = 20       // length of a run of token characters that may be random
	minJoined  = 20       // size of joined words that can contain a secret, if they have a digit
	maxJoins   = 8        // lines over which a token may be split
	maxTries   = 4        // pattern runs within one run of token characters
	maxValue   = 512      // size of a value
	maxHeader  = 512      // size of a table header
	tokenReach = 1 << 10  // bytes that the pattern for a token may examine
	longReach  = 16 << 10 // bytes that the pattern for a long secret may examine
	maxGlue    = 16       // rest of a word around a secret
	maxData    = 40       // base64 around a secret
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
	var s scanner
	v := view{text: text, toText: func(start, end int) (int, int) { return start, end }}
	s.scanView(v)
	if plain, changed := decodeEscapes(text); changed {
		v = plain
		s.scanView(v)
	}
	s.scanDecoded(v)
	s.scanJoined(v)
	return toFindings(text, dropDuplicates(s.found))
}

// dropDuplicates removes what several views or rules found in one place, and prefers rules that
// know more about the form of a secret. What words of several lines hold only together never hides
// what one line holds: each line that looks like a secret keeps a finding of its own.
func dropDuplicates(spans []span) (kept []span) {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	var specific [generality + 1]cover // kept spans of rules at most that general
	ofKind := map[string]cover{}
	for _, joined := range []bool{false, true} {
		for general := range generality + 1 {
			fresh := map[string]cover{}
			for _, s := range spans {
				if s.joined != joined || generalityOf(s.rule) != general {
					continue
				}
				kind := s.rule
				if general == generality {
					kind = "" // one finding is enough, regardless of its rule
				}
				known := ofKind[kind].overlaps(s) || general > 0 && specific[general-1].overlaps(s)
				if n := len(fresh[kind]); !known && (n == 0 || fresh[kind][n-1].end <= s.start) {
					fresh[kind] = append(fresh[kind], s)
				}
			}
			for kind, spans := range fresh {
				kept = append(kept, spans...)
				ofKind[kind] = ofKind[kind].with(spans)
				for i := general; i <= generality; i++ {
					specific[i] = specific[i].with(spans)
				}
			}
		}
	}
	return kept
}

// cover is a set of spans, each with the farthest end of those up to it, in the order of their
// starts.
type cover []span

func (c cover) with(more cover) cover {
	c = slices.Concat(c, more)
	slices.SortFunc(c, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(c); i++ {
		c[i].end = max(c[i].end, c[i-1].end)
	}
	return c
}

// overlaps reports whether a span of the set overlaps s.
func (c cover) overlaps(s span) bool {
	before, _ := slices.BinarySearchFunc(c, s.end, func(k span, end int) int { return cmp.Compare(k.start, end) })
	return before > 0 && c[before-1].end > s.start
}

// generality is the generality of rules that depend on the text before a secret.
const generality = 2

// generalityOf returns 0 for a rule that knows the form of one vendor's secrets, 1 for a form that
// many vendors share, and generality for any form.
func generalityOf(rule string) int {
	switch rule {
	case namedRule.name, randomRule, codeRule, "authorization-header":
		return generality
	case vendorRule:
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

// toFindings converts spans into findings, in the order of the text.
func toFindings(text string, spans []span) []Finding {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.rule, b.rule))
	})
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
