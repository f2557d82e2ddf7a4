package errors

import (
	"fmt"
	"strings"
)

// Spot is a place that screening refuses, in a field of a call or in a file. It
// holds no value: what is refused is never repeated.
type Spot struct {
	Field  string `json:"field"`          // "body", "title", or the name of a file
	Rule   string `json:"rule,omitempty"` // of a secret
	Code   string `json:"code,omitempty"` // of a hidden character, such as U+200B
	Line   int    `json:"line"`
	Column int    `json:"column"` // in characters; both count from 1
}

// Secret says that texts hold what looks like secrets. The first spot stands in the message, up to 20 in the detail.
func Secret(first Spot, more ...Spot) *Error {
	return E(SecretDetected, "%s holds a secret on line %d: %s%s", quote(first.Field), first.Line, first.Rule, others(more)).
		With(spots(first, more)).
		Hint("", "", "write a reference in its place: the name of a variable such as ${API_TOKEN}, or of an item in a vault").
		Hint("", "", "if it is not a secret, a person can allow the line: on the page, or at the terminal with --allow-secret")
}

// Hidden says that texts hold characters which nobody would see.
func Hidden(first Spot, more ...Spot) *Error {
	return E(HiddenText, "%s holds the hidden character %s on line %d, column %d%s",
		quote(first.Field), first.Code, first.Line, first.Column, others(more)).
		With(spots(first, more)).
		Hint("", "", `leave it out, or write it as text such as \u{200B}`)
}

// AllowedByTool says that text from a tool holds the comment by which a person
// allows a secret; a tool cannot.
func AllowedByTool(first Spot, more ...Spot) *Error {
	return E(SecretDetected, "%s holds a comment on line %d that allows a secret (%s), which only a person can%s",
		quote(first.Field), first.Line, first.Rule, others(more)).
		With(spots(first, more)).
		Hint("", "", "leave the comment out; a person can allow a line: on the page, or at the terminal with --allow-secret")
}

// others counts the spots beyond the first.
func others(more []Spot) string {
	if len(more) == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more", len(more))
}

// refused is the detail of a refusal: at most 20 spots, and how many more there are.
type refused struct {
	Spots []Spot `json:"spots"`
	More  int    `json:"more"`
}

func spots(first Spot, more []Spot) refused {
	all := append([]Spot{first}, more...)
	shown := all[:min(len(all), 20)]
	return refused{shown, len(all) - len(shown)}
}

// Text names the spots after the first, which the message names.
func (r refused) Text() string {
	var lines []string
	for _, s := range r.Spots[1:] {
		lines = append(lines, fmt.Sprintf("also %s, line %d, column %d: %s", quote(s.Field), s.Line, s.Column, s.Rule+s.Code))
	}
	return strings.Join(lines, "\n")
}
