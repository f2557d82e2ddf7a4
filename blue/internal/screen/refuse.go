package screen

import (
	"fmt"
	"slices"
	"strings"

	"blue/errors"
)

// allowComment allows a line on which it stands. A person writes it; no tool can, since
// text from a tool in which [Allows] finds one is refused.
var allowComment = lazyPattern(` ?<!--[ \t]*blue:allow[ \t]+([0-9a-z-]+?)[ \t]*-->`)

// Allows returns the places of the comments that allow a secret on their line,
// with the rule that each names.
func Allows(text string) []Finding {
	if !strings.Contains(text, "blue:allow") { // as nearly always: the pattern takes long
		return nil
	}
	var spans []span
	for _, m := range allowComment().FindAllStringSubmatchIndex(text, -1) {
		start := m[0] + strings.IndexByte(text[m[0]:], '<')
		spans = append(spans, span{rule: text[m[2]:m[3]], start: start, end: m[1]})
	}
	return toFindings(text, spans)
}

// Unallowed returns the findings of [Secrets] but those on whose first line a
// comment allows their rule. The comments themselves are not looked at, so that
// what is found does not change when one is added; columns are those without them.
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

// AllowSecrets marks the lines of a text that look like secrets as allowed, when a person
// says so.
func AllowSecrets(text string, allow bool) string {
	if !allow {
		return text
	}
	return Allow(text, Unallowed(text))
}

// Allow returns text with the comment added to the first line of each finding,
// so that [Unallowed] passes over them.
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

// Refuse refuses text that must not reach the disk: hidden characters, and what
// looks like a secret. Only what a write adds to the former text is judged, so an
// old fault in another line blocks no edit. The comment that allows a line counts
// only when a person says so.
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

// Spot is a place that screening refuses, in a field of a call or in a file. It
// holds no value: what is refused is never repeated.
type Spot struct {
	Field string `json:"field"` // "body", "title", or the name of a file
	Finding
}

// refused is the detail of a refusal: at most 20 spots, and how many more there are.
type refused struct {
	Spots []Spot `json:"spots"`
	More  int    `json:"more"`
}

// Text names the spots after the first, which the message names.
func (r refused) Text() string {
	var lines []string
	for _, s := range r.Spots[1:] {
		lines = append(lines,
			fmt.Sprintf("also %s, line %d, column %d: %s", errors.Quote(s.Field), s.Line, s.Column, s.Rule+s.Code))
	}
	return strings.Join(lines, "\n")
}

// refusal returns the error for what was found. It says what the first place holds.
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
