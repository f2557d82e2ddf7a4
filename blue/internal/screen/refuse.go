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
		spots := listSpots(field, found)
		return errors.Hidden(spots[0], spots[1:]...)
	}
	secrets := Secrets
	if allow {
		secrets = Unallowed
	} else if found := Added(before, after, Allows); len(found) > 0 {
		spots := listSpots(field, found)
		return errors.AllowedByTool(spots[0], spots[1:]...)
	}
	if found := Added(before, after, secrets); len(found) > 0 {
		spots := listSpots(field, found)
		return errors.Secret(spots[0], spots[1:]...)
	}
	return nil
}

func listSpots(field string, found []Finding) []errors.Spot {
	spots := make([]errors.Spot, len(found))
	for i, f := range found {
		spots[i] = errors.Spot{Field: field, Rule: f.Rule, Line: f.Line, Column: f.Column}
		if f.Rule == "" { // U+0000 is a hidden character too
			spots[i].Code = fmt.Sprintf("U+%04X", f.Code)
		}
	}
	return spots
}
