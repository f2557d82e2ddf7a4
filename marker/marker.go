// Package marker decides which directory is the project of a call.
//
// A project is a directory, its root, that directly contains a marker: a real directory named
// .blue. Clients, environments and people name directories that may be in a project, through eleven
// sources in a fixed order ([Sources]). The caller converts what it received into a sequence of
// [Candidate] values, and [Choose] tries them one at a time: it parses the value ([Parse]),
// resolves symbolic links once, and walks up to the first marker. The nearest marker wins, and no
// later candidate replaces it. A marker that exists but is refused ends the chain, since another
// project would be the wrong one. So does a bad value that somebody set on purpose; bad values of
// other sources are only recorded in the trace.
//
// Everything that was tried is in the trace, of a result and of a failure (an [errors.Error] with a
// [Failure] as its detail).
//
// Detection only reads, caches no results, and does not run git. All of its disk work has one time
// limit per call, since the directory may be on a mount that hangs. docs/detection.md describes how a
// project is found. Only functions that create a project or change its settings or notebook write.
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
	maxJobs     = 8               // jobs that may hang at the same time in a process

	// ruleTimeout limits the time for resolving each directory in the rules. One on a mount that
	// does not answer counts by its given path only, and only the first call waits for it.
	ruleTimeout = time.Second

	maxEntries     = 32       // entries of one list that are examined
	maxLevels      = 20       // directories that one walk examines, including the start
	maxPath        = 4096     // bytes of a path or URI
	maxLink        = 4 << 10  // bytes of a file with which git points elsewhere
	maxProjectFile = 64 << 10 // bytes of a project.yaml
	maxNameLength  = 80       // characters of the name of a project
	maxGlobs       = 100      // globs of documents
	maxDetail      = 1000     // bytes of the detail of one candidate in a trace
	maxLogged      = 1000     // characters of a logged value from a client
	triedShown     = 6        // sources that a failure lists
	openedNamed    = 3        // opened projects that a failure names
	openedLooked   = 10       // opened projects that are examined
	openedBytes    = 200      // bytes of their names in total
	openedName     = 40       // bytes of one name; a project with a longer one is named by its path
)

// Name is the file name of a marker.
const Name = ".blue"

// Rules has the parameters of detection for a process and a call. The zero value works, but limits
// hanging disk work only within each call; [NewRules] returns rules that share the limit in the
// process.
type Rules struct {
	Home      string   // the user's home directory: never a project, and the end of walks
	Installed []string // directories of installed programs (%SystemRoot%, %ProgramFiles%): never projects
	Allowed   []string // the only directories that a server serves; empty means all

	// Trusted reports whether the user trusts a directory, given by its physical path. It is called
	// from another goroutine. If it is nil, no directory is trusted.
	Trusted func(root string) bool

	Cwd    string  // process directory for failures: "" is shown as <unknown>; see also NotOverHTTP
	Door   Door    // interface of the call, for failures
	Memory *Memory // what the sources of the session led to before; nil if nothing is remembered
	UID    int     // effective user id, for tests; 0 means that of the process

	limiter     *diskLimiter
	ruleLimiter *diskLimiter // for the directories in the rules, so that hanging ones take no slot of a call
}

// NotOverHTTP is the value of Rules.Cwd on a server whose own directory is not a source.
const NotOverHTTP = "not used over HTTP"

// NewRules returns rules whose copies share one limit on hanging disk work.
func NewRules(home string) Rules {
	return Rules{Home: home, limiter: newDiskLimiter(maxJobs), ruleLimiter: newDiskLimiter(maxJobs)}
}

// Apart returns a copy of the rules with a limit of its own: n jobs that hang with them take no
// slots from other calls.
func (r Rules) Apart(n int) Rules {
	r.limiter = newDiskLimiter(n)
	return r
}

// Source is the origin of a candidate, spelled as in replies.
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

// Hook is the directory that a client's hook names. It is not in the chain, because a hook has no
// other source.
const Hook Source = "hook"

// Known and Personal are not in the chain either: a project that the user has opened before and
// that a call names, and the one with the user's notes about themselves.
const (
	Known    Source = "known"
	Personal Source = "personal"
)

var chain = []Source{Argument, Use, Flag, Codex, Roots, Initialize, Query, Env, ClaudeProjectDir, Cwd, WorkspaceFolderPaths}

// Sources lists the sources in the order of the chain.
func Sources() []Source { return slices.Clone(chain) }

// Explicit reports whether a person or a model named the directory on purpose: a bad value of such
// a source fails the call instead of passing to the next source.
func (s Source) Explicit() bool {
	return slices.Contains([]Source{Argument, Use, Flag, Query, Env, Hook, Known, Personal}, s)
}

// listsSeveral reports whether the source names several directories, each in its own candidate.
func (s Source) listsSeveral() bool { return s == Roots || s == Initialize }

// absentReason reports whether a value of the source counts as absent: an empty variable, or a
// placeholder that a client has not expanded. The detail is empty for the former.
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

// Candidate is a value of a source, or one entry of a source that lists several. Candidates come in
// the order of the chain; a source without a candidate is recorded as absent. Callers need not
// examine values: this package recognizes empty and unexpanded variables, and the several
// directories of WORKSPACE_FOLDER_PATHS.
type Candidate struct {
	Source Source
	Value  string // as received, unparsed
	Name   string // display name of a root, only for the trace
	URI    bool   // only a file: URI is allowed (entries of roots/list)

	// Outcome is set if there is no value to examine: Absent, Empty, NoAnswer or Unusable, with the
	// reason in Detail. Unusable from an explicit source fails the call, as a bad value does.
	Outcome string
	Detail  string

	// Ask returns the entries of a source that must be asked for them. Choose calls it at most
	// once, only if no earlier candidate led to a project, and outside the time limit. Choose
	// returns its error unchanged.
	Ask func(ctx context.Context) ([]Candidate, error)
}
