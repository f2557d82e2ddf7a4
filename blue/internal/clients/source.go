package clients

import (
	neturl "net/url"
	"slices"
	"strings"
)

// Source says where a client starts the server of an entry and what will name
// the project of its calls when no call passes `cwd`.
type Source struct {
	Spawn string // the directory in which the server starts, in words; "" over HTTP
	Name  string // as in docs/detection.md; "argument" when only `cwd` of each call can
}

// OnlyCwd reports whether nothing but the argument `cwd` names the project.
func (s Source) OnlyCwd() bool { return s.Name == "argument" }

var (
	launch    = spawn{"the directory in which the client was started", true}
	session   = spawn{"the directory of the session", true}
	folder    = spawn{"the first folder of the window", true}
	worktree  = spawn{"the root of the first worktree of the window", true}
	homeDir   = spawn{"the home directory", false}
	elsewhere = spawn{"/ or the directory in which the client is installed", false}
	systemDir = spawn{"/, on Windows C:\\WINDOWS\\system32", false}
	unknown   = spawn{"not known, so not to be relied on", false}
)

// Source tells for an entry of the scope which source will decide.
func (c Client) Source(scope Scope, r Registered) Source {
	if r.URL != "" {
		return Source{Name: c.knows.overHTTP(r)}
	}
	at := c.knows.spawn
	if scope == User && c.knows.userSpawn.text != "" {
		at = c.knows.userSpawn
	}
	if r.Cwd != "" && !c.knows.cwdIgnored {
		at = spawn{r.Cwd, true}
	}
	return Source{Spawn: at.text, Name: c.knows.overStdio(r, at)}
}

func (k knows) overHTTP(r Registered) string {
	u, err := neturl.Parse(r.URL)
	switch {
	case k.codex:
		return "codex"
	case k.roots:
		return "roots"
	case slices.Contains(r.Headers, "Blue-Project"), err == nil && u.Query().Has("project_path"):
		return "query"
	}
	return "argument"
}

func (k knows) overStdio(r Registered, at spawn) string {
	pinned := func(arg string) bool { return arg == "--project" || strings.HasPrefix(arg, "--project=") }
	switch {
	case slices.ContainsFunc(r.Args, pinned):
		return "flag"
	case k.codex:
		return "codex"
	case k.roots:
		return "roots"
	case slices.Contains(r.Env, "BLUE_PROJECT"):
		return "env"
	case at.in:
		return "cwd"
	}
	return "argument"
}
