package marker

import (
	"context"
	"fmt"
	"strings"
	"time"

	"blue/errors"
)

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
