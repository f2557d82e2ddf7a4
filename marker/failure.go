package marker

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"blue/errors"
)

// Door is the way by which a call came, as far as a failure must know it: sources and
// next steps are named as the reader knows them.
type Door struct {
	Terminal bool // a person at a terminal; else a model
	HTTP     bool
	Session  bool // blue_use exists

	// Root gets what the client says of its roots, nil for nothing: a bad cwd may simply be
	// left out when they lead to a project.
	Root func(context.Context) []Candidate

	// Restart is how a server over HTTP was started: `--http ADDR` and further flags, but
	// without the directories that it serves, to which the advice adds one.
	Restart string
}

// name is a source as the reader knows it. The trace and logs have their own spelling.
func (d Door) name(s Source) string {
	switch s {
	case Argument:
		if d.Terminal {
			return "--cwd"
		}
		return "cwd argument"
	case Use:
		return "blue_use"
	case Flag:
		return "--project"
	case Codex:
		return "sandboxCwd of Codex"
	case Roots, Initialize:
		return "mcp_root (" + string(s) + ")"
	case Query:
		return "?project_path= or Blue-Project"
	case Env:
		return "BLUE_PROJECT"
	case Cwd:
		return "working directory"
	}
	return string(s)
}

// settable are the sources that a person, a model or a client could still name.
func (d Door) settable() []Source {
	switch {
	case d.Terminal:
		return []Source{Argument, Env}
	case d.HTTP && d.Session:
		return []Source{Argument, Use, Flag, Roots, Query, Env}
	case d.HTTP:
		return []Source{Argument, Flag, Roots, Query, Env}
	case d.Session:
		return []Source{Argument, Use, Flag, Roots, Env, ClaudeProjectDir, WorkspaceFolderPaths}
	}
	return []Source{Argument, Flag, Roots, Env, ClaudeProjectDir, WorkspaceFolderPaths}
}

// Failure is the detail of a detection error: its exported fields are members of
// the JSON object, its text the lines below the first.
type Failure struct {
	Trace      []Tried  `json:"trace"`
	Candidates []string `json:"candidates"`         // projects below the directory meant, or those that the client has open
	Root       string   `json:"mcp_root,omitempty"` // what the client said of its root

	source  Source // that failed, empty for none
	reason  string // why, as a sentence
	at      int    // of the trace, the entry that failed; -1 for none
	named   bool   // whether the source itself names the candidates
	rootWhy string // what became of Root
	cwd     string
	door    Door
	text    string
}

const (
	maxText  = 2 << 10 // bytes of a whole failure
	maxLines = 700     // bytes of what stands below its first line, hints included
)

// Text returns the lines below the first: the source that failed and why, the process
// directory, what else was heard and why it led nowhere, what could still be set, and the
// projects nearby.
func (f Failure) Text() string { return f.text }

// lines makes the text of the failure within room; whole reports that nothing is left out.
func (f Failure) lines(room int) (text string, whole bool) {
	var head, tried, tail []string
	if f.source != "" {
		head = append(head, fmt.Sprintf("Source: %s. %s: %s.", f.source, f.door.name(f.source), strings.TrimSuffix(errors.Short(f.reason, 300), ".")))
	}
	head = append(head, "Process cwd: "+errors.Short(f.cwd, 100))
	unset := map[Source]bool{}
	for i, t := range f.Trace {
		if t.Outcome == Absent && t.Detail == "" {
			unset[t.Source] = true
		} else if i != f.at {
			tried = append(tried, f.door.line(t))
		}
	}
	if f.Root != "" {
		tried = append(tried, "- mcp_root: "+f.Root+" - "+errors.Short(f.rootWhy, 160))
	}
	var names []string
	for _, s := range f.door.settable() {
		if unset[s] {
			names = append(names, f.door.name(s))
		}
	}
	if len(names) > 0 {
		tail = append(tail, "Not set: "+strings.Join(names, ", "))
	}
	if len(f.Candidates) > 0 {
		label := "Projects below: "
		if f.named {
			label = "Projects: "
		}
		tail = append(tail, label+errors.Paths(f.Candidates, min(300, max(100, room-size(head)-size(tail)-60))))
	}
	kept := fit(tried, room-size(head)-size(tail))
	return strings.Join(append(append(head, kept...), tail...), "\n"), len(kept) == len(tried)
}

// line says of one source what was heard and why it led nowhere.
func (d Door) line(t Tried) string {
	value := ""
	if t.Value != nil {
		value = " " + errors.Short(*t.Value, 150) + " -"
	}
	return fmt.Sprintf("- %s:%s %s", d.name(t.Source), value, errors.Short(t.why(), 160))
}

// why puts an outcome into plain words. The path that was heard stands before them.
func (t Tried) why() string {
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
		return "the client did not answer: " + detail
	}
	return cmp.Or(detail, t.Outcome)
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
