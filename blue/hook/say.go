package hook

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"blue/blue"
	"blue/blue/internal/deliveries"
	"blue/blue/result"
	"blue/marker"
)

// sayBefore returns what is told before a tool runs: notes about its files, or the context of the
// subagent that it starts.
func sayBefore(ctx context.Context, p *blue.Project, s *session, shape answerShape, e event) (string, error) {
	switch {
	case e.Task != "" && shape.keeps:
		task := strings.ToValidUTF8(e.Task[:min(len(e.Task), taskRoom)], "")
		s.update(func(s *seen) { s.Tasks = append(s.Tasks, task) })
		return "", silence("the subagent is told when it begins")
	case e.Task != "" && shape.late:
		return sayBeginUnnamed(ctx, p, s, e.Task)
	case shape.late:
		return "", silence("the model of this client reads only what is said after a tool has run")
	}
	return sayOfFiles(ctx, p, s, e.Files)
}

// sayAfter returns what is told after a tool has run.
func sayAfter(ctx context.Context, p *blue.Project, s *session, shape answerShape, e event) (text string, why error) {
	later := s.Later[e.Agent]
	s.recordWork(ctx, p, e)
	s.update(func(s *seen) {
		s.Edited = joined(s.Edited, e.Edited)
		s.Read, s.Wrote = joined(s.Read, e.Read), joined(s.Wrote, e.Wrote)
		delete(s.Later, e.Agent)
	})
	switch {
	case e.Failure != "":
		text, why = sayNotes(ctx, p, s, blue.Moment{For: e.Failure, Failed: true})
	case shape.late:
		text, why = sayOfFiles(ctx, p, s, e.Files)
	default:
		why = onlyRemembers
	}
	if shape.mute && text != "" {
		s.update(func(s *seen) { s.Later = map[string]string{"": later + text} })
		return "", silence("the model of this client reads it only at its next invocation")
	}
	if later != "" {
		why = nil
	}
	return later + text, why
}

// sayInvocation returns the digest at the first request to the model, and at others what its tools have
// left to tell.
func sayInvocation(ctx context.Context, p *blue.Project, s *session) (string, error) {
	if !s.begun {
		s.update(func(s *seen) { s.Later = nil }) // from now on the session has a file
		return sayStart(ctx, p, s, event{})
	}
	later := s.Later[""]
	if later == "" {
		return "", onlyRemembers
	}
	s.update(func(s *seen) { s.Later = nil })
	return later, nil
}

// sayLost returns what a compaction has taken from the session, before what the event brings.
func sayLost(ctx context.Context, p *blue.Project, s *session, say func() (string, error)) (string, error) {
	s.update(func(s *seen) { s.Lost = false })
	digest, err := sayStart(ctx, p, s, event{Source: "compact"})
	if err != nil {
		return digest, err
	}
	text, _ := say()
	return digest + text, nil
}

// saySubagent returns what a subagent is told at its start or, if the client drops that, after its
// first tool.
func saySubagent(ctx context.Context, p *blue.Project, s *session, shape answerShape, e event) (string, error) {
	text, why := sayBegin(ctx, p, s, s.nextTask())
	if text == "" || !shape.deaf {
		return text, why
	}
	s.update(func(s *seen) {
		if s.Later == nil {
			s.Later = map[string]string{}
		}
		s.Later[e.Agent] = text
	})
	return "", silence("the model of this client reads it only after the first tool of the subagent")
}

// sayBegin returns the short digest and the notes that answer the subagent's prompt. A subagent
// sees nothing of its parent's session.
func sayBegin(ctx context.Context, p *blue.Project, s *session, task string) (string, error) {
	text, why := sayShort(ctx, p, s)
	if task == "" {
		return text, why
	}
	notes, _ := sayNotes(ctx, p, s, blue.Moment{For: task})
	if text += notes; text != "" {
		why = nil
	}
	return text, why
}

// sayBeginUnnamed is [sayBegin] for a subagent whose events will not name it. From then on the
// session knows only what both the subagent and its parent were told.
func sayBeginUnnamed(ctx context.Context, p *blue.Project, s *session, task string) (string, error) {
	begun := &session{id: s.id, log: s.log}
	text, why := sayBegin(ctx, p, begun, task)
	s.update(func(s *seen) {
		maps.DeleteFunc(s.Shown, func(id, revision string) bool { return begun.Shown[id] != revision })
		s.Asked = nil
	})
	return text, why
}

