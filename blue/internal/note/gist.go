package note

import (
	"regexp"
	"strings"

	"blue/errors"
)

// outcome is the heading, or the label of a line, above what a note has decided.
var outcome = regexp.MustCompile(`(?im)^[ #*_>-]*(?:the )?(?:decision|outcome|resolution|conclusion|solution|fix|entscheidung|beschluss|lösung)(?: outcome)?[ *_]*(?::[ *_]*|$)`)

// reason is the heading, or the label of a line, above why a note is set aside.
var reason = regexp.MustCompile(`(?im)^[ #*_>-]*(?:reasons?|why(?: not| rejected| it was rejected)?|rationale|rejected|rejection|begründung|grund|abgelehnt)[ *_]*(?::[ *_]*|$)`)

// Gist is what a note says in short, on one line of at most n characters: what stands below
// a heading such as "Decision", else the beginning.
func Gist(body string, n int) string { return below(outcome, body, n) }

// Reason is why a note is set aside, as [Gist]: what stands below a heading such as "Reason" or
// "Rejected", else the gist.
func Reason(body string, n int) string {
	if reason.MatchString(BlankCode(body)) {
		return below(reason, body, n)
	}
	return Gist(body, n)
}

// below is what stands below a heading, else the beginning.
func below(heading *regexp.Regexp, body string, n int) string {
	if at := heading.FindStringIndex(BlankCode(body)); at != nil {
		if text := firstSection(body[at[1]:]); text != "" {
			return errors.Clip(text, n)
		}
	}
	return errors.Clip(firstSection(body), n)
}

// firstSection is the text up to the first heading that stands below some of it, on one line.
func firstSection(body string) string {
	var b strings.Builder
	plain, at := BlankCode(body), 0
	for line := range strings.Lines(body) {
		level, _ := parseHeading(strings.TrimSpace(plain[at : at+len(line)]))
		at += len(line)
		if level == 0 {
			b.WriteString(line)
		} else if strings.TrimSpace(b.String()) != "" {
			break
		}
	}
	return OneLine(b.String())
}
