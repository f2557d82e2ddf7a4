package marker

import (
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
	open := a.outcome == NoMarker && !a.shared || a.outcome == Outside
	if open && h.Source.listed() && c.stop == nil {
		c.stop = &stopped{source: h.Source, answer: a}
	}
	if a.outcome == Outside && c.outside == nil {
		c.outside = &a
	}
	if a.outcome != Junk && (a.start != "" || a.outcome == Outside) && c.named == "" {
		c.named = h.Field
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
		return c.fail(ctx, c.stop.source, a)
	case c.outside != nil:
		return c.fail(ctx, "", *c.outside)
	}
	return c.failure(ctx, errors.ProjectNotFound(), Failure{}, c.near)
}

// fail is the failure that one answer makes.
func (c *chooser) fail(ctx context.Context, s Source, a answer) error {
	f := Failure{source: s}
	switch {
	case a.err != nil:
		return c.failure(ctx, a.err, f, "")
	case a.outcome == Outside:
		return c.failure(ctx, errors.OutsideAllowed(a.outside, c.rules.Allowed), f, "")
	case a.outcome == NoMarker:
		f.reason = "Walked up from " + a.detail + "."
		return c.failure(ctx, errors.NotDetectedIn(a.path, a.suggestion()), f, a.start)
	}
	f.reason = strings.TrimSuffix(a.detail, ".") + "."
	return c.failure(ctx, errors.NotDetectedIn(a.path, ""), f, "")
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

// failure puts trace and candidates, the projects below dir, on e.
func (c *chooser) failure(ctx context.Context, e *errors.Error, f Failure, dir string) error {
	f.Trace, f.cwd, f.Candidates = c.trace, c.rules.Cwd, []string{}
	if f.cwd == "" {
		f.cwd = "<unknown>"
	}
	if dir != "" {
		var roots []string
		if c.disk(ctx, dir, func(*ground) { roots = nearby(dir) }) == nil {
			f.Candidates = append(f.Candidates, roots...)
		}
	}
	f.room = maxText - len(e.Message) - 1
	for _, h := range e.Hints {
		f.room -= len(h.Text) + len(h.Verb) + len(h.Args) + len("hint:  (blue_ )\n")
	}
	return e.With(f)
}

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
