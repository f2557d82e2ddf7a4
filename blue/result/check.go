package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"

	"blue/blue/internal/note"
	"blue/errors"
)

// Kinds of issues that a check finds. Those of the first group are wrong: they lose, hide or
// expose text for other people who have the same files. The rest are hints, which do not fail a
// check: they arise in the course of time, concern only this machine, or are no notes.
const (
	IssueName    = "name"    // a note that is not served because of its name or file type
	IssueUID     = "uid"     // two notes with one identity
	IssueTwins   = "twins"   // names that are one file on macOS or Windows
	IssueFront   = "front"   // unusable front matter, or text that is not UTF-8
	IssueMarkers = "markers" // conflict markers of a merge
	IssueSecret  = "secret"
	IssueHidden  = "hidden"
	IssueLink    = "link" // leads to no note, or to several

	IssueClash      = "conflict"   // the text that another machine has made of a note
	IssueStale      = "stale"      // a cited file has changed
	IssueSupersedes = "supersedes" // names a path at which there is no document
	IssueOther      = "other"      // a file or directory among the notes that is not a note
	IssuePair       = "pair"       // the same name in notes/ and private/
	IssueBound      = "bound"      // trash, history or number of notes beyond a limit
)

// Issue is one finding of a check.
type Issue struct {
	Kind   string `json:"kind"`
	Wrong  bool   `json:"wrong"`          // false: a hint
	File   string `json:"file,omitempty"` // relative to the root
	Line   int    `json:"line,omitempty"` // from 1; 0 if the issue has no line
	What   string `json:"what"`
	Remedy string `json:"remedy"`
}

// Checked is the answer to a check.
type Checked struct {
	About
	Notes    int     `json:"notes"` // notes that were read
	Wrong    int     `json:"wrong"` // findings that are not hints
	Findings []Issue `json:"findings"`
	More     int     `json:"more,omitempty"` // findings beyond those that are listed

	hints int
}

// maxFindings is the maximum number of findings listed in each group.
const maxFindings = 1000

// Sound reports whether nothing is wrong. Hints do not count.
func (c Checked) Sound() bool { return c.Wrong == 0 }

// Text lists the findings one per line, as compilers do, each with its remedy below.
func (c Checked) Text() string {
	var b writer
	for _, f := range c.Findings {
		place := ""
		switch {
		case f.Line > 0:
			place = fmt.Sprintf("%s:%d: ", f.File, f.Line)
		case f.File != "":
			place = f.File + ": "
		}
		mark := f.Kind
		if !f.Wrong {
			mark = "hint: " + f.Kind
		}
		b.line("%s%s: %s\n    %s", place, mark, f.What, f.Remedy)
	}
	b.lineIf(c.More > 0, "%d more are not named", c.More)
	found := "nothing wrong"
	if c.Wrong > 0 {
		found = Plural(c.Wrong, "problem")
	}
	if c.hints > 0 {
		found += ", " + Plural(c.hints, "hint")
	}
	b.line("Checked %s: %s", Plural(c.Notes, "note"), found)
	return b.String() + c.Lines()
}

// Add counts a finding, and lists it while there is room.
func (c *Checked) Add(f Issue) {
	count := &c.hints
	if f.Wrong {
		count = &c.Wrong
	}
	if *count++; *count > maxFindings {
		c.More++
		return
	}
	c.Findings = append(c.Findings, f)
}

// Sort sorts the findings by file and line, those of the project last.
func (c *Checked) Sort() {
	slices.SortStableFunc(c.Findings, func(a, b Issue) int {
		if (a.File == "") != (b.File == "") {
			return cmp.Compare(b.File, a.File)
		}
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
}

// FileBelow returns the name of a file below .blue as findings show it: on one line, with
// visible characters.
func FileBelow(name string) string { return ".blue/" + errors.Visible(name) }

// AddUnreadable adds a finding about something that cannot be read.
func (c *Checked) AddUnreadable(name string, err error) {
	c.Add(Issue{Kind: IssueName, Wrong: true, File: FileBelow(name), What: errors.Of(err).Message, Remedy: "look at its owner, its permissions and the disk"})
}

// Unread collects the files and directories that a call leaves out because they cannot be read.
type Unread struct {
	mu  sync.Mutex // notes are read concurrently
	all []unreadFile
}

// unreadFile is a file or directory that was left out.
type unreadFile struct {
	name string // below .blue, with slashes
	err  error
}

// Add records that a file or directory below .blue was left out, and why.
func (u *Unread) Add(name string, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !slices.ContainsFunc(u.all, func(f unreadFile) bool { return f.name == name }) {
		u.all = append(u.all, unreadFile{name, err})
	}
}

// LeaveOut leaves out what cannot be read. It reports false if the call must fail, because
// nothing is known without notes/, and because the process may be out of file descriptors or
// memory.
func (u *Unread) LeaveOut(name string, err error) bool {
	code, _ := errors.AsType[syscall.Errno](err)
	if name == "" || name == "notes" || slices.Contains([]syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}, code) {
		return false
	}
	u.Add(name, err)
	return true
}

// namedUnread is the number of files that the warning names.
const namedUnread = 3

// Warning says what was left out and why. It is empty if nothing was left out.
func (u *Unread) Warning() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.all) == 0 {
		return ""
	}
	slices.SortFunc(u.all, func(a, b unreadFile) int { return cmp.Compare(a.name, b.name) })
	var words []string
	for _, file := range u.all[:min(len(u.all), namedUnread)] {
		words = append(words, fmt.Sprintf("%s (%s)", errors.Short(FileBelow(file.name), 80), errors.Short(file.shortReason(), 80)))
	}
	if more := len(u.all) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("and %d more; blue check names them all", more))
	}
	it := "it"
	if len(u.all) > 1 {
		it = "they"
	}
	return "left out, because " + it + " cannot be read: " + strings.Join(words, ", ")
}

// shortReason returns the error without the name of the file, if possible as the system words
// it.
func (f unreadFile) shortReason() string {
	code, told := errors.AsType[syscall.Errno](f.err)
	switch {
	case told:
		return code.Error()
	case errors.Is(f.err, errors.BadMarker):
		return "not a real directory"
	case errors.Is(f.err, errors.Busy):
		return "it keeps changing"
	}
	return errors.Of(f.err).Message
}

// Reason returns why the note with an id, with or without its directory, was left out, or nil
// if it was not.
func (u *Unread) Reason(word string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, file := range u.all {
		stem := strings.TrimSuffix(file.name, ".md")
		if stem == word || note.ScopeOf(file.name) != "." && note.BareID(stem) == word || strings.HasPrefix(word, file.name+"/") {
			return file.err
		}
	}
	return nil
}
