package blue

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/commits"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/shown"
	"blue/blue/internal/tree"
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
	contextMost = 8000 // bytes of a text
	citedMost   = 3    // notes for files
	fewNotes    = 5    // with fewer, documents are named too
	titlesMost  = 8
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
		p.shown().FillDigest(&c, <-touched)
		if c.Notes < fewNotes {
			c.Documents = p.beside().Titles(ctx, titlesMost)
		}
	}
	c.Fit(m.MaxBytes)
	return c, err
}

// Branch is the git branch that the call works on, empty when there is none.
func (p *Project) Branch() string {
	if p.hosted != nil {
		return ""
	}
	return note.ShowTitle(marker.Branch(p.found.Start))
}

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

// shown are the notes as this answer shows them.
func (p *Project) shown() shown.Notes {
	return shown.Notes{Notes: p.index, Origin: p.ledger.Origins(), Cited: p.citedFiles(), Now: p.b.o.Now()}
}

// answerMoment fills in the notes that answer the question, and those about the files.
func (p *Project) answerMoment(ctx context.Context, c *Context, m Moment) (err error) {
	notes := p.shown()
	c.Notes = notes.Len()
	seen := func(row index.Row) bool { return m.Seen != nil && m.Seen(row.ID, row.Revision) }
	if strings.TrimSpace(m.For) != "" {
		texts := p.store.Texts()
		defer texts.Close()
		question, _ := reply.CutBytes(m.For, queryLimit)
		if c.Answers, err = notes.Answers(ctx, question, catalog.BodyReader(texts.Read), seen); err != nil {
			return err
		}
	}
	var files []string
	for _, file := range m.Files {
		if name, ok := tree.Relative(tree.Physical(file), p.found.Root, p.workTree()); ok {
			files = append(files, name)
		}
	}
	c.Cited = notes.About(files, citedMost, func(row index.Row) bool {
		return seen(row) || slices.ContainsFunc(c.Answers, func(g Glance) bool { return g.ID == row.ID })
	})
	return nil
}
