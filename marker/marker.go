// Package marker decides which directory is the project of a call.
//
// A project is a directory, its root, that directly holds a marker: a real
// directory named .blue. Clients, environments and people name directories that
// may lie in a project, by eleven sources in a fixed order ([Sources]). A door
// turns what it heard into a sequence of [Candidate] values, and [Choose] tries
// them one at a time: it parses the value ([Parse]), resolves symbolic links
// once, and walks up until a marker answers. The nearest marker wins, and
// nothing later replaces it. A marker that is there but refused ends the chain,
// since another project would be the wrong one. So does a bad value that someone
// gave on purpose; what the surroundings said is only traced.
//
// Everything that was tried goes into the trace, of an answer and of a failure
// (an [errors.Error] with a [Failure] as its detail).
//
// Detection only reads, remembers nothing, and runs no program, git included. All
// of its disk work has one deadline for each call, since the directory may lie on
// a mount that hangs. How a project is found stands in docs/detection.md. Only
// [Create] and [WriteIgnoreFile] write.
package marker

// Name is the file name of a marker.
const Name = ".blue"

// Rules are what a process and a call know that bears on the decision. The zero
// value works, with limits on hanging disks for each call alone; make one with
// [NewRules] to share them in the process.
type Rules struct {
	Home              string   // the user's home directory: never a project, and the end of a walk
	Installed         []string // directories of installed programs (%SystemRoot%, %ProgramFiles%): never projects
	Ceilings          []string // directories that end a walk
	Allowed           []string // the only directories that a server serves; none means all
	AcrossFilesystems bool     // walk on to parents on other devices

	// Trusted reports whether the user trusts the directory: by its physical path.
	// It is called from another goroutine. Nil trusts nothing.
	Trusted func(root string) bool

	Cwd    string // the process directory as failures show it: empty is <unknown>, see also NotOverHTTP
	Door   Door   // how the call came, for failures
	Survey bool   // also evaluate what lies below the winner, asking nobody
	UID    int    // the effective user, for tests; 0 is that of the process

	limiter     *diskLimiter
	ruleLimiter *diskLimiter // of the directories of the rules, so that those that hang take no slot of a call
}

// NotOverHTTP is the value of Rules.Cwd on a server whose own directory is no
// source.
const NotOverHTTP = "not used over HTTP"

// NewRules makes rules whose copies share one limit on disk work that hangs.
func NewRules(home string) Rules {
	return Rules{Home: home, limiter: newDiskLimiter(maxJobs), ruleLimiter: newDiskLimiter(maxJobs)}
}

// Apart returns the same rules with a limit of their own: n jobs that hang with them take no
// slot from other calls.
func (r Rules) Apart(n int) Rules {
	r.limiter = newDiskLimiter(n)
	return r
}
