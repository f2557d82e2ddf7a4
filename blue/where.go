package blue

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"blue/blue/internal/note"
	"blue/errors"
	"blue/marker"
)

// Where is the answer to "which project is this, and why": with no project it has
// the failure instead.
type Where struct {
	About
	Trace     []marker.Tried `json:"trace"`
	Notes     int            `json:"notes"`
	Types     map[string]int `json:"types"`
	Newest    []Row          `json:"newest"`               // at most ten, notes and checkpoints of this user
	Unread    int            `json:"unreviewed,omitempty"` // notes that came from elsewhere, not shown
	Branch    string         `json:"branch,omitempty"`     // of git, read from its files
	Documents *Shelf         `json:"documents,omitempty"`  // that are searched beside the notes, as Commits
	Commits   *Shelf         `json:"commits,omitempty"`
	Sync      *SyncStatus    `json:"sync,omitempty"`       // as far as it is known here
	Index     string         `json:"index,omitempty"`      // state of the search index
	Client    any            `json:"client,omitempty"`     // what the MCP client said of itself
	Failure   *errors.Error  `json:"failure,omitempty"`    // why there is no project
	Candidate []string       `json:"candidates,omitempty"` // projects below the directory meant
	found     marker.Found
	loss      string

	Unreadable string `json:"unreadable,omitempty"` // why the notes cannot be read; then nothing is known of them
}

// typesShown is how many types blue_where counts apart.
const typesShown = 20

// Heard is where the project was named, what was said there, and the root that it led to;
// empty without a project.
func (w Where) Heard() (source marker.Source, value, root string) {
	return w.found.Source, w.found.Value, w.found.Root
}

// newestShown is how many titles blue_where volunteers.
const newestShown = 10

// Summary names the project and what is in it.
func (w Where) Summary() string {
	var b strings.Builder
	b.WriteString(w.Lines())
	if w.Branch != "" {
		fmt.Fprintf(&b, "Branch: %s\n", w.Branch)
	}
	fmt.Fprintf(&b, "Notes: %s\n", w.describeCounts())
	for _, row := range w.Newest {
		fmt.Fprintf(&b, "  %s\n", row.Line())
	}
	if w.Unread > 0 {
		fmt.Fprintf(&b, "%s not reviewed here: search finds them, labelled; `blue trust` approves them\n", Plural(w.Unread, "note"))
	}
	if w.Sync != nil {
		b.WriteString(w.Sync.Line())
	}
	if w.Documents != nil {
		fmt.Fprintf(&b, "Documents: %s\nCommits: %s\n", w.Documents.Describe(), w.Commits.Describe())
	}
	return b.String()
}

// Text is the whole answer for a person: the summary, and why it is this project.
func (w Where) Text() string {
	if w.Failure != nil {
		return w.Failure.Text() + "\n"
	}
	var b strings.Builder
	b.WriteString(w.Summary())
	if w.Index != "" {
		fmt.Fprintf(&b, "Index: %s\n", w.Index)
	}
	b.WriteString("Why this project:\n")
	var unset []string
	for _, t := range w.Trace {
		if t.Outcome == marker.Absent && t.Detail == "" {
			unset = append(unset, string(t.Source))
			continue
		}
		fmt.Fprintf(&b, "- %s\n", t.Describe())
	}
	if len(unset) > 0 {
		fmt.Fprintf(&b, "Not set: %s\n", strings.Join(unset, ", "))
	}
	return b.String()
}

// describeCounts returns how many notes there are, of each type too.
func (w Where) describeCounts() string {
	if w.Unreadable != "" {
		return "they cannot be read: " + w.Unreadable
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(w.Types)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, w.Types[kind]))
	}
	if len(kinds) == 0 || w.Types[TypeNote] == w.Notes {
		return strconv.Itoa(w.Notes)
	}
	return fmt.Sprintf("%d (%s)", w.Notes, strings.Join(kinds, ", "))
}

// Where says which project a call is about, why, and what is in it. That there is
// none is an answer too, and so is that its notes cannot be read.
func (b *Blue) Where(ctx context.Context, c Call) (w Where, err error) {
	c.Survey = true
	w = Where{Trace: []marker.Tried{}, Types: map[string]int{}, Newest: []Row{}}
	found, err := b.Choose(ctx, c)
	if err != nil {
		return w.explainFailure(err)
	}
	w.found, w.Trace, w.Branch = found, found.Trace, note.ShowTitle(marker.Branch(found.Start))
	p, err := b.openProject(found, c)
	if err == nil {
		b.recordUse(found)
		err = w.countNotes(ctx, p)
	} else {
		p = &Project{b: b, found: found}
	}
	if ctx.Err() != nil { // nothing is known of the notes, one way or the other
		return w, err
	}
	if w.About = p.About(); w.loss != "" {
		w.Warnings = append(w.Warnings, w.loss)
	}
	if err != nil {
		w.Unreadable = errors.Of(err).Message
	}
	return w, nil
}

// countNotes fills in what is known of the notes.
func (w *Where) countNotes(ctx context.Context, p *Project) error {
	if err := p.refresh(ctx); err != nil {
		return err
	}
	w.Index = p.index.State()
	w.Sync = p.carried().Known()
	w.loss = p.carried().Loss(ctx)
	w.Documents, w.Commits = p.beside().Count(ctx)
	rows := p.index.All(false)
	w.Notes = len(rows)
	show := p.shown()
	for _, row := range rows {
		kind := note.ShowWord(row.Type)
		switch {
		case !show.IsLocal(row):
			w.Unread++
			if !slices.Contains(note.Types(), kind) {
				kind = "other" // the word is the note's, and nobody here has read it
			}
		case len(w.Newest) < newestShown:
			w.Newest = append(w.Newest, show.Row(row))
		}
		if _, counted := w.Types[kind]; !counted && len(w.Types) >= typesShown {
			kind = "other"
		}
		w.Types[kind]++
	}
	return nil
}

// explainFailure is the answer when no project was found.
func (w Where) explainFailure(err error) (Where, error) {
	failure := errors.Of(err)
	detail, ok := failure.Detail.(marker.Failure)
	if !ok {
		return w, err
	}
	w.Trace, w.Candidate = detail.Trace, detail.Candidates
	short := *failure
	short.Detail = lines(detail.Text())
	w.Failure = &short
	return w, nil
}

// lines are those of a failure below its first, without members of their own in JSON:
// [Where] has them.
type lines string

// Text returns the lines.
func (l lines) Text() string { return string(l) }

// MarshalJSON writes an object without members.
func (l lines) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }
