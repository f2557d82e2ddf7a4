package notebook

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/blue/internal/corpus"
	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/result"
	"blue/errors"
)

// Moment is the moment of an agent's work at which [Notebook.Context] is asked: without a question
// and files, the start of a session.
type Moment struct {
	For      string                         // a question or a prompt that notes may answer
	Failed   bool                           // For is what a command wrote that failed: a remediation counts a little more
	Files    []string                       // files that are about to be read or changed, absolute or relative to the root
	Near     []string                       // names of notes that nearly answered the prompt, see [Context]
	Explain  bool                           // say how well the best note answers the question
	MaxBytes int                            // of the text; 0 means 1500, and 8000 is the most
	Seen     func(id, revision string) bool // notes to leave out, nil for none
}

// Bounds of a context.
const (
	contextMost = 8000 // bytes of a text
	citedMost   = 3    // notes for files
	fewNotes    = 5    // with fewer, documents are named too
	titlesMost  = 8
)

// Context returns what an agent should know at a moment.
func (nb *Notebook) Context(ctx context.Context, m Moment) (c result.Context, err error) {
	defer nb.NameProject(&err)
	none := []result.Glance{}
	c = result.Context{
		About: nb.About(), Unfinished: none, Changed: none, Decisions: none, Answers: none, Cited: none,
		Asked: m.For != "" || len(m.Files) > 0, Failed: m.Failed, Explain: m.Explain && m.For != "",
	}
	if m.MaxBytes < 0 || m.MaxBytes > contextMost {
		return c, errors.BadValue("max-bytes", strconv.Itoa(m.MaxBytes), fmt.Sprintf("a number from 1 to %d", contextMost))
	}
	type branch struct {
		files []string
		err   error
	}
	touched := make(chan branch, 1)
	if !c.Asked {
		c.Branch = nb.Branch()
		go func() {
			files, err := git.Changed(ctx, nb.workTree(), c.Branch)
			touched <- branch{files, err}
		}()
	}
	if err := nb.refresh(ctx); err != nil {
		return c, err
	}
	c.About = nb.About()
	if c.Asked {
		err = nb.answerMoment(ctx, &c, m)
	} else {
		changed := <-touched
		nb.warnOfGit(changed.err)
		c.About = nb.About()
		nb.shown().fillDigest(&c, changed.files)
	}
	if !c.Asked && c.Notes < fewNotes && nb.trusted {
		told := nb.toldDocument()
		for _, d := range nb.beside().Titles(ctx, titlesMost) {
			if told(d.Path) {
				c.Documents = append(c.Documents, d)
			}
		}
	}
	if !nb.trusted { // what a warning names may be any text of the repository
		c.Branch, c.Warnings, c.Project.Name = "", nil, result.CutName(c.Project.Name)
	}
	c.Fit(m.MaxBytes)
	return c, err
}

// WrittenSince reports whether any program has written or changed a note after a time.
func (nb *Notebook) WrittenSince(ctx context.Context, then time.Time) (written bool, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return false, err
	}
	for _, stamp := range nb.index.Stamps() {
		if stamp.ModTime > then.UnixNano() {
			return true, nil
		}
	}
	return false, nil
}

