package marker

import (
	"regexp"
	"strings"
)

// Carry says how the notes of a project travel, as its project.yaml has it.
type Carry struct {
	Mode    Mode   // the key notes
	Remote  string // by the name that git has for it
	Ref     string // on the remote
	Session bool   // sync: session. Hooks of clients carry them too
}

// Mode says who moves the notes of a project between machines.
type Mode string

// Modes.
const (
	WithCode Mode = ""         // git, with the commits of the code
	Notebook Mode = "notebook" // blue sync: they are no part of the code's commits
	OldRef   Mode = "ref"      // blue sync of the first edition, which left them in .blue/notes; blue sync --on moves them
)

// DefaultCarry is how notes travel when project.yaml does not say.
func DefaultCarry() Carry { return Carry{Remote: "origin", Ref: "refs/blue/notes"} }

var (
	remoteForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	refForm    = regexp.MustCompile(`^refs/(blue|heads)(/[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*)+$`)
)

// IsCarryRef reports whether notes may travel on a ref: one below refs/blue or a branch,
// with a name that git takes and that no option looks like.
func IsCarryRef(ref string) bool {
	return len(ref) <= 200 && refForm.MatchString(ref) && !strings.HasSuffix(ref, ".lock") && !strings.HasPrefix(ref, "refs/blue/remotes/")
}

// setKey takes the value of one key and reports what is wrong with it.
func (c *Carry) setKey(key, value string) (fault string) {
	switch {
	case value == "":
	case key == "notes" && (Mode(value) == Notebook || Mode(value) == OldRef):
		c.Mode = Mode(value)
	case key == "sync" && (value == "session" || value == "manual"):
		c.Session = value == "session"
	case key == "remote" && len(value) <= 100 && remoteForm.MatchString(value):
		c.Remote = value
	case key == "ref" && IsCarryRef(value):
		c.Ref = value
	default:
		return map[string]string{"notes": "notes is not notebook", "sync": "sync is neither manual nor session",
			"remote": "remote is not the name of one", "ref": "ref is neither below refs/blue/ nor below refs/heads/"}[key]
	}
	return ""
}

func isCarryKey(key string) bool {
	return key == "notes" || key == "sync" || key == "remote" || key == "ref"
}

// IDOf is the id in the project.yaml of a directory, empty when it has none or belongs to a
// later Blue.
func IDOf(root string) string {
	if s, _ := readSettings(root); !s.isUnknownFormat() {
		return s.ID
	}
	return ""
}
