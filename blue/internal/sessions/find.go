package sessions

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/errors"
)

// Sizes of what a hit shows, in bytes.
const (
	questionRoom = 200
	answerRoom   = 400
)

// Found is what a search has found.
type Found struct {
	Hits            []result.SessionHit
	Levels          []int               // of the hits: how well they answer the query, if it is judged
	Total, Searched int                 // documents found, exchanges looked through
	Lacking         map[string][]string // words that no session has, and those searched instead
}

// Find searches the exchanges that have been read, best first, each once.
func (s *Shelf) Find(ctx context.Context, q index.Query, now time.Time) (found Found, err error) {
	q.Each, q.Group = 1, func(row index.Row) string { return row.ID }
	q.Body = func(row index.Row) (body, revision string) {
		body, _ = unpack(row.Extra).body()
		return body, row.Revision
	}
	q.Parts = func(row index.Row, _ string) (parts []index.Part) {
		_, starts := unpack(row.Extra).body()
		for _, start := range starts {
			parts = append(parts, index.Part{Start: start, Name: start, BehindName: start})
		}
		return parts
	}
	answer, err := s.index.Search(ctx, q)
	if err != nil {
		return found, err
	}
	found.Total, found.Searched, found.Lacking = answer.Total, s.Count().Exchanges, answer.Lacking()
	for _, h := range answer.Hits {
		isSame := func(other result.SessionHit) bool { return other.ID == showID(h.ID) }
		if h.Type != kindExchange || slices.ContainsFunc(found.Hits, isSame) {
			continue
		}
		found.Hits = append(found.Hits, showHit(h, answer, now))
		found.Levels = append(found.Levels, h.Verdict.Level())
	}
	return found, nil
}

// showHit returns a hit as replies show it: passages of the question and of the text that holds
// most of the query, or else of the answer.
func showHit(h index.Hit, from index.Result, now time.Time) result.SessionHit {
	p, best := unpack(h.Extra), 0
	client, _, _ := strings.Cut(h.ID, "/")
	hit := result.SessionHit{ID: showID(h.ID), Client: client, Date: h.Time.Format(time.DateOnly), Age: result.FormatAge(h.Time, now), Score: h.Score, By: Person}
	for i, weight := range h.Weights {
		if weight.Sum > h.Weights[best].Sum {
			best = i
		}
	}
	question, answer := p.Question, p.Answer
	for i, t := range p.Texts {
		switch {
		case t.Speaker == Person && (question == "" || i == best):
			question = t.Text
		case t.Speaker != Person && i == best && h.Weights[i].Sum > 0:
			hit.By, answer = t.Speaker, t.Text
		case t.Speaker == Agent && hit.By == Person:
			answer = t.Text
		}
	}
	show := func(text string, room int) (string, [][2]int) { return result.ShowMarked(from.Choose(text, room)) }
	hit.Question, hit.QuestionMarks = show(question, questionRoom)
	hit.Answer, hit.AnswerMarks = show(answer, answerRoom)
	return hit
}

// showID makes the id of a session or an exchange safe to show.
func showID(id string) string { return note.ShowLabel(id, result.PathShown) }

// Count describes what the shelf holds.
func (s *Shelf) Count() (c result.SessionShelf) {
	s.Lock()
	known := s.loadState()
	s.Unlock()
	c.Clients, c.Sessions, c.Exchanges = known.count()
	if c.State = s.index.State(); !known.Complete {
		c.Reading = "not all are read yet"
	}
	if done, total, ok := s.Progress(); ok {
		c.Reading = result.DescribeReading("sessions", int64(done), int64(total))
	}
	return c
}

// documents returns the documents of a session that the index has.
func (s *Shelf) documents(name string, e entry) iter.Seq[index.Row] {
	return func(yield func(index.Row) bool) {
		for n := range e[documentsNumber] {
			if row, ok := s.index.Row(documentName(name, int(n))); ok && !yield(row) {
				return
			}
		}
	}
}

// Named returns the name of the session that an id means, or its beginning with or without the name
// of the client, and the number of the exchange that it names, or 0.
func (s *Shelf) Named(id string) (name string, number int, err error) {
	id, exchange, _ := strings.Cut(id, "#")
	if exchange != "" {
		if _, err := fmt.Sscan(exchange, &number); err != nil || number < 1 {
			return "", 0, errors.BadValue("ID", id+"#"+exchange, "an id as a search shows it, such as claude-code/1a2b#3")
		}
	}
	s.Lock()
	known := s.loadState()
	s.Unlock()
	var meant []string
	for name, e := range known.Transcripts {
		_, own, _ := strings.Cut(name, "/")
		if e[documentsNumber] == 0 || id == "" {
			continue
		}
		if name == id || showID(name) == id {
			return name, number, nil
		}
		if strings.HasPrefix(name, id) || strings.HasPrefix(own, id) {
			meant = append(meant, name)
		}
	}
	slices.Sort(meant)
	switch len(meant) {
	case 0:
		return "", 0, errors.E(errors.NotFound, "no session of this project has the id %s", errors.Quote(id)).
			Hint("", "", "search for words of it: blue search --in sessions WORDS")
	case 1:
		return meant[0], number, nil
	}
	return "", 0, errors.E(errors.Invalid, "%d sessions have ids that begin with %s: %s", len(meant), errors.Quote(id), errors.List(meant, 8))
}

// Session returns a session, or one exchange of it if number is not 0.
func (s *Shelf) Session(name string, number int) (shown result.Session) {
	s.Lock()
	known := s.loadState()
	s.Unlock()
	shown.ID = showID(name)
	shown.Client, _, _ = strings.Cut(name, "/")
	shown.Exchanges = []result.SessionExchange{}
	for e := range restore(s.documents(name, known.Transcripts[name])) {
		if number != 0 && e.Number != number {
			continue
		}
		x := result.SessionExchange{Number: e.Number, Time: e.Time}
		for _, t := range e.Turns {
			x.Turns = append(x.Turns, result.SessionTurn{By: t.Speaker, Text: t.Text})
		}
		shown.Exchanges = append(shown.Exchanges, x)
	}
	return shown
}
