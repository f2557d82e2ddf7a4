package marker

import (
	"blue/errors"
)

// Address is by what a project is known.
type Address struct {
	Root string `json:"root"` // physical path
	Name string `json:"name"` // of project.yaml, else the base name of Root; short and visible: to show, never to compare
	ID   string `json:"id"`   // of project.yaml, else Root
}

// Found is the project of a call, and why it is that one.
type Found struct {
	Address
	Worktree string // top of the linked worktree that the start lies in, empty for none
	Source   Source
	Start    string // the physical directory that the walk began in
	Value    string // of the source, as heard
	Lost     string // the project that the roots of the session led to before, and do no more
	Near     string // the nearest existing directory, when what the source names does not exist yet

	OtherRoots []string // further projects that the same list led to
	Trace      []Tried
	Warnings   []string // what is wrong with project.yaml, with file and line
	NameFault  string   // why the name in project.yaml is shown otherwise than it stands there
	Sync       Sync     // how the notes travel
	Notes      Place    // where they lie
	Notebook   bool     // in a notebook, apart from the code's commits
	Fetched    bool     // the notebook has been filled here
	Shelves    Shelves  // what is searched beside the notes

	Device, Inode uint64 // of the marker: another pair at the same Root is another project
}

// answer says whether one candidate led to a project, and why not.
type answer struct {
	path    string // as heard, clean
	start   string // the physical directory of it, empty when there is none
	outcome string // Used, Unusable, Junk, Outside, NoMarker or Refused
	detail  string // for the trace
	found   Found  // with Used

	err   *errors.Error // the failure it makes, when the outcome alone does not say
	final bool          // the failure ends the call, whatever the source

	missing    bool     // path does not exist, not even as a link
	outside    string   // with Outside, the directory that is
	projects   []string // that several directories of one value lead to
	file       bool     // path names a file in start
	shared     bool     // start is junk by mode: writable by everyone
	repository string   // nearest directory at or above start that holds .git
	linked     bool     // repository is the main tree of a linked worktree
}

// outsideAnswer is the answer for a path that leads to a directory which is not served.
func outsideAnswer(path, dir string) answer {
	return answer{path: path, outcome: Outside, detail: dir + " is outside the directories served", outside: dir}
}

// silentAnswer is the answer for a path on a file system that does not answer.
func silentAnswer(path string) answer {
	return answer{path: path, outcome: Unusable, detail: path + " did not answer in time", err: errors.DiskSilent(path), final: true}
}

func refusedAnswer(err *errors.Error) answer {
	return answer{outcome: Refused, detail: err.Message, err: err, final: true}
}

// initDir is the directory where a project could be made: the repository, else the
// directory that was named.
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
