package hook

import (
	"context"

	"blue/blue"
	"blue/blue/internal/deliveries"
)

// sayStart is the digest. After a compaction or a resumption it begins with what the
// session had, and what the agent was told before may be told again.
func sayStart(ctx context.Context, p *blue.Project, s *session, e event) (string, error) {
	before := ""
	if e.Source == "compact" || e.Source == "resume" {
		before = s.summary(p.Trusted())
	}
	s.update(func(s *seen) {
		s.Branch = p.Branch()
		if e.Source == "compact" || e.Source == "clear" {
			s.Shown, s.Asked = nil, nil
		}
	})
	c, err := p.Context(ctx, blue.Moment{})
	if err != nil {
		return before, err
	}
	text := before + c.Text()
	s.record(p, deliveries.Start, text, c.Named())
	return text, nil
}

// subagentRoom is how many bytes the digest of a subagent has.
const subagentRoom = 600

// sayShort is the digest in short, for a subagent does not see that of the session.
func sayShort(ctx context.Context, p *blue.Project, s *session) (string, error) {
	if !p.Trusted() {
		return "", silence("the project is not trusted")
	}
	c, err := p.Context(ctx, blue.Moment{MaxBytes: subagentRoom})
	if err == nil && c.Notes+len(c.Documents) == 0 {
		err = silence("the project has no notes")
	}
	if err != nil {
		return "", err
	}
	text := c.Text()
	s.record(p, deliveries.Subagent, text, c.Named())
	return text, nil
}
