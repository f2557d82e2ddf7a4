package marker

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"blue/errors"
)

// Choose returns the project of the first candidate that leads to one. It takes candidates one at a
// time and only as many as needed, so that a source that must be asked is asked only if no earlier
// one has led to a project.
//
// Errors have a kind of detection and a [Failure] as detail, except for those of Candidate.Ask,
// which are returned unchanged, and those of a ctx that is done.
func Choose(ctx context.Context, r Rules, from iter.Seq[Candidate]) (Found, error) {
	if r.limiter == nil {
		r.limiter = newDiskLimiter(maxJobs)
	}
	c := &chooser{rules: r, timeLeft: diskTimeout, trace: make([]Tried, 0, len(chain))}
	for candidate := range from {
		if c.won && !c.isInWinningList(candidate) {
			break
		}
		if err := c.tryCandidate(ctx, candidate); err != nil {
			return Found{}, err
		}
	}
	if c.won {
		c.found.Trace = c.trace
		if c.found.Lost == "" {
			r.Memory.Accept(c.found)
		}
		return c.found, nil
	}
	return Found{}, c.failAtEnd(ctx)
}

// tryCandidate tries a candidate, or the entries returned by its Ask function.
func (c *chooser) tryCandidate(ctx context.Context, h Candidate) error {
	if h.Ask == nil {
		return c.evaluateCandidate(ctx, h)
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
		if err := c.evaluateCandidate(ctx, entry); err != nil {
			return err
		}
	}
	return nil
}

// evaluateCandidate tries a candidate whose value is known, and records the outcome in the trace.
func (c *chooser) evaluateCandidate(ctx context.Context, h Candidate) error {
	if c.won {
		return c.evaluateBelowWinner(ctx, h)
	}
	c.traceAbsentUntil(slices.Index(chain, h.Source))
	c.entriesHeard++
	if c.overListLimit(h.Source) {
		if c.entriesHeard == maxEntries+1 {
			c.appendTrace(h, Unusable, fmt.Sprintf("limit %d: neither this entry nor one after it is examined", maxEntries))
		}
		return nil
	}
	if outcome, detail := c.skippedOutcome(h); outcome != "" {
		c.appendTrace(h, outcome, detail)
		if (outcome == NoAnswer || outcome == Empty) && c.lost == (place{}) {
			c.lost = c.rules.Memory.former(h)
		}
		if outcome == Unusable && h.Source.Explicit() {
			return c.failWithAnswer(ctx, h.Source, answer{err: errors.PathUnusable(h.Value, detail), detail: detail}, len(c.trace)-1)
		}
		return nil
	}
	a, err := c.lookAtCandidate(ctx, h)
	if err != nil {
		return err
	}
	c.appendTrace(h, a.outcome, a.detail)
	switch {
	case a.outcome == Used:
		c.acceptWinner(h, a.found)
	case a.final || h.Source.Explicit():
		return c.failWithAnswer(ctx, h.Source, a, len(c.trace)-1)
	default:
		c.rememberDeadEnd(h, a)
	}
	return nil
}

// acceptWinner makes f the result of the call.
func (c *chooser) acceptWinner(h Candidate, f Found) {
	c.won, c.found = true, f
	c.found.Source, c.found.Value = h.Source, h.Value
	c.compareWithFormer(h)
	c.knownProjects = []Found{f}
}

// compareWithFormer warns if the session worked in another project before. A change must not reach
// the winner then, unless it is a new project below the former one.
func (c *chooser) compareWithFormer(h Candidate) {
	former, isNew := c.lost, false
	if former == (place{}) {
		former = c.rules.Memory.former(h)
		isNew = former != (place{}) && isBelow(c.found.Root, former.root)
	}
	if former == (place{}) {
		former = c.rules.Memory.passed(c.found)
	}
	if former == (place{}) || former.is(c.found) {
		return
	}
	warning := "this session worked in the project at " + errors.Short(former.root, 200) + " before; " + string(h.Source) + " leads to this one now"
	if isNew {
		warning = "this project is new: " + string(h.Source) + " led to the one at " + errors.Short(former.root, 200) + " before"
	} else {
		c.found.Lost = former.root
	}
	c.found.Warnings = append(slices.Clone(c.found.Warnings), warning)
}

func (c *chooser) isInWinningList(h Candidate) bool {
	return h.Source == c.found.Source && h.Source.listsSeveral()
}

// evaluateBelowWinner examines an entry of the winner's list after the winner. It changes only the
// trace and the list of other roots.
func (c *chooser) evaluateBelowWinner(ctx context.Context, h Candidate) error {
	if !c.isInWinningList(h) {
		return nil
	}
	c.traceAbsentUntil(slices.Index(chain, h.Source))
	c.entriesHeard++
	if settled, _ := c.skippedOutcome(h); settled != "" || c.overListLimit(h.Source) {
		return nil
	}
	a, err := c.lookAtCandidate(ctx, h)
	if err != nil {
		return err
	}
	if a.outcome == Unusable && a.final {
		c.appendTrace(h, Unusable, a.detail)
	}
	isSame := func(f Found) bool { // even by another path
		return f.Root == a.found.Root || f.Inode != 0 && f.Device == a.found.Device && f.Inode == a.found.Inode
	}
	if a.outcome != Used || slices.ContainsFunc(c.knownProjects, isSame) {
		return nil
	}
	c.knownProjects = append(c.knownProjects, a.found)
	c.appendTrace(h, OtherProject, a.found.Root)
	c.found.OtherRoots = append(c.found.OtherRoots, a.found.Root)
	return nil
}

