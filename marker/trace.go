package marker

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"blue/errors"
)

// Outcomes of a candidate (detection.md section 11).
const (
	Used         = "used"          // led to the project of this reply
	OtherProject = "other_project" // another entry of the same list led to another project
	Outranked    = "outranked"     // leads to another project, but a higher source won
	Absent       = "absent"        // no value, or no such source on this door
	Empty        = "empty"         // the client answered with an empty list
	NoAnswer     = "no_answer"     // the client failed, or stayed silent
	Unusable     = "unusable"      // names no directory that can be read
	Junk         = "junk"          // never a project by place or owner
	Outside      = "outside"       // not one of the directories a server serves
	NoMarker     = "no_marker"     // walked, nothing found
	Refused      = "refused"       // marker found and refused
	Stopped      = "stopped"       // skipped by the stop rule, or by an earlier field
)

// Tried is a line of the trace: one for each source in the order of the chain,
// one for each entry of a list. On success it ends at the winner, but for entries
// that led to other projects.
type Tried struct {
	Source  Source  `json:"source"`
	Value   *string `json:"value"` // as heard, made visible, at most 4,096 bytes; nil for none
	Outcome string  `json:"outcome"`
	Detail  string  `json:"detail"` // for people
}

// add traces h.
func (c *chooser) add(h Candidate, outcome, detail string) {
	if h.Name != "" {
		detail = strings.TrimSuffix(fmt.Sprintf("name %q; %s", cut(h.Name, 200), detail), "; ")
	}
	t := Tried{Source: h.Source, Outcome: outcome, Detail: errors.Visible(detail)}
	if h.Value != "" || h.Outcome == "" && outcome != Absent {
		value := cut(h.Value, maxPath)
		t.Value = &value
	}
	c.trace = append(c.trace, t)
}

// cut makes text visible and keeps at most n bytes of it.
func cut(text string, n int) string {
	text = errors.Visible(text[:min(n, len(text))])
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Failure is the detail of a detection error: its exported fields are members of
// the JSON object, its text the lines below the first.
type Failure struct {
	Trace      []Tried  `json:"trace"`
	Candidates []string `json:"candidates"` // projects below the directory meant

	source Source // that failed, empty for none
	reason string // why, as a sentence
	cwd    string
	room   int // bytes that the lines may take
}

const maxText = 2 << 10 // bytes of a whole failure

// Text returns the lines below the first: the source that failed and why, the
// process directory, what was tried, what was not set, and the projects nearby.
func (f Failure) Text() string {
	var head, tried, unset, tail []string
	if f.source != "" {
		head = append(head, strings.TrimSpace(fmt.Sprintf("Source: %s. %s", f.source, cut(f.reason, 400))))
	}
	head = append(head, "Process cwd: "+cut(f.cwd, 200))
	for _, t := range f.Trace {
		if t.Outcome == Absent {
			unset = append(unset, string(t.Source))
			continue
		}
		tried = append(tried, t.line())
	}
	if len(unset) > 0 {
		tail = append(tail, "Not set: "+strings.Join(unset, ", "))
	}
	if len(f.Candidates) > 0 {
		tail = append(tail, "Projects below: "+some(f.Candidates, 400))
	}
	lines := append(head, fit(tried, f.room-size(head)-size(tail))...)
	return strings.Join(append(lines, tail...), "\n")
}

func (t Tried) line() string {
	value, why := "(no value)", t.Outcome
	if t.Value != nil {
		value = cut(*t.Value, 150)
	}
	if t.Detail != "" {
		why += ": " + cut(t.Detail, 250)
	}
	return fmt.Sprintf("- %s: %s - %s", t.Source, value, why)
}

// some joins paths as long as they fit into n bytes, and counts the rest.
func some(paths []string, n int) string {
	text := ""
	for i, path := range paths {
		path = errors.Visible(path)
		if len(text)+len(path) > n {
			return strings.TrimPrefix(fmt.Sprintf("%s, and %d more", text, len(paths)-i), ", ")
		}
		text = strings.TrimPrefix(text+", "+path, ", ")
	}
	return text
}

// size is the bytes that lines take, each with its line end.
func size(lines []string) (n int) {
	for _, line := range lines {
		n += len(line) + 1
	}
	return n
}

// fit keeps the first and last lines, as many as have room, and counts those
// between.
func fit(lines []string, room int) []string {
	if size(lines) <= room {
		return lines
	}
	room -= len("- … 1000000 more\n")
	first, last := 0, len(lines)
	for front := true; first < last; front = !front {
		next := lines[first]
		if !front {
			next = lines[last-1]
		}
		if room -= len(next) + 1; room < 0 {
			break
		}
		if front {
			first++
		} else {
			last--
		}
	}
	kept := append([]string{}, lines[:first]...)
	kept = append(kept, fmt.Sprintf("- … %d more", last-first))
	return append(kept, lines[last:]...)
}
