package marker

import (
	"regexp"
	"strings"
)

// Sync is how the notes of a project travel, as project.yaml says.
type Sync struct {
	Mode    Mode   // the key notes
	Remote  string // name of the git remote
	Ref     string // on the remote
	Session bool   // sync: session. Hooks of clients sync too
}

// Mode is how the notes of a project get to other machines.
type Mode string

// Modes.
const (
	WithCode Mode = ""         // in the commits of the code
	Notebook Mode = "notebook" // by blue sync, from a directory that no commit has
	OldRef   Mode = "ref"      // by an earlier blue sync, from .blue/notes; blue sync --on moves them
)

// DefaultSync is the Sync of a project.yaml without its keys.
func DefaultSync() Sync { return Sync{Remote: "origin", Ref: "refs/blue/notes"} }

var (
	remoteForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	refForm    = regexp.MustCompile(`^refs/(blue|heads)(/[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*)+$`)
)

// IsSyncRef reports whether notes may travel on a ref: one below refs/blue or a branch, with a name
// that git accepts and cannot take for an option.
func IsSyncRef(ref string) bool {
	return len(ref) <= 200 && refForm.MatchString(ref) && !strings.HasSuffix(ref, ".lock") && !strings.HasPrefix(ref, "refs/blue/remotes/")
}

// setKey sets a key, or returns what is wrong with the value.
func (c *Sync) setKey(key, value string) (fault string) {
	switch {
	case value == "":
	case key == "notes" && (Mode(value) == Notebook || Mode(value) == OldRef):
		c.Mode = Mode(value)
	case key == "sync" && (value == "session" || value == "manual"):
		c.Session = value == "session"
	case key == "remote" && len(value) <= 100 && remoteForm.MatchString(value):
		c.Remote = value
	case key == "ref" && IsSyncRef(value):
		c.Ref = value
	default:
		return map[string]string{"notes": "notes is not notebook", "sync": "sync is neither manual nor session",
			"remote": "remote is not the name of one", "ref": "ref is neither below refs/blue/ nor below refs/heads/"}[key]
	}
	return ""
}

func isSyncKey(key string) bool {
	return key == "notes" || key == "sync" || key == "remote" || key == "ref"
}

// IDOf returns the id in the project.yaml of a directory, empty if it has none or belongs to a later
// version.
func IDOf(root string) string {
	if s, _ := readSettings(root); !s.isUnknownFormat() {
		return s.ID
	}
	return ""
}
