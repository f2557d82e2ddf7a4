package hook

import (
	"context"
	"slices"
	"strings"

	"blue/blue"
	"blue/blue/internal/deliveries"
)

// sayBefore returns what is told before a tool runs: notes about its files, or the context of the
// subagent that it starts.
func sayBefore(ctx context.Context, p *blue.Project, s *session, shape answerShape, e event) (string, error) {
	switch {
	case e.Task != "" && shape.keeps:
		s.keepTask(e.Task)
		return "", silence("the subagent is told when it begins")
	case e.Task != "" && shape.late:
		return sayBegin(ctx, p, &session{id: s.id, log: s.log}, e.Task)
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
	if later != "" {
		why = nil
	}
	return later + text, why
}

// saySubagent returns what a subagent is told at its start or, if the client drops that, after its
// first tool.
func saySubagent(ctx context.Context, p *blue.Project, s *session, shape answerShape, e event) (string, error) {
	text, why := sayBegin(ctx, p, s, s.nextTask())
	if text == "" || !shape.deaf {
		return text, why
	}
	s.keepLater(e.Agent, text)
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
	m.Seen = func(id, revision string) bool {
		seen := s.Shown[s.agent+id] == revision
		if seen {
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
	notes := slices.Concat(c.Unfinished, c.Answers, c.Cited, c.Near)
	if c.Document != nil {
		notes = append(notes, blue.Glance{ID: c.Document.Ref, Revision: c.Document.Revision})
	}
	if len(notes)+len(c.Nearly)+len(s.Near) > 0 {
		s.update(func(seen *seen) {
			if seen.Shown == nil {
				seen.Shown = map[string]string{}
			}
			if seen.Near == nil {
				seen.Near = map[string][]string{}
			}
			if !m.Failed {
				seen.Near[s.agent] = c.Nearly
			}
			for _, note := range notes {
				seen.Shown[s.agent+note.ID] = note.Revision
			}
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
