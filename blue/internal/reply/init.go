package reply

import "fmt"

// Initialized is the answer to init.
type Initialized struct {
	About
	Created bool   `json:"created"`
	Inside  string `json:"inside,omitempty"`   // root of the project that this one lies in
	GitRoot bool   `json:"git_root,omitempty"` // the directory is the root of a git repository
	Person  bool   `json:"personal,omitempty"` // it holds the notes about the user

	Documents *Shelf  `json:"documents,omitempty"` // that were read, as Commits
	Commits   *Shelf  `json:"commits,omitempty"`
	Seconds   float64 `json:"seconds,omitempty"` // that this took
	Try       string  `json:"try,omitempty"`     // words whose search finds something
}

// Text says what was made, and what comes next.
func (i Initialized) Text() string {
	if i.Person {
		return fmt.Sprintf("Your personal notes lie in %s\nEach search finds them below the notes of its project. Next: blue write --personal \"...\"\n", i.Project.Root)
	}
	if !i.Created {
		return "already initialized in this directory.\n" + i.Project.Root + "\n"
	}
	text := fmt.Sprintf("Initialized %s/.blue\n", i.Project.Root)
	if i.GitRoot {
		text += "This is the root of a git repository: commit .blue with the code\n"
	}
	if i.Inside != "" {
		text += fmt.Sprintf("It lies inside the project %s; calls from here use the new one\n", i.Inside)
	}
	if i.Documents != nil && i.Documents.Count+i.Commits.Count > 0 {
		text += fmt.Sprintf("Read %s and %s in %.1f s\n", i.Documents.Counted("document"), i.Commits.Counted("commit"), i.Seconds)
	}
	if i.Try != "" {
		text += "Try: blue search " + i.Try + "\n"
	}
	return text + "Next: blue setup CLIENT, or: blue write --title \"First note\" --body \"...\"\n"
}
