package marker

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"blue/errors"
)

const maxEntries = 32 // of one list that are examined

// Choose returns the project of the first candidate that leads to one. It takes
// candidates one at a time and no further than needed, so that a source that has
// to be asked is asked only when nothing before it has answered.
//
// Errors have a kind of detection and a [Failure] as detail, but for those of
// Candidate.Ask, which are returned as they are, and of a ctx that is over.
func Choose(ctx context.Context, r Rules, from iter.Seq[Candidate]) (Found, error) {
	if r.disk == nil {
		r.disk = newDisk()
	}
	c := &chooser{rules: r, left: patience, trace: make([]Tried, 0, len(chain))}
	for candidate := range from {
		if c.won && !r.Survey && !c.beside(candidate) {
			break
		}
		if err := c.take(ctx, candidate); err != nil {
			return Found{}, err
		}
	}
	if c.won {
		c.found.Trace = c.trace
		return c.found, nil
	}
	return Found{}, c.nothing(ctx)
}

// chooser is the state of one call.
type chooser struct {
	rules  Rules
	ground *ground       // nil before the first look at the disk
	left   time.Duration // of the deadline for disk work

	trace   []Tried
	next    int    // index in chain of the first source not traced yet
	entries int    // of the source before next that were heard
	named   string // the field of initialize that named a directory

	won   bool
	found Found
	field string  // of the winner
	known []Found // the winner and the other projects in the trace

	stop    *stopped // set when implicit sources further down do not count
	outside *answer  // the first that the server does not serve
	lost    string   // the root of a project that a candidate led to before
	near    string   // the process directory, when it lies in no project
	several []string // the projects of WORKSPACE_FOLDER_PATHS, when there are several
}

// stopped is the first session root that exists and leads to no project.
type stopped struct {
	source Source
	answer answer
	at     int // in the trace
}

func (c *chooser) take(ctx context.Context, h Candidate) error {
	if h.Ask == nil {
		return c.hear(ctx, h)
	}
	if c.won {
		return nil
	}
	entries, err := h.Ask(ctx)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		entries = []Candidate{{Outcome: Empty}}
	}
	for _, entry := range entries {
		entry.Source, entry.Ask = h.Source, nil
		if err := c.hear(ctx, entry); err != nil {
			return err
		}
	}
	return nil
}

// hear deals with one candidate that needs no asking.
func (c *chooser) hear(ctx context.Context, h Candidate) error {
	if c.won {
		return c.below(ctx, h)
	}
	c.reach(slices.Index(chain, h.Source))
	c.entries++
	if c.beyond(h.Source) {
		if c.entries == maxEntries+1 {
			c.add(h, Unusable, fmt.Sprintf("limit %d: neither this entry nor one after it is examined", maxEntries))
		}
		return nil
	}
	if outcome, detail := c.settled(h); outcome != "" {
		c.add(h, outcome, detail)
		if (outcome == NoAnswer || outcome == Empty) && c.lost == "" {
			c.lost = h.Led
		}
		if outcome == Unusable && h.Source.Explicit() {
			return c.fail(ctx, h.Source, answer{err: errors.PathUnusable(h.Value, detail), detail: detail}, len(c.trace)-1)
		}
		return nil
	}
	a, err := c.examine(ctx, h)
	if err != nil {
		return err
	}
	c.add(h, a.outcome, a.detail)
	switch {
	case a.outcome == Used:
		c.win(h, a.found)
	case a.final || h.Source.Explicit():
		return c.fail(ctx, h.Source, a, len(c.trace)-1)
	default:
		c.remember(h, a)
	}
	return nil
}

// reach comes to the source at an index of the chain; those before it that were
// not heard of are absent.
func (c *chooser) reach(at int) {
	if at < c.next {
		return
	}
	for _, s := range chain[c.next:at] {
		if !c.won {
			c.trace = append(c.trace, Tried{Source: s, Outcome: Absent})
		}
	}
	c.next, c.entries = at+1, 0
}

func (c *chooser) beyond(s Source) bool { return s.listed() && c.entries > maxEntries }

// settled returns the outcome of a candidate that is not looked at.
func (c *chooser) settled(h Candidate) (outcome, detail string) {
	if h.Outcome != "" {
		return h.Outcome, h.Detail
	}
	if detail, ok := h.Source.absent(h.Value); ok {
		return Absent, detail
	}
	if c.stop != nil && c.stop.source != h.Source && !h.Source.Explicit() {
		return Stopped, "the client has " + c.stop.answer.path + " open, and it has no .blue/"
	}
	if h.Source == Initialize && c.named != "" && c.named != h.Field {
		return Stopped, h.Field + " counts only when " + c.named + " names no directory"
	}
	return "", ""
}

// examine parses the value of h and looks at the disk, within what is left of
// the deadline.
func (c *chooser) examine(ctx context.Context, h Candidate) (answer, error) {
	path, err := h.path()
	if err != nil {
		e := errors.Of(err)
		return answer{path: h.Value, outcome: Unusable, detail: e.Err.Error(), err: e}, nil
	}
	var a answer
	err = c.disk(ctx, path, func(g *ground) {
		switch h.Source {
		case WorkspaceFolderPaths:
			a = g.folders(h.Value)
		case Argument:
			a = g.lookNear(path)
		default:
			a = g.look(path)
		}
	})
	if errors.Is(err, silent) {
		return answer{path: path, outcome: Unusable, detail: path + " did not answer within 3 s", err: errors.DiskSilent(path), final: true}, nil
	}
	if err != nil {
		return answer{}, err
	}
	return a, nil
}

func (h Candidate) path() (string, error) {
	switch {
	case h.Source == WorkspaceFolderPaths:
		return h.Value, nil
	case h.URI:
		return parseURI(h.Value)
	}
	return Parse(h.Value)
}

// disk runs the job; its time counts.
func (c *chooser) disk(ctx context.Context, path string, job func(*ground)) error {
	g, rules, begin := c.ground, c.rules, time.Now()
	err := rules.disk.run(ctx, c.left, path, func() {
		if g == nil {
			g = rules.survey()
		}
		job(g)
	})
	c.left -= time.Since(begin)
	if err != nil {
		return err
	}
	c.ground = g
	return nil
}
