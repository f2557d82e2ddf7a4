package marker

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blue/errors"
)

// remember keeps what a candidate that led nowhere means for the rest: session
// roots may stop the chain, and the failure names what was seen.
func (c *chooser) remember(h Candidate, a answer) {
	if c.lost == "" {
		c.lost = h.Led
	}
	open := a.outcome == NoMarker && !a.shared || a.outcome == Outside
	if open && h.Source.listed() && c.stop == nil {
		c.stop = &stopped{source: h.Source, answer: a, at: len(c.trace) - 1}
	}
	if a.outcome == Outside && c.outside == nil {
		c.outside = &a
	}
	if a.outcome != Junk && (a.start != "" || a.outcome == Outside) && c.named == "" {
		c.named = h.Field
	}
	if len(a.projects) > 0 {
		c.several = a.projects
	}
	if h.Source == Cwd && a.missing {
		c.rules.Cwd = "" // deleted under the process
	}
	if h.Source == Cwd && a.outcome == NoMarker && !a.shared {
		c.near = a.start
	}
}

// nothing is the failure of a chain that came to its end.
func (c *chooser) nothing(ctx context.Context) error {
	c.reach(len(chain))
	switch {
	case c.stop != nil:
		a := c.stop.answer
		if !a.linked {
			a.repository = ""
		}
		return c.fail(ctx, c.stop.source, a, c.stop.at)
	case c.outside != nil:
		return c.fail(ctx, "", *c.outside, -1)
	}
	e := errors.ProjectNotFound()
	e.Hints = c.steps("", c.near)
	return c.failure(ctx, e, Failure{at: -1}, answer{start: c.near, projects: c.several})
}

// fail is the failure that one answer makes; at is its place in the trace.
func (c *chooser) fail(ctx context.Context, s Source, a answer, at int) error {
	f := Failure{source: s, at: at}
	e := a.err
	switch {
	case e != nil:
		f.reason = "leads there from " + a.path
		if e.Kind == errors.BadPath || e.Kind == errors.FSTimeout {
			f.reason = a.detail
			e.Hints = c.steps(s, "")
		}
		return c.failure(ctx, e, f, answer{})
	case a.outcome == Outside:
		f.reason = a.detail
		advised := a.outside
		if a.outside != a.path {
			advised = ""
		}
		e = errors.OutsideAllowed(a.outside, advised, c.rules.Allowed)
		e.Hints = append(c.steps(s, ""), restart(c.rules, a))
		return c.failure(ctx, e, f, answer{})
	case a.outcome == NoMarker:
		f.reason = "no .blue/ there or above: " + strings.TrimPrefix(a.detail, a.path+": ")
		e = errors.NotDetectedIn(a.path, a.suggestion())
		e.Hints = c.steps(s, a.suggestion())
		return c.failure(ctx, e, f, a)
	}
	f.reason = a.detail
	if rest, ok := strings.CutPrefix(a.detail, a.path+" "); ok {
		f.reason = errors.Short(a.path, 200) + " " + rest
	}
	e = errors.NotDetectedIn(a.path, "")
	e.Hints = c.steps(s, "")
	return c.failure(ctx, e, f, answer{projects: a.projects})
}

// suggestion is where a project could be made: the repository, else the
// directory itself.
func (a answer) suggestion() string {
	switch {
	case a.repository != "":
		return a.repository
	case a.shared:
		return ""
	case a.file:
		return a.start
	}
	return a.path
}

// steps are the one or two next steps that fit a failure of a source, empty when none
// led anywhere. To make a project is the last of them, for a person, in dir, when that is
// not empty.
func (c *chooser) steps(s Source, dir string) (hints []errors.Hint) {
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
		hints = append(hints, errors.InitHint(dir))
	}
	return hints
}

// restart is the advice to serve one directory more: the command keeps those that are
// served. What a link leads to is not proposed, since the link may lead anywhere.
func restart(r Rules, a answer) errors.Hint {
	if a.outside != a.path {
		return errors.Hint{Text: "the path leads through a link out of the directories that this server serves; name a directory in them"}
	}
	return errors.ServeHint(r.Door.Restart, append(slices.Clone(r.Allowed), a.outside))
}

// sessionRoot looks at the roots of the session, when the call named another directory. It
// returns the root of the project there, if there is one, and what the client said and why
// that leads to it or to none.
func (c *chooser) sessionRoot(ctx context.Context) (root, said, why string) {
	if c.rules.Door.Root == nil {
		return "", "", ""
	}
	for _, h := range c.rules.Door.Root(ctx) {
		if outcome, _ := c.settled(h); outcome != "" {
			continue
		}
		a, err := c.examine(ctx, h)
		if err != nil {
			break
		}
		value := errors.Short(h.Value, 150)
		if a.outcome == Used {
			return a.found.Root, value, "leads to the project at " + errors.Short(a.found.Root, 150)
		}
		if said == "" {
			path, _ := h.path()
			said, why = value, Tried{Outcome: a.outcome, path: path, reason: a.detail}.why()
		}
	}
	return "", said, why
}

// failure puts trace, text and candidates on e: the projects that the answer names, or
// those below the directory where its walk began.
func (c *chooser) failure(ctx context.Context, e *errors.Error, f Failure, a answer) error {
	f.Trace, f.Candidates, f.named = c.trace, append([]string{}, a.projects...), len(a.projects) > 0
	f.cwd, f.door = cmp.Or(c.rules.Cwd, "<unknown>"), c.rules.Door
	if a.start != "" && len(f.Candidates) == 0 {
		var roots []string
		if c.disk(ctx, a.start, func(*ground) { roots = nearby(a.start) }) == nil {
			f.Candidates = append(f.Candidates, roots...)
		}
	}
	if f.source.Explicit() {
		var root string
		root, f.Root, f.rootWhy = c.sessionRoot(ctx)
		if f.source == Argument && root != "" {
			e.Hints = []errors.Hint{errors.OmitHint(root)}
		}
	}
	room := min(maxLines, maxText-len(e.Message)-1)
	for _, h := range e.Hints {
		room -= len(hintLine(h)) + 1
	}
	var whole bool
	if f.text, whole = f.lines(room); !whole {
		more := errors.Hint{Verb: "where", Text: "see all that was tried"}
		e.Hints = append(e.Hints, more)
		f.text, _ = f.lines(room - len(hintLine(more)) - 1)
	}
	return e.With(f)
}

// hintLine is a hint in the longest of its forms.
func hintLine(h errors.Hint) string { return "hint: " + h.ForModel() }

const (
	maxNearby  = 200  // directories looked at
	maxListing = 2000 // entries read of one directory
)

// nearby returns the directories at most two levels below dir that hold a
// marker, nearest first.
func nearby(dir string) (roots []string) {
	level, looked := []string{dir}, 0
	for range 2 {
		var below []string
		for _, parent := range level {
			for _, name := range subdirectories(parent) {
				if looked++; looked > maxNearby {
					return roots
				}
				child := filepath.Join(parent, name)
				below = append(below, child)
				if mark, err := os.Lstat(filepath.Join(child, Name)); err == nil && mark.IsDir() {
					roots = append(roots, child)
				}
			}
		}
		level = below
	}
	return roots
}

// subdirectories lists the directories in dir that people keep projects in, in
// the order of their names.
func subdirectories(dir string) (names []string) {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	entries, _ := f.ReadDir(maxListing)
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() && !strings.HasPrefix(name, ".") && name != "node_modules" && name != "vendor" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
