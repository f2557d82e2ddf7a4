package marker

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"blue/errors"
)

// rememberDeadEnd records the consequences of a candidate that did not lead to a project: session
// roots may stop the chain, and the failure describes what was found.
func (c *chooser) rememberDeadEnd(h Candidate, a answer) {
	if c.lost == (place{}) {
		c.lost = c.rules.Memory.former(h)
	}
	open := a.outcome == NoMarker && !a.shared || a.outcome == Outside
	if open && h.Source.listsSeveral() && c.stoppedAt == nil {
		c.stoppedAt = &stopRule{source: h.Source, answer: a, at: len(c.trace) - 1}
	}
	if a.outcome == Outside && c.outside == nil {
		c.outside = &a
	}
	if len(a.projects) > 0 {
		c.severalProjects = a.projects
	}
	if h.Source == Cwd && a.missing {
		c.rules.Cwd = "" // the directory was deleted while the process was running
	}
	if h.Source == Cwd && a.outcome == NoMarker && !a.shared {
		c.nearDir, c.nearRoot = a.start, a.initDir()
	}
}

// failAtEnd returns the failure of a chain in which no candidate led to a project.
func (c *chooser) failAtEnd(ctx context.Context) error {
	c.traceAbsentUntil(len(chain))
	switch {
	case c.stoppedAt != nil:
		return c.failWithAnswer(ctx, c.stoppedAt.source, c.stoppedAt.answer, c.stoppedAt.at)
	case c.outside != nil:
		return c.failWithAnswer(ctx, "", *c.outside, -1)
	}
	e := errors.ProjectNotFound()
	e.Hints = c.nextSteps("", c.nearRoot)
	return c.buildFailure(ctx, e, Failure{at: -1}, answer{start: c.nearDir, projects: c.severalProjects})
}

// failWithAnswer returns the failure for the answer to a source; at is its index in the trace.
func (c *chooser) failWithAnswer(ctx context.Context, s Source, a answer, at int) error {
	f := Failure{source: s, at: at, reason: a.detail}
	e, start := a.err, answer{projects: a.projects}
	switch {
	case e != nil && (e.Kind == errors.BadPath || e.Kind == errors.FSTimeout):
		e.Hints = c.nextSteps(s, "")
	case e != nil:
		f.reason = "leads there from " + a.path
	case a.outcome == Outside:
		advised := a.outside
		if a.outside != a.path || isTooLarge(a.outside) {
			advised = ""
		}
		e = errors.OutsideAllowed(a.outside, advised, c.rules.Allowed)
		e.Hints = append(c.nextSteps(s, ""), serveHint(c.rules, a))
	case a.outcome == NoMarker:
		f.reason = "no .blue/ there or above: " + strings.TrimPrefix(a.detail, a.path+": ")
		e = errors.NotDetectedIn(a.path, a.initDir())
		e.Hints = c.nextSteps(s, a.initDir())
		start = a
	default:
		if rest, ok := strings.CutPrefix(a.detail, a.path+" "); ok {
			f.reason = errors.CutMiddle(errors.Path(a.path), 120) + " " + rest
		}
		e = errors.NotDetectedIn(a.path, "")
		e.Hints = c.nextSteps(s, "")
	}
	return c.buildFailure(ctx, e, f, start)
}

// nextSteps returns one or two hints for a failure of a source, which is empty if no source led
// anywhere. If dir is not empty, the last hint tells a person to create a project there.
func (c *chooser) nextSteps(s Source, dir string) (hints []errors.Hint) {
	d := c.rules.Door
	pass := "pass cwd: the absolute path of the directory you work in"
	if d.Terminal {
		pass = "name the directory of the project: --cwd DIR"
	}
	text := pass
	switch s {
	case Use:
		text = "call blue_use without arguments to end the choice, or " + pass
	case Flag:
		text = "correct --project where the client starts `blue mcp`, or " + pass
	case Query:
		text = "correct ?project_path= in the URL of the server, or the header Blue-Project, or " + pass
	case Env:
		text = "correct or unset BLUE_PROJECT where Blue is started, or " + pass
	case "":
		if d.HTTP {
			text += ", or set ?project_path= in the URL of the server, or the header Blue-Project"
		}
	}
	hints = append(hints, errors.Hint{Text: text})
	if dir != "" {
		hints = append(hints, errors.Hint{Verb: "init", Args: errors.Argument(dir), Text: "to make a new project"})
	}
	return hints
}

// serveHint returns the hint to serve one more directory, with a command that keeps those that are
// served. It does not propose the target of a link, since the link may lead anywhere.
func serveHint(r Rules, a answer) errors.Hint {
	if a.outside != a.path {
		return errors.Hint{Text: "the path leads through a link out of the directories that this server serves; name a directory in them"}
	}
	if isTooLarge(a.outside) {
		return errors.Hint{Text: "name a directory that this server serves: that one is too large for a project, or belongs to the system"}
	}
	args := r.Door.Restart
	for _, dir := range append(slices.Clone(r.Allowed), a.outside) {
		args += " --allow-root " + errors.Argument(dir)
	}
	return errors.Hint{Verb: "mcp", Args: strings.TrimSpace(args),
		Text: "to serve it too, if that is the root of the project"}
}

