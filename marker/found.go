package marker

import (
	"blue/errors"
)

// Address identifies a project.
type Address struct {
	Root string `json:"root"` // physical path
	Name string `json:"name"` // from project.yaml, or the base name of Root; short and without hidden characters, for display only
	ID   string `json:"id"`   // from project.yaml, or Root
}

// Found is the project of a call, and why it was chosen.
type Found struct {
	Address
	Worktree string // top of the linked worktree that contains Start, "" for none
	Source   Source
	Start    string // physical directory in which the walk began
	Value    string // value of the source, as received
	Lost     string // project that the session worked in before, if this one takes its place unasked
	Near     string // nearest existing directory, if the one that was named does not exist yet

	OtherRoots []string // further projects that the same list led to
	Trace      []Tried
	Warnings   []string // problems in project.yaml, with file and line
	NameFault  string   // why the name in project.yaml is displayed differently
	Sync       Sync     // how the notes are synchronized
	Notes      Place    // directory of the notes
	Notebook   bool     // the notes are in a notebook, separate from the code's commits
	Fetched    bool     // the notebook has been filled on this machine
	Shelves    Shelves  // what is searched in addition to the notes
	StartBytes int      // of the notes that are told whole at the start of a session
	ReviewDays int      // after which a note that cites nothing deserves a look; 0 for never
	Propose    bool     // what agents write waits for a person

	Device, Inode uint64 // of the marker: a different pair at the same Root is a different project
}

// answer is the result for one candidate: whether it led to a project, and why not.
type answer struct {
	path    string // as received, cleaned
	start   string // its physical directory, "" if there is none
	outcome string // Used, Unusable, Junk, Outside, NoMarker or Refused
	detail  string // for the trace
	found   Found  // with Used

	err   *errors.Error // the failure, if the outcome does not determine it
	final bool          // the failure ends the call, regardless of the source

	missing    bool     // path does not exist, not even as a link
	outside    string   // for Outside, the directory that is not served
	projects   []string // projects of several directories in one value
	file       bool     // path names a file in start
	shared     bool     // start is writable by everyone and not trusted
	repository string   // nearest directory at or above start that contains .git
	linked     bool     // repository is the main tree of a linked worktree
}

// outsideAnswer returns the answer for a path that leads to a directory that is not served.
func outsideAnswer(path, dir string) answer {
	return answer{path: path, outcome: Outside, detail: dir + " is outside the directories served", outside: dir}
}

// silentAnswer returns the answer for a path on a file system that does not answer.
func silentAnswer(path string) answer {
	return answer{path: path, outcome: Unusable, detail: path + " did not answer in time", err: errors.DiskSilent(path), final: true}
}

func refusedAnswer(err *errors.Error) answer {
	return answer{outcome: Refused, detail: err.Message, err: err, final: true}
}

// initDir returns the directory where a project could be created: the repository, or else the named
// directory.
func (a answer) initDir() string {
	switch {
	case a.repository != "":
		return a.repository
	case a.shared:
		return ""
	case a.file:
		return a.start
	}
	return a.path
}
