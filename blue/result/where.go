package result

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/blue/internal/note"
	"blue/errors"
	"blue/marker"
)

// Where is the answer to the question which project this is, and why. If there is no project,
// it contains the failure instead.
type Where struct {
	About
	Trace     []marker.Tried `json:"trace"`
	Notes     int            `json:"notes"`
	Types     map[string]int `json:"types"`
	Newest    []Row          `json:"newest"`              // at most ten; none if the project is not trusted
	Branch    string         `json:"branch,omitempty"`    // of git, read from its files
	Documents *Shelf         `json:"documents,omitempty"` // searched with the notes, like Commits
	Commits   *Shelf         `json:"commits,omitempty"`
	Code      *CodeShelf     `json:"code,omitempty"`       // nil if no code has been asked for
	Sessions  *SessionShelf  `json:"sessions,omitempty"`   // nil if past sessions are not searched
	Sync      *SyncStatus    `json:"sync,omitempty"`       // as far as it is known here
	Index     string         `json:"index,omitempty"`      // state of the search index
	Client    any            `json:"client,omitempty"`     // what the MCP client told about itself
	Failure   *errors.Error  `json:"failure,omitempty"`    // why there is no project
	Candidate []string       `json:"candidates,omitempty"` // projects that the client has open
	Found     marker.Found   `json:"-"`                    // the project as it was chosen
	Door      marker.Door    `json:"-"`                    // the door of the call

	Unreadable string `json:"unreadable,omitempty"` // why the notes cannot be read; then nothing is known of them
}

// Summary describes the project and its content.
func (w Where) Summary() string {
	var b writer
	b.WriteString(w.Lines())
	b.lineIf(w.Branch != "", "Branch: %s", w.Branch)
	b.line("Notes: %s", w.describeCounts())
	for _, row := range w.Newest {
		b.line("  %s", row.Line())
	}
	b.WriteString(w.Head())
	if w.Sync != nil && !w.Unfetched {
		b.WriteString(w.Sync.Line() + describeConflicts(w.Sync.Conflicts))
	}
	if w.Documents != nil {
		b.line("Documents: %s\nCommits: %s", w.Documents.Describe(), w.Commits.Describe())
	}
	if w.Code != nil {
		b.line("Code: %s", w.Code.Describe())
	}
	if w.Sessions != nil {
		b.line("Sessions: %s", w.Sessions.Describe())
	}
	return b.String()
}

// Text returns the whole answer for a person: the summary, and why this project was chosen.
func (w Where) Text() string {
	if w.Failure != nil {
		return w.Failure.Text() + "\n"
	}
	var b writer
	b.WriteString(w.Summary())
	b.lineIf(w.Index != "", "Index: %s", w.Index)
	b.line("Why this project:")
	for _, t := range w.Trace {
		b.lineIf(t.Outcome != marker.Absent || t.Detail != "", "- %s", t.Describe())
	}
	return b.String()
}

// describeCounts returns the number of notes, in total and of each type.
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

// Explain turns the error that no project was found into an answer.
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

// lines is the text of a failure below its first line. Its JSON is empty, because [Where] has
// its data.
type lines string

// Text returns the lines.
func (l lines) Text() string { return string(l) }

// MarshalJSON returns an object without members.
func (l lines) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

// Initialized is the answer to init.
type Initialized struct {
	About
	Created bool     `json:"created"`
	Inside  string   `json:"inside,omitempty"`   // root of the project that this one lies in
	GitRoot bool     `json:"git_root,omitempty"` // the directory is the root of a git repository
	Person  bool     `json:"personal,omitempty"` // it holds the notes about the user
	Clients []string `json:"clients,omitempty"`  // names of coding agents found on this machine that are not set up
	Asks    bool     `json:"-"`                  // which of them to set up is asked next

	Documents *Shelf  `json:"documents,omitempty"` // that were read, like Commits
	Commits   *Shelf  `json:"commits,omitempty"`
	Seconds   float64 `json:"seconds,omitempty"` // duration of the reading
	Try       string  `json:"try,omitempty"`     // words that a search finds
}