// Find returns the root of the project at or above start, an absolute path or file: URI, as if a
// person had named it. Errors are like those of [Choose].
func Find(ctx context.Context, r Rules, start string) (root string, err error) {
	found, err := Choose(ctx, r, slices.Values([]Candidate{{Source: Argument, Value: start}}))
	return found.Root, err
}

// chooser is the state of one call of [Choose].
type chooser struct {
	rules    Rules
	resolved *resolvedRules // nil before the first look at the disk
	timeLeft time.Duration  // what is left of the time limit for disk work

	trace        []Tried
	nextSource   int // index in chain of the first source that is not in the trace yet
	entriesHeard int // number of entries from the source before nextSource

	won           bool
	found         Found
	knownProjects []Found // the winner and the other projects in the trace

	stoppedAt       *stopRule // set if later implicit sources do not count
	outside         *answer   // the first answer for a directory that is not served
	lost            place     // project that a dead end led to before
	nearDir         string    // the process directory, if it is in no project
	nearRoot        string    // where a project for it could be created
	severalProjects []string  // projects of WORKSPACE_FOLDER_PATHS, if there are several
}

// stopRule is the first session root that exists and does not lead to a project.
type stopRule struct {
	source Source
	answer answer
	at     int // index in the trace
}

func (h Candidate) parseValue() (string, error) {
	switch {
	case h.Source == WorkspaceFolderPaths:
		return h.Value, nil
	case h.URI && !isFileURI(h.Value):
		return "", errors.PathUnusable(h.Value, "a root must be a file: URI")
	}
	return Parse(h.Value)
}

// traceAbsentUntil advances to the source at an index of the chain, and records earlier sources
// without a candidate as absent.
func (c *chooser) traceAbsentUntil(at int) {
	if at < c.nextSource {
		return
	}
	for _, s := range chain[c.nextSource:at] {
		if !c.won {
			c.trace = append(c.trace, Tried{Source: s, Outcome: Absent})
		}
	}
	c.nextSource, c.entriesHeard = at+1, 0
}

func (c *chooser) overListLimit(s Source) bool {
	return s.listsSeveral() && c.entriesHeard > maxEntries
}

// skippedOutcome returns the outcome of a candidate whose value need not be examined, and "" for
// any other.
func (c *chooser) skippedOutcome(h Candidate) (outcome, detail string) {
	if h.Outcome != "" {
		return h.Outcome, h.Detail
	}
	if detail, ok := h.Source.absentReason(h.Value); ok {
		return Absent, detail
	}
	if c.stoppedAt != nil && c.stoppedAt.source != h.Source && !h.Source.Explicit() {
		return Stopped, "the client has " + c.stoppedAt.answer.path + " open, and it has no .blue/"
	}
	return "", ""
}

// lookAtCandidate parses the value of h and examines the disk, within the remaining time.
func (c *chooser) lookAtCandidate(ctx context.Context, h Candidate) (answer, error) {
	path, err := h.parseValue()
	if err != nil {
		e := errors.Of(err)
		return answer{path: h.Value, outcome: Unusable, detail: e.Err.Error(), err: e}, nil
	}
	var a answer
	err = c.runOnDisk(ctx, path, func(g *resolvedRules) {
		switch h.Source {
		case WorkspaceFolderPaths:
			a = g.lookAtFolders(h.Value)
		case Argument:
			a = g.lookAtNearest(path)
		default:
			a = g.lookAtPath(path)
		}
	})
	if errors.Is(err, errors.FSTimeout) {
		return silentAnswer(path), nil
	}
	if err != nil {
		return answer{}, err
	}
	return a, nil
}

// runOnDisk runs a job within the remaining time of the call.
func (c *chooser) runOnDisk(ctx context.Context, path string, job func(*resolvedRules)) error {
	g, rules, begin := c.resolved, c.rules, time.Now()
	err := rules.limiter.runWithin(ctx, c.timeLeft, path, func() {
		if g == nil {
			g = rules.resolve()
		}
		job(g)
	})
	c.timeLeft -= time.Since(begin)
	if err != nil {
		return err
	}
	c.resolved = g
	return nil
}

// appendTrace adds a candidate and its outcome to the trace.
func (c *chooser) appendTrace(h Candidate, outcome, detail string) {
	t := Tried{Source: h.Source, Outcome: outcome, reason: errors.Short(detail, maxDetail)}
	t.path, _ = h.parseValue()
	if h.Name != "" {
		detail = strings.TrimSuffix(fmt.Sprintf("name %q; %s", errors.Short(h.Name, 200), detail), "; ")
	}
	t.Detail = errors.Short(detail, maxDetail)
	if h.Value != "" || h.Outcome == "" && outcome != Absent {
		value := errors.Short(h.Value, maxPath)
		t.Value = &value
	}
	c.trace = append(c.trace, t)
}
