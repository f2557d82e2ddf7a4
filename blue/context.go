package blue

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"blue/blue/internal/commits"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/errors"
	"blue/marker"
)

// Moment says at which moment of an agent's work [Project.Context] is asked. Without a
// question and files it is the beginning of a session.
type Moment struct {
	For      string                         // a question or a prompt that notes may answer
	Files    []string                       // files that are about to be read or changed, absolute or relative to the root
	MaxBytes int                            // of the text; 0 means 1500, and 8000 is the most
	Seen     func(id, revision string) bool // notes to leave out, nil for none
}

// Context is what an agent should know at a moment, without having asked.
type Context = reply.Context

// Glance is a note as it is named in passing.
type Glance = reply.Glance

// Bounds of a context.
const (
	contextMost     = 8000 // bytes of a text
	glances         = 3    // notes for a question, or for files
	unfinishedMost  = 5
	surveyed        = 1000 // newest checkpoints, and decisions, among which those of this user are looked for
	checkpointsSeen = 50   // of other branches that are looked at for one of this branch
	changedMost     = 5
	decisionsMost   = 10
	fewNotes        = 5 // with fewer, documents are named too
	titlesMost      = 8
	glanceTitle     = 100 // characters of a title
	glancePassage   = 250 // characters of a passage
)

// Context returns what an agent should know at a moment.
func (p *Project) Context(ctx context.Context, m Moment) (c Context, err error) {
	defer p.NameProject(&err)
	none := []Glance{}
	c = Context{About: p.About(), Unfinished: none, Changed: none, Decisions: none, Answers: none, Cited: none, Asked: m.For != "" || len(m.Files) > 0}
	if m.MaxBytes < 0 || m.MaxBytes > contextMost {
		return c, errors.BadValue("max-bytes", strconv.Itoa(m.MaxBytes), fmt.Sprintf("a number from 1 to %d", contextMost))
	}
	touched := make(chan []string, 1)
	if !c.Asked {
		c.Branch = p.Branch()
		go func() { touched <- commits.Changed(ctx, p.workTree(), c.Branch) }()
		go p.ledger.Origins() // reads the ledger while the notes are listed
	}
	if err := p.refresh(ctx); err != nil {
		return c, err
	}
	c.About = p.About()
	if c.Asked {
		err = p.answerMoment(ctx, &c, m)
	} else {
		p.surveySession(&c, <-touched)
		if c.Notes < fewNotes {
			c.Documents = p.beside().Titles(ctx, titlesMost)
		}
	}
	c.Fit(m.MaxBytes)
	return c, err
}

// Branch is the git branch that the call works on, empty when there is none.
func (p *Project) Branch() string { return note.ShowTitle(marker.Branch(p.found.Start)) }

// WrittenSince reports whether a note was written or changed, by whatever program, after
// a time.
func (p *Project) WrittenSince(ctx context.Context, then time.Time) (written bool, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return false, err
	}
	for _, stamp := range p.index.Stamps() {
		if stamp.ModTime > then.UnixNano() {
			return true, nil
		}
	}
	return false, nil
}

// surveySession fills in the digest of a session's beginning; touched are the files that
// the branch has changed.
func (p *Project) surveySession(c *Context, touched []string) {
	origin, glance, named := p.ledger.Origins(), p.glances(), map[string]bool{}
	c.Notes = p.index.Len()
	c.Unreviewed = p.index.CountRevisions(func(name, revision string) bool { return !isLocal(origin(name, revision)) })
	own := func(kind string) func(yield func(index.Row) bool) {
		return func(yield func(index.Row) bool) {
			rows, _ := p.index.List(index.Filter{Type: kind}, false, 0, surveyed)
			for _, row := range rows {
				if !row.Superseded && isLocal(origin(row.Name, row.Revision)) && !yield(row) {
					return
				}
			}
		}
	}
	var elsewhere []Glance
	for row := range own(note.TypeCheckpoint) {
		if g := glance(row); g.Branch == c.Branch {
			c.Unfinished = append(c.Unfinished, g)
		} else {
			elsewhere = append(elsewhere, g)
		}
		named[row.Name] = true
		if len(c.Unfinished) == unfinishedMost || len(elsewhere) == checkpointsSeen {
			break
		}
	}
	for row := range own(note.TypeDecision) {
		if c.Decisions = append(c.Decisions, glance(row)); len(c.Decisions) == decisionsMost+changedMost {
			break
		}
	}
	c.Unfinished = append(c.Unfinished, elsewhere...)
	c.Unfinished = c.Unfinished[:min(len(c.Unfinished), unfinishedMost)]
	c.Changed = p.about(touched, changedMost, func(row index.Row) bool { return named[row.Name] })
	c.Decisions = slices.DeleteFunc(c.Decisions, func(g Glance) bool {
		return slices.ContainsFunc(c.Changed, func(other Glance) bool { return other.ID == g.ID })
	})
	c.Decisions = c.Decisions[:min(len(c.Decisions), decisionsMost)]
}
