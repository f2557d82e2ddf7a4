package reply

import (
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
	Newest    []Row          `json:"newest"`              // at most ten of those that may be told unasked
	Untold    int            `json:"untold,omitempty"`    // notes that may not
	Branch    string         `json:"branch,omitempty"`    // of git, read from its files
	Documents *Shelf         `json:"documents,omitempty"` // that are searched beside the notes, as Commits
	Commits   *Shelf         `json:"commits,omitempty"`
	Sync      *SyncStatus    `json:"sync,omitempty"`       // as far as it is known here
	Index     string         `json:"index,omitempty"`      // state of the search index
	Client    any            `json:"client,omitempty"`     // what the MCP client said of itself
	Failure   *errors.Error  `json:"failure,omitempty"`    // why there is no project
	Candidate []string       `json:"candidates,omitempty"` // projects below the directory meant
	Found     marker.Found   `json:"-"`                    // as it was chosen
	Door      marker.Door    `json:"-"`                    // at which it was asked

	Unreadable string `json:"unreadable,omitempty"` // why the notes cannot be read; then nothing is known of them
}

// Heard is where the project was named, what was said there, and the root that it led to;
// empty without a project.
func (w Where) Heard() (source marker.Source, value, root string) {
	return w.Found.Source, w.Found.Value, w.Found.Root
}

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
	if b.WriteString(w.Head()); w.Untold > 0 && !w.Untrusted {
		b.WriteString(ofBranch(w.Untold))
	}
	if w.Sync != nil && !w.Unfetched {
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
	for _, t := range w.Trace {
		if t.Outcome != marker.Absent || t.Detail != "" {
			fmt.Fprintf(&b, "- %s\n", t.Describe())
		}
	}
	if unset := w.Door.Unset(w.Trace); len(unset) > 0 {
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
	if len(kinds) == 0 || w.Types[note.TypeNote] == w.Notes {
		return strconv.Itoa(w.Notes)
	}
	return fmt.Sprintf("%d (%s)", w.Notes, strings.Join(kinds, ", "))
}

// Explain is the answer when no project was found.
func (w Where) Explain(err error) (Where, error) {
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