// answerMoment fills in the notes that answer the question, and those about the files.
func (nb *Notebook) answerMoment(ctx context.Context, c *result.Context, m Moment) (err error) {
	notes := nb.shown()
	c.Notes = notes.Len()
	seen := func(row index.Row) bool { return m.Seen != nil && m.Seen(row.ID, row.Revision) }
	texts := nb.store.Texts()
	defer texts.Close()
	read := BodyReader(texts.Read)
	if strings.TrimSpace(m.For) != "" {
		question, _ := result.CutBytes(m.For, queryLimit)
		if !m.Failed {
			var others []result.Glance
			if c.Unfinished, others = notes.resume(question, nb.Branch(), seen); len(others) > 0 {
				c.Others = []result.Group{{Heading: "Also unfinished", Notes: others}}
			}
		}
		documents := nb.startDocuments(ctx, m, question)
		favored := map[bool]string{true: note.TypeRemedy}[m.Failed]
		skip := func(row index.Row) bool { return seen(row) || isNamed(c.Unfinished, row) }
		c.Answers, c.Best, c.Nearly, err = notes.answers(ctx, question, favored, read, skip)
		if err == nil && !m.Failed {
			c.Answers = append(c.Answers, nb.answerRemoved(ctx, notes, question, c, read, seen)...)
		}
		found := documents()
		if err != nil {
			return err
		}
		nb.tellDocument(c, found, m, func(title string, by index.Row) []result.Glance { return notes.inPlaceOf(title, by, read, skip) })
	}
	c.Cited = notes.citing(nb.treeNames(m.Files), citedMost, read, func(row index.Row) bool {
		return seen(row) || isNamed(c.Answers, row)
	})
	c.Near = notes.near(m.Near, citedMost-len(c.Cited), read, func(row index.Row) bool { return seen(row) || isNamed(c.Cited, row) })
	return nil
}

// treeNames are the names in the working tree of those of some files that lie there.
func (nb *Notebook) treeNames(files []string) (names []string) {
	for _, file := range files {
		if name, ok := git.Relative(git.Physical(file), nb.Found.Root, nb.workTree()); ok {
			names = append(names, name)
		}
	}
	return names
}

// documentTime is how long the documents are searched for a prompt.
const documentTime = 150 * time.Millisecond

// documentsJudged is how many documents are judged for a prompt.
const documentsJudged = 4

// startDocuments starts a search for documents that answer a prompt; wait returns them.
func (nb *Notebook) startDocuments(ctx context.Context, m Moment, question string) (wait func() []result.Beside) {
	beside := nb.beside()
	if m.Failed || !nb.trusted || beside.Sources.NoDocuments {
		return func() []result.Beside { return nil }
	}
	brief, cancel := context.WithTimeout(ctx, documentTime)
	found := beside.Start(brief, []string{corpus.Documents}, documentsJudged, index.Query{Text: question, Limit: documentsJudged})
	return func() []result.Beside {
		defer cancel()
		return found().Hits
	}
}

// tellDocument adds the document that answers best or, if a note supersedes it, that note as
// instead shows it. If the note may not be told, it tries the next document.
func (nb *Notebook) tellDocument(c *result.Context, found []result.Beside, m Moment, instead func(title string, by index.Row) []result.Glance) {
	if len(found) == 0 {
		return
	}
	superseded, told := nb.index.SupersededDocuments(), nb.toldDocument()
	for range found {
		best := corpus.Best(found, told)
		if best == nil || m.Seen != nil && m.Seen(best.Ref, best.Revision) {
			return
		}
		if best.By == "" {
			c.Document = best
			return
		}
		if by, ok := superseded[best.Path]; ok {
			if by, _ = nb.index.Current(by); !isNamed(c.Answers, by) {
				c.Answers = append(c.Answers, instead(best.Title, by)...)
			}
			if isNamed(c.Answers, by) {
				return
			}
		}
		found = slices.DeleteFunc(found, func(b result.Beside) bool { return b.Path == best.Path })
	}
}

func isNamed(notes []result.Glance, row index.Row) bool {
	return slices.ContainsFunc(notes, func(g result.Glance) bool { return g.ID == row.ID })
}

// Citing are the ids of the notes that cite one of some files.
func (nb *Notebook) Citing(ctx context.Context, files []string) (ids []string, err error) {
	if err := nb.refresh(ctx); err != nil {
		return nil, err
	}
	for _, file := range nb.treeNames(files) {
		for _, row := range nb.index.Keyed(fileKey + file) {
			ids = append(ids, row.ID)
		}
	}
	return ids, nil
}
