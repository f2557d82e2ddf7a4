package marker

import "blue/errors"

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
