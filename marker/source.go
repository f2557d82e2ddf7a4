package marker

import (
	"context"
	"slices"
	"strings"
)

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
	if (variable || s == Flag || s == Query) && hasUnexpandedVariable(value) {
		return "unexpanded variable", true
	}
	return "", false
}

func hasUnexpandedVariable(value string) bool {
	_, rest, ok := strings.Cut(value, "${")
	return ok && strings.Contains(rest, "}")
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
