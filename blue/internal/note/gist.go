package note

import (
	"regexp"
	"strings"

	"blue/errors"
)

// outcome matches the heading or label above a decision.
var outcome = regexp.MustCompile(`(?im)^[ #*_>-]*(?:the )?(?:decision|outcome|resolution|conclusion|solution|fix|entscheidung|beschluss|lösung)(?: outcome)?[ *_]*(?::[ *_]*|$)`)

// rejection and reason match the heading or label above the reason for setting a note aside. The last
// rejection is the surest: it is added when a note is rejected.
var (
	rejection = regexp.MustCompile(`(?im)^[ #*_>-]*(?:why (?:it was )?rejected|rejected|rejection|abgelehnt)[ *_]*(?::[ *_]*|$)`)
	reason    = regexp.MustCompile(`(?im)^[ #*_>-]*(?:reasons?|why(?: not)?|rationale|begründung|grund)[ *_]*(?::[ *_]*|$)`)
)

// Gist returns a summary of a note in one line of at most n characters: the text below a heading
// such as "Decision", or the beginning.
func Gist(body string, n int) string { return below(outcome, body, n) }

// Beginning returns the beginning of a note, without its headings, in one line of at most n characters.
func Beginning(body string, n int) string { return CutSentence(firstSection(body), n) }

// Reason returns why a note is set aside, in the form of [Gist]: the text below a heading such as
// "Reason" or "Rejected", or the gist.
func Reason(body string, n int) string {
	code := BlankCode(body)
	if all := rejection.FindAllStringIndex(code, -1); len(all) > 0 {
		return below(rejection, body[all[len(all)-1][0]:], n)
	}
	if reason.MatchString(code) {
		return below(reason, body, n)
	}
	return Gist(body, n)
}

// below returns the text below a heading, or the beginning.
func below(heading *regexp.Regexp, body string, n int) string {
	if at := heading.FindStringIndex(BlankCode(body)); at != nil {
		if text := firstSection(body[at[1]:]); text != "" {
			return CutSentence(text, n)
		}
	}
	return Beginning(body, n)
}

// CutSentence shortens a line to at most n characters. It cuts behind a sentence if that leaves at
// least half, else behind a word; a line that was cut ends with ….
func CutSentence(text string, n int) string {
	clipped := errors.Clip(text, n)
	if clipped == text {
		return text
	}
	kept := strings.TrimSuffix(clipped, "…")
	if ends := sentenceEnd.FindAllStringIndex(kept, -1); len(ends) > 0 {
		if end := ends[len(ends)-1][1]; end >= len(kept)/2 {
			return kept[:end] + "…"
		}
	}
	if at := strings.LastIndexByte(kept, ' '); at >= len(kept)/2 {
		return kept[:at] + " …"
	}
	return clipped
}

// firstSection returns the text before the first heading that follows any text, on one line.
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
