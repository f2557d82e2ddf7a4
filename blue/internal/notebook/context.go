package notebook

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Moment is the point in an agent's work for which [Notebook.Context] is called. Without a
// question and files it is the start of a session.
type Moment struct {
	For      string                         // a question or a prompt that notes may answer
	Failed   bool                           // For is the output of a failed command: a fix counts a little more
	Files    []string                       // files that are about to be read or changed, absolute or relative to the root
	Near     []string                       // names of notes that nearly answered the prompt, see [Context]
	Explain  bool                           // say how well the best note answers the question
	MaxBytes int                            // bytes of the text, at most 8000; 0 means 2200, and at a start no more than start_bytes allows
	Brief    int                            // bytes of the text at a start that does not tell every note whole; 0 means 1500 and the notes told whole
	Seen     func(id, revision string) Seen // what the agent knows of a note, nil for nothing
}

// Seen says how much of a note an agent has seen.
type Seen int

// How much of a note an agent has seen.
const (
	SeenNone Seen = iota
	SeenPart
	SeenWhole
)

// Bounds of a context.
const (
	contextMost = marker.MaxStartBytes // bytes of a text
	citedMost   = 3                    // notes for files
	fewNotes    = 5                    // with fewer notes, documents are named too
	titlesMost  = 8
)

// Context returns what an agent should know at the given moment.
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
	room := m.MaxBytes
	var changed []string // files that the branch has changed
	var trouble error
	wait := func() {}
	if !c.Asked {
		c.Branch = nb.Branch()
		wait = index.Background(func() { changed, trouble = git.Changed(ctx, nb.workTree(), c.Branch) })
	}
	if err := nb.refresh(ctx); err != nil {
		return c, err
	}
	c.About = nb.About()
	if c.Asked {
		err = nb.answerMoment(ctx, &c, m)
	} else {
		wait()
		nb.warnOfGit(trouble)
		c.About = nb.About()
		room = nb.fillStart(&c, m, changed)
	}
	if !c.Asked && c.Notes < fewNotes && nb.trusted {
		c.Documents = nb.shelves().Titles(ctx, titlesMost)
	}
	if !nb.trusted { // a warning may contain any text of the repository
		c.Branch, c.Warnings, c.Project.Name = "", nil, result.CutName(c.Project.Name)
	}
	c.Fit(room)
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

// treeNames returns the names in the working tree of those files that are in it.
func (nb *Notebook) treeNames(files []string) (names []string) {
	for _, file := range files {
		if name, ok := git.Relative(git.Physical(file), nb.Found.Root, nb.workTree()); ok {
			names = append(names, name)
		}
	}
	return names
}

// Citing returns the ids of the notes that cite one of the files.
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