// Text says what was made and what to do next.
func (i Initialized) Text() string {
	if i.Person {
		return fmt.Sprintf("Your personal notes lie in %s\nEach search finds them below the notes of its project. Next: blue write --personal \"...\"\n", i.Project.Root)
	}
	if !i.Created {
		return fmt.Sprintf("Already initialized: %s\n", i.Project.Root) + i.Head() + i.next()
	}
	var b writer
	b.line("Initialized %s", filepath.Join(i.Project.Root, marker.Name))
	b.lineIf(i.GitRoot, "This is the root of a git repository: commit .blue with the code")
	b.lineIf(i.Inside != "", "It lies inside the project %s: calls from here use the new one, and calls from there do not see its notes", i.Inside)
	if i.Documents != nil && i.Documents.Count+i.Commits.Count > 0 {
		b.line("Read %s and %s in %.1f s", i.Documents.Counted("document"), i.Commits.Counted("commit"), i.Seconds)
	}
	b.lineIf(i.Try != "", "Try: blue search %s", i.Try)
	return b.String() + i.next()
}

// next names the next commands.
func (i Initialized) next() string {
	var b writer
	switch {
	case i.Asks:
		return ""
	case len(i.Clients) > 0:
		b.line("Found on this machine: %s. Next: blue setup %s", strings.Join(i.Clients, ", "), strings.Join(i.Clients, " "))
	case i.Created:
		b.line("Next: blue setup CLIENT; without CLIENT it lists the coding agents that Blue knows")
	}
	b.lineIf(i.Created, "Then: blue write --title \"First note\" --body \"...\"")
	return b.String()
}

// Known is a project that the user has opened on this machine.
type Known struct {
	marker.Address
	Used     time.Time `json:"used,omitzero"` // last use, by day
	Age      string    `json:"age,omitempty"`
	Personal bool      `json:"personal,omitempty"` // holds the notes about the user
	Missing  bool      `json:"gone,omitempty"`
	Fault    string    `json:"fault,omitempty"` // why it is not searched from other projects
}

// Projects is the answer to projects.
type Projects struct {
	Projects []Known `json:"projects"`         // most recently used first
	Forgot   string  `json:"forgot,omitempty"` // root of the project that was removed from the list
}

// Text lists the projects, one per line. Names and roots are escaped and stay on one line.
func (p Projects) Text() string {
	var b writer
	b.lineIf(p.Forgot != "", "Forgot %s; its files stay as they are", errors.Visible(p.Forgot))
	for _, k := range p.Projects {
		remarks := []string{map[bool]string{true: "personal notes"}[k.Personal], k.Age, k.Fault}
		remarks = slices.DeleteFunc(remarks, func(word string) bool { return word == "" })
		b.line("%s  %s  (%s)", errors.Visible(k.Name), errors.Visible(k.Root), strings.Join(remarks, ", "))
	}
	b.lineIf(len(p.Projects) == 0 && p.Forgot == "", "No project was opened on this machine yet")
	return b.String()
}

// Trusted is the answer to trust.
type Trusted struct {
	Dir     string `json:"dir"`               // "*" is every directory
	Project bool   `json:"project,omitempty"` // Dir belongs to a project, which is trusted
	Removed bool   `json:"removed,omitempty"` // trust was revoked
	Unknown bool   `json:"unknown,omitempty"` // there was no trust to revoke
}

// Text says what is trusted.
func (t Trusted) Text() string {
	dir := note.ShowTitle(t.Dir)
	switch {
	case t.Unknown:
		return dir + " was not trusted\n"
	case t.Removed:
		return dir + " is not trusted any more\n"
	case t.Dir == "*":
		return "Every directory may be used, whoever owns or may write it; a project is trusted by itself\n"
	case t.Project:
		return "Trusted " + dir + ": its notes may be told unasked\n"
	}
	return "Trusted " + dir + ", which is no project: it may be used, whoever owns or may write it\n"
}

// Reindexed is the answer to reindex.
type Reindexed struct {
	About
	Notes   int     `json:"notes"`
	Seconds float64 `json:"seconds"`
	Index   string  `json:"index"` // state of the index, as where shows it

	Code *CodeShelf `json:"code,omitempty"` // if the index of code was built
}

// Text is one line, and the project.
func (r Reindexed) Text() string {
	if r.Code != nil {
		return fmt.Sprintf("Indexed code in %.1f s: %s\n", r.Seconds, r.Code.Describe()) + r.Lines()
	}
	return fmt.Sprintf("Indexed %s in %.1f s: %s\n", Plural(r.Notes, "note"), r.Seconds, r.Index) + r.Lines()
}
