package hook

import (
	"context"
	"fmt"

	"blue/blue"
	"blue/blue/internal/deliveries"
)

// nudgeText asks the agent to write down what the session has settled.
const nudgeText = "If this session settled something that someone will need again, write it with blue_write now; if not, finish."

// nudge asks for a note at the end of a session, at most once, and only if the session changed
// files but no note.
func nudge(ctx context.Context, p *blue.Project, s *session, e event) (string, error) {
	switch {
	case e.Agent != "" || e.Working:
		return "", silence("a subagent has ended, or still works")
	case e.Stopping || s.Nudged:
		return "", silence("this session has been asked for a note already")
	case len(s.Edited) == 0:
		return "", silence("this session has changed no file")
	case len(s.Wrote) > 0:
		return "", silence("this session has written a note")
	}
	written, err := p.WrittenSince(ctx, s.Began)
	if err == nil && written {
		err = silence("a note was written or changed since the session began")
	}
	if err != nil {
		return "", err
	}
	if !s.update(func(s *seen) { s.Nudged = true }) {
		return "", fmt.Errorf("the session cannot be kept, and would be asked again")
	}
	s.record(p, deliveries.Stop, nudgeText, nil)
	return nudgeText, nil
}
