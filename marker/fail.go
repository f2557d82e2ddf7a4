package marker

import (
	"cmp"
	"context"
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