// sayOfFiles returns the notes about files that the session has not asked about before.
func sayOfFiles(ctx context.Context, p *blue.Project, s *session, files []string) (string, error) {
	if len(files) == 0 {
		return "", silence("the event names no file")
	}
	files = slices.DeleteFunc(slices.Clone(files), func(file string) bool { return slices.Contains(s.Asked, s.agent+file) })
	if len(files) == 0 {
		return "", silence("this session has been told of the file already, or that no note is about it")
	}
	s.update(func(seen *seen) {
		for _, file := range files {
			seen.Asked = append(seen.Asked, s.agent+file)
		}
	})
	return sayNotes(ctx, p, s, blue.Moment{Files: files, Near: s.Near[s.agent]})
}

// sayNotes returns the notes of a moment that this session has not seen.
func sayNotes(ctx context.Context, p *blue.Project, s *session, m blue.Moment) (string, error) {
	if strings.TrimSpace(m.For) == "" && len(m.Files) == 0 {
		return "", silence("the prompt is empty")
	}
	var again []string
	m.Seen = func(id, revision string) blue.Seen {
		seen := s.knows(id, revision)
		if seen != blue.SeenNone && !slices.Contains(again, id) {
			again = append(again, id)
		}
		return seen
	}
	c, err := p.Context(ctx, m)
	if err != nil {
		return "", err
	}
	if m.For != "" {
		s.log.Debug("judged", "best", c.Best.String(), "told", len(c.Answers))
	}
	told := c.Told()
	if c.Document != nil {
		told = append(told, result.Glance{ID: c.Document.Ref, Revision: c.Document.Revision})
	}
	if len(told)+len(c.Nearly)+len(s.Near) > 0 {
		s.update(func(seen *seen) {
			if seen.Near == nil {
				seen.Near = map[string][]string{}
			}
			if !m.Failed {
				seen.Near[s.agent] = c.Nearly
			}
			seen.show(s.agent, told)
		})
	}
	text := c.Text()
	switch named := c.Named(); {
	case m.Failed && text != "":
		s.record(p, deliveries.Failure, text, named)
	case m.For != "" && !m.Failed:
		if text == "" {
			named = again
		}
		s.record(p, deliveries.Prompt, text, named)
	case text != "":
		s.record(p, deliveries.File, text, named)
	}
	return text, why(c, m, again)
}

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
	c, err := p.Context(ctx, blue.Moment{MaxBytes: min(marker.MaxStartBytes, clientRoom-len(before)), Seen: s.knows})
	if err != nil {
		return before, err
	}
	text := before + c.Text()
	s.recordDigest(p, deliveries.Start, text, c)
	return text, nil
}

// Size limits in bytes. A client cuts a longer text anywhere, or shows the beginning of it alone:
// Claude Code beyond 10,000 characters, Codex beyond 10,000 bytes.
const (
	clientRoom    = 9500
	subagentWhole = 3000 // of a subagent's digest that tells every note whole
	subagentRoom  = 600  // of another one
)

// sayShort returns the short digest for subagents, which do not see that of the session.
func sayShort(ctx context.Context, p *blue.Project, s *session) (string, error) {
	if !p.Trusted() {
		return "", silence("the project is not trusted")
	}
	c, err := p.Context(ctx, blue.Moment{MaxBytes: subagentWhole, Brief: subagentRoom, Seen: s.knows})
	if err == nil && c.Notes+len(c.Documents) == 0 {
		err = silence("the project has no notes")
	}
	if err != nil {
		return "", err
	}
	s.recordDigest(p, deliveries.Subagent, c.Text(), c)
	return c.Text(), nil
}

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

// silence is the reason why nothing is told at an event. It is not a failure.
type silence string

func (s silence) Error() string { return string(s) }

// onlyRemembers is the reason for silence after most tools.
const onlyRemembers silence = "at this event Blue only remembers what the session has done"

// why returns the reason why a context has no text, or nil if it has one. again lists notes that
// were left out because the session has seen them.
func why(c result.Context, m blue.Moment, again []string) error {
	switch {
	case c.Text() != "":
		return nil
	case c.Notes == 0:
		return silence("the project has no notes")
	case len(again) > 0:
		return silence("seen already in this session: " + strings.Join(again, ", "))
	case c.Untrusted:
		return silence("the project is not trusted; see blue trust")
	case m.For == "":
		return silence("no note that may be told is about the file")
	}
	return silence(c.Best.String())
}
