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

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Limits.
const (
	diskTimeout = 3 * time.Second // for all disk work of one call
	maxJobs     = 8               // that may hang at once in a process

	// ruleTimeout is how long the directories that a person gave may take to be resolved. One
	// on a mount that does not answer counts by its given name alone, and only the first call
	// waits for it.
	ruleTimeout = time.Second

	maxEntries     = 32       // entries of one list that are examined
	maxLevels      = 20       // directories that one walk examines, the start included
	maxPath        = 4096     // bytes of a path or URI
	maxLink        = 4 << 10  // bytes of a file by which git points elsewhere
	maxConfig      = 64 << 10 // bytes of the config of a repository
	maxProjectFile = 64 << 10 // bytes of a project.yaml
	maxNameLength  = 80       // characters of the name of a project
	maxGlobs       = 100      // globs of documents
	maxNearby      = 200      // directories that are searched for projects
	maxListing     = 2000     // entries that are read of one of them
	maxDetail      = 1000     // bytes of what a trace says of one candidate
	maxLogged      = 1000     // characters of a value that a client sent
	maxText        = 2 << 10  // bytes of a whole failure
	maxLines       = 700      // bytes of a failure below its first line, hints included
	leastLine      = 60       // bytes of a line that is shown where there is no room
	openedNamed    = 3        // opened projects that a failure names
	openedLooked   = 10       // opened projects that it looks at
	openedBytes    = 200      // bytes of their names together
	openedName     = 40       // bytes of one name; a longer one is given by its path
)

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

// Source is the place a candidate came from, spelled as in replies.
type Source string

// The sources, in the order of the chain.
const (
	Argument             Source = "argument"
	Use                  Source = "use"
	Flag                 Source = "flag"
	Codex                Source = "codex"
	Roots                Source = "roots"
	Initialize           Source = "initialize"
	Query                Source = "query"
	Env                  Source = "env"
	ClaudeProjectDir     Source = "CLAUDE_PROJECT_DIR"
	Cwd                  Source = "cwd"
	WorkspaceFolderPaths Source = "WORKSPACE_FOLDER_PATHS"
)

// Hook is the directory that a client's hook names. It stands outside the chain: a hook
// knows of no other source.
const Hook Source = "hook"

// Known and Personal stand outside the chain too: a project that the user has opened before
// and that a call names, and the one of the user's notes about themselves.
const (
	Known    Source = "known"
	Personal Source = "personal"
)

var chain = []Source{Argument, Use, Flag, Codex, Roots, Initialize, Query, Env, ClaudeProjectDir, Cwd, WorkspaceFolderPaths}

// Sources lists the sources in the order of the chain.
func Sources() []Source { return slices.Clone(chain) }

// Explicit reports whether a person or a model named the directory on purpose: a
// bad value of such a source fails the call, instead of passing to the next one.
func (s Source) Explicit() bool {
	return slices.Contains([]Source{Argument, Use, Flag, Query, Env, Hook, Known, Personal}, s)
}

// listsSeveral reports whether the source names several directories, one a candidate.
func (s Source) listsSeveral() bool { return s == Roots || s == Initialize }

// absentReason reports why a value of the source counts as none: an empty variable, or
// one that a client has not filled in. The detail is empty for the former.
func (s Source) absentReason(value string) (detail string, ok bool) {
	variable := s == Env || s == ClaudeProjectDir || s == WorkspaceFolderPaths
	if variable && value == "" {
		return "", true
	}
	_, rest, _ := strings.Cut(value, "${")
	if (variable || s == Flag || s == Query) && strings.Contains(rest, "}") {
		return "unexpanded variable", true
	}
	return "", false
}

// Candidate is what one source says, or one entry of a source that lists several.
// Candidates come in the order of the chain; a source that is left out is traced
// as absent. A door need not look at values: empty and unexpanded variables, and
// the several directories of WORKSPACE_FOLDER_PATHS, are told apart here.
type Candidate struct {
	Source Source
	Value  string // as heard, unparsed
	Name   string // display name of a root, for the trace alone
	URI    bool   // only a file: URI will do (entries of roots/list)

	// Field names the part of the source that holds the entry; `initialize` has
	// roots, workspaceFolders, rootUri and rootPath. Entries of one field stand
	// together, and a later field counts only when the earlier ones name no
	// existing directory.
	Field string

	// Led is the root of the project that this candidate led to before in the session, or
	// that its source did. When it does so no more, and another project is found instead,
	// [Found.Lost] tells.
	Led string

	// Outcome is set when there is no value to look at: Absent, Empty, NoAnswer or
	// Unusable, for the reason in Detail. Unusable from an explicit source fails
	// the call, as a bad value does.
	Outcome string
	Detail  string

	// Ask gets the entries of a source that must be asked for. Choose calls it when
	// nothing before has answered, at most once, and outside the deadline. Its error
	// ends Choose and is returned as it is.
	Ask func(ctx context.Context) ([]Candidate, error)
}
