package hook

import (
	"context"

	"blue/blue"
	"blue/blue/internal/deliveries"
)

// sayStart returns the digest. After a compaction or a resume it begins with a summary of the
// session, and earlier notes may be told again.
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

// subagentRoom is the size limit, in bytes, of a subagent's digest.
const subagentRoom = 600

// sayShort returns the short digest for subagents, which do not see that of the session.
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
