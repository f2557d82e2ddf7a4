package marker

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"blue/errors"
)

// Door is the interface through which a call came. It determines how failures name sources and next
// steps.
type Door struct {
	Terminal bool // a person at a terminal; otherwise a model
	HTTP     bool
	Session  bool // blue_use is available
	Choosing bool // the call is blue_use, whose argument cwd is its source

	// Root returns what the client says about its roots. It may be nil. If the roots lead to a
	// project, a bad cwd can be omitted.
	Root func(context.Context) []Candidate

	// Opened returns the projects that the user has opened before, the most recently used first. It
	// is nil if the reader must not be shown them.
	Opened func() []Opened

	// Restart has the arguments with which a server over HTTP was started, `--http ADDR` and
	// further flags, without the served directories, to which the hint adds one.
	Restart string
}

// sourceNames has the names of sources for readers, where they differ from those in the trace.
var sourceNames = map[Source]string{
	Argument:   "cwd argument",
	Use:        "blue_use",
	Flag:       "--project",
	Codex:      "sandboxCwd of Codex",
	Roots:      "mcp_root (roots)",
	Initialize: "mcp_root (initialize)",
	Query:      "?project_path= or Blue-Project",
	Env:        "BLUE_PROJECT",
	Cwd:        "working directory",
}

// sourceName returns the name of a source for the reader.
func (d Door) sourceName(s Source) string {
	if s == Argument && d.Terminal {
		return "--cwd"
	}
	return cmp.Or(sourceNames[s], string(s))
}

func (t Tried) isUnset() bool { return t.Outcome == Absent && t.Detail == "" }

// Failure is the detail of a detection error: its exported fields are members of the JSON object,
// and its text is the lines below the first.
type Failure struct {
	Trace      []Tried  `json:"trace"`
	Candidates []string `json:"candidates"`         // projects of the directories that the client has open
	Root       string   `json:"mcp_root,omitempty"` // the root according to the client

	source  Source // the source that failed, "" for none
	reason  string // why, as a sentence
	at      int    // index in the trace of the entry that failed; -1 for none
	rootWhy string // the result for Root
	leads   bool   // Root leads to a project
	cwd     string
	door    Door
	text    string
}

// Text returns the lines below the first: the source that failed and why, the process directory,
// what else was tried and why it failed, and the projects that the client has open.
func (f Failure) Text() string { return f.text }

// tried returns the sources that had a value, without the one that failed.
func (f Failure) tried() (tried []Tried) {
	for i, t := range f.Trace {
		if !t.isUnset() && i != f.at {
			tried = append(tried, t)
		}
	}
	return tried
}

// render renders the text of the failure.
func (f Failure) render() string {
	var lines []string
	if f.source != "" {
		lines = append(lines, fmt.Sprintf("Source: %s. %s: %s.", f.source, f.door.sourceName(f.source), strings.TrimSuffix(errors.Short(cutPaths(f.reason), 300), ".")))
	}
	lines = append(lines, "Process cwd: "+errors.Short(f.cwd, 100))
	tried := f.tried()
	for i, t := range tried {
		switch more := len(tried) - triedShown; {
		case more <= 0 || i < triedShown/2 || i >= more+triedShown/2:
			lines = append(lines, f.door.describeTried(t))
		case i == triedShown/2:
			lines = append(lines, fmt.Sprintf("- … %d more", more))
		}
	}
	if f.Root != "" {
		lines = append(lines, "- mcp_root: "+f.Root+" - "+errors.Short(cutPaths(f.rootWhy), 160))
	}
	if len(f.Candidates) > 0 {
		lines = append(lines, "Projects: "+errors.Paths(f.Candidates, 300))
	}
	return strings.Join(lines, "\n")
}

// describeTried describes the value of one source and why it did not lead to a project.
func (d Door) describeTried(t Tried) string {
	value := ""
	if t.Value != nil {
		value = " " + errors.CutMiddle(errors.Visible(*t.Value), 150) + " -"
	}
	return fmt.Sprintf("- %s:%s %s", d.sourceName(t.Source), value, errors.Short(cutPaths(t.describeOutcome()), 160))
}

// cutPaths cuts the long words of a reason, which are paths, in their middle: the reason behind them
// must not be lost.
func cutPaths(reason string) string {
	words := strings.Split(errors.Visible(reason), " ")
	for i, word := range words {
		words[i] = errors.CutMiddle(word, 100)
	}
	return strings.Join(words, " ")
}

// describeOutcome describes an outcome in plain words that follow the path.
func (t Tried) describeOutcome() string {
	detail := strings.TrimPrefix(t.reason, "is not usable: ")
	if t.path != "" {
		detail = strings.TrimPrefix(strings.TrimPrefix(detail, t.path+" "), t.path+": ")
	}
	switch t.Outcome {
	case NoMarker:
		return "no .blue/ there or above: " + detail
	case Stopped:
		return "not used: " + detail
	case Absent:
		return "not set: " + detail
	case Empty:
		return "the client has no roots"
	case NoAnswer:
		return "the client sent no roots: " + detail
	}
	return cmp.Or(detail, t.Outcome)
}
