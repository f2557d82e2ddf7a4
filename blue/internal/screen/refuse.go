package screen

import (
	"fmt"
	"slices"
	"strings"

	"blue/errors"
)

// allowComment allows a secret on its line. Only people can write it, because text from a tool in
// which [Allows] finds one is refused.
var allowComment = lazyPattern(` ?<!--[ \t]*blue:allow[ \t]+([0-9a-z-]+?)[ \t]*-->`)

// Allows returns the places of comments that allow a secret on their line, with the rule that each
// names.
func Allows(text string) []Finding {
	if !strings.Contains(text, "blue:allow") { // fast path, since the pattern is slow
		return nil
	}
	var spans []span
	for _, m := range allowComment().FindAllStringSubmatchIndex(text, -1) {
		start := m[0] + strings.IndexByte(text[m[0]:], '<')
		spans = append(spans, span{rule: text[m[2]:m[3]], start: start, end: m[1]})
	}
	return toFindings(text, spans)
}

// Unallowed returns the findings of [Secrets] except those whose rule is allowed by a comment on
// their first line. The comments themselves are removed first, so that adding one does not change
// the findings; columns are those without them.
func Unallowed(text string) []Finding {
	allows := Allows(text)
	if len(allows) > 0 {
		text = allowComment().ReplaceAllString(text, "")
	}
	found := Secrets(text)
	allowed := map[Finding]bool{}
	for _, a := range allows {
		allowed[Finding{Rule: a.Rule, Line: a.Line}] = true
	}
	return slices.DeleteFunc(found, func(f Finding) bool { return allowed[Finding{Rule: f.Rule, Line: f.Line}] })
}

// AllowSecrets marks the lines of a text that look like secrets as allowed if allow is true, which
// only a person may set.
func AllowSecrets(text string, allow bool) string {
	if !allow {
		return text
	}
	return Allow(text, Unallowed(text))
}

// Allow returns the text with the comment added to the first line of each finding, so that
// [Unallowed] ignores it.
func Allow(text string, found []Finding) string {
	lines := strings.Split(text, "\n")
	for _, f := range found {
		note := "<!-- blue:allow " + f.Rule + " -->"
		if f.Line > len(lines) || strings.Contains(lines[f.Line-1], note) {
			continue
		}
		line, end := strings.CutSuffix(lines[f.Line-1], "\r")
		lines[f.Line-1] = line + " " + note
		if end {
			lines[f.Line-1] += "\r"
		}
	}
	return strings.Join(lines, "\n")
}

// Refuse returns an error for text that must not reach the disk: text with hidden characters or
// with secrets. Only text that a write adds is judged, so that an old finding in another line does
// not block an edit. The comment that allows a line counts only if allow is true, which only a
// person may set.
func Refuse(field, before, after string, allow bool) error {
	if found := Added(before, after, Hidden); len(found) > 0 {
		first := found[0]
		what := fmt.Sprintf("holds the hidden character %s on line %d, column %d", first.Code, first.Line, first.Column)
		return refusal(errors.HiddenText, field, what, found).Hint("", "", `leave it out, or write it as text such as \u{200B}`)
	}
	secrets := Secrets
	if allow {
		secrets = Unallowed
	} else if found := Added(before, after, Allows); len(found) > 0 {
		what := fmt.Sprintf("holds a comment on line %d that allows a secret (%s), which only a person can",
			found[0].Line, found[0].Rule)
		return refusal(errors.SecretDetected, field, what, found).
			Hint("", "", "leave the comment out; a person can allow a line: on the page, or at the terminal with --allow-secret")
	}
	if found := Added(before, after, secrets); len(found) > 0 {
		return refusal(errors.SecretDetected, field,
			fmt.Sprintf("holds a secret on line %d: %s", found[0].Line, found[0].Rule), found).
			Hint("", "", "write a reference in its place: the name of a variable such as ${API_TOKEN}, or of an item in a vault").
			Hint("", "", "if it is not a secret, a person can allow the line: on the page, or at the terminal with --allow-secret")
	}
	return nil
}

// Spot is a finding in a field of a call or in a file. It has no value, because refused text is
// never repeated.
type Spot struct {
	Field string `json:"field"` // "body", "title", or the name of a file
	Finding
}

// refused is the detail of a refusal: at most 20 spots, and the number of the others.
type refused struct {
	Spots []Spot `json:"spots"`
	More  int    `json:"more"`
}

// Text describes the spots after the first, which is in the message.
func (r refused) Text() string {
	var lines []string
	for _, s := range r.Spots[1:] {
		lines = append(lines,
			fmt.Sprintf("also %s, line %d, column %d: %s", errors.Quote(s.Field), s.Line, s.Column, s.Rule+s.Code))
	}
	return strings.Join(lines, "\n")
}

// refusal returns the error for the findings; what describes the first one.
func refusal(kind errors.Kind, field, what string, found []Finding) *errors.Error {
	if n := len(found) - 1; n > 0 {
		what += fmt.Sprintf(", and %d more", n)
	}
	var r refused
	for _, f := range found[:min(len(found), 20)] {
		r.Spots = append(r.Spots, Spot{field, f})
	}
	r.More = len(found) - len(r.Spots)
	return errors.E(kind, "%s %s", errors.Quote(field), what).With(r)
}
