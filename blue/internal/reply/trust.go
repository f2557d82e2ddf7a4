package reply

import "fmt"

// Trusted is the answer to trust.
type Trusted struct {
	Dir     string `json:"dir"`               // "*" is every directory
	Project bool   `json:"project,omitempty"` // it is that of a project, which is trusted
	Branch  string `json:"branch,omitempty"`  // whose notes are told as they are now
	Notes   int    `json:"notes,omitempty"`   // of that branch
	Removed bool   `json:"removed,omitempty"` // trust was taken back
	Unknown bool   `json:"unknown,omitempty"` // there was none to take back
}

// Text says what is trusted.
func (t Trusted) Text() string {
	dir := Visible(t.Dir)
	switch {
	case t.Unknown:
		return dir + " was not trusted\n"
	case t.Removed:
		return dir + " is not trusted any more\n"
	case t.Dir == "*":
		return "Every directory may be used, whoever owns or may write it; a project is trusted by itself\n"
	case t.Branch != "":
		return fmt.Sprintf("Trusted branch %s as it is now: %s more may be told unasked\n", ShowName(t.Branch), Plural(t.Notes, "note"))
	case t.Project:
		return "Trusted " + dir + ": its notes may be told unasked\n"
	}
	return "Trusted " + dir + ", which is no project: it may be used, whoever owns or may write it\n"
}