// systemDirs are directories at the root of the file system of which a server should serve no part.
// Of largeDirs it should only serve directories at least two levels below.
var (
	systemDirs = []string{"bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "run", "sbin", "sys", "System", "Library", "Windows", "Program Files"}
	largeDirs  = []string{"home", "Users", "usr", "var", "private"}
)

// isTooLarge reports whether a server should not be advised to serve a directory: one near the
// root, a home directory, or a part of the system. It does not access the disk.
func isTooLarge(dir string) bool {
	parts := strings.FieldsFunc(dir[len(filepath.VolumeName(dir)):], isSeparator)
	return len(parts) < 2 || slices.Contains(systemDirs, parts[0]) || len(parts) < 3 && slices.Contains(largeDirs, parts[0])
}

// lookAtSessionRoots examines the roots of the session when the call named another directory. It
// returns the root of the project there, if any, the root that the client named, and why that leads
// to the project or to none.
func (c *chooser) lookAtSessionRoots(ctx context.Context) (root, said, why string) {
	if c.rules.Door.Root == nil {
		return "", "", ""
	}
	for _, h := range c.rules.Door.Root(ctx) {
		if outcome, _ := c.skippedOutcome(h); outcome != "" {
			continue
		}
		a, err := c.lookAtCandidate(ctx, h)
		if err != nil {
			break
		}
		value := errors.Short(h.Value, 150)
		if a.outcome == Used {
			return a.found.Root, value, "leads to the project at " + errors.Short(a.found.Root, 150)
		}
		if said == "" {
			path, _ := h.parseValue()
			said, why = value, Tried{Outcome: a.outcome, path: path, reason: a.detail}.describeOutcome()
		}
	}
	return "", said, why
}

// buildFailure adds trace, text and candidates to e. The candidates are the projects that the
// answer names.
func (c *chooser) buildFailure(ctx context.Context, e *errors.Error, f Failure, a answer) error {
	f.Trace, f.Candidates = c.trace, append([]string{}, a.projects...)
	f.cwd, f.door = cmp.Or(c.rules.Cwd, "<unknown>"), c.rules.Door
	if f.source.Explicit() {
		var root string
		root, f.Root, f.rootWhy = c.lookAtSessionRoots(ctx)
		if f.source == Argument && root != "" {
			e.Hints, f.leads = []errors.Hint{{Text: "omit cwd: this session's root is " + errors.Path(root)}}, true
		}
	}
	near := cmp.Or(a.start, c.rules.Cwd)
	if f.at >= 0 {
		near = cmp.Or(c.trace[f.at].path, near)
	}
	if hint, ok := c.openedHint(ctx, near); ok && len(e.Hints) > 0 && !f.leads && slices.Contains([]errors.Kind{errors.NoProject, errors.NotDetected, errors.BadPath}, e.Kind) {
		last := len(e.Hints)
		if e.Hints[last-1].Verb == "init" {
			last--
		}
		e.Hints = slices.Insert(e.Hints, last, hint)
	}
	if f.text = f.render(); len(f.tried()) > triedShown {
		e.Hints = append(e.Hints, errors.Hint{Verb: "where", Text: "see all that was tried"})
	}
	return e.With(f)
}

// Opened is a project that the user has opened before.
type Opened struct{ Name, Root string }

// openedHint returns the hint to use a project that was opened before, with those nearest to a
// directory that still exist. It returns false if there is none, and also without a session: there
// no call may affect the result of a later one.
func (c *chooser) openedHint(ctx context.Context, near string) (hint errors.Hint, ok bool) {
	if d := c.rules.Door; d.Opened == nil || !d.Session {
		return hint, false
	}
	all := c.rules.Door.Opened()
	nearest := slices.Clone(all)
	slices.SortStableFunc(nearest, func(a, b Opened) int { return cmp.Compare(distance(a.Root, near), distance(b.Root, near)) })
	var named []string
	for _, p := range nearest[:min(len(nearest), openedLooked)] {
		text := "blue_use " + errors.Visible(p.Root)
		if p.isCalledAlone(all) {
			text = "blue_use " + p.Name
		}
		if len(named) == openedNamed || len(strings.Join(named, ", "))+len(text) > openedBytes {
			break
		}
		isMarked := false
		err := c.runOnDisk(ctx, p.Root, func(*resolvedRules) {
			info, err := os.Lstat(filepath.Join(p.Root, Name))
			isMarked = err == nil && info.IsDir()
		})
		if err == nil && isMarked {
			named = append(named, text)
		}
	}
	return errors.Hint{Text: "or use a project that was opened before: " + strings.Join(named, ", ")}, len(named) > 0
}

// isCalledAlone reports whether the name of the project is a plain word that names no other
// project.
func (p Opened) isCalledAlone(all []Opened) bool {
	other := func(o Opened) bool { return o != p && (o.Name == p.Name || filepath.Base(o.Root) == p.Name) }
	return len(p.Name) <= openedName && plainName.MatchString(p.Name) && !slices.ContainsFunc(all, other)
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// distance returns the number of steps up and down from one directory to another.
func distance(from, to string) int {
	split := func(path string) []string { return strings.FieldsFunc(path, isSeparator) }
	a, b := split(from), split(to)
	common := 0
	for common < min(len(a), len(b)) && a[common] == b[common] {
		common++
	}
	return len(a) + len(b) - 2*common
}

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
