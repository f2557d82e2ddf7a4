package reply

import "fmt"

// Trusted is the answer to trust.
type Trusted struct {
	Dir      string `json:"dir"`              // as it is on the list; "*" is every directory
	Approved int    `json:"approved"`         // notes whose present text counts as reviewed from now on
	Synced   bool   `json:"synced,omitempty"` // what comes by a sync counts as reviewed
	Author   string `json:"author,omitempty"` // that of this one alone
	Warning  string `json:"warning,omitempty"`
}

// Text says what is trusted.
func (t Trusted) Text() string {
	switch {
	case t.Author != "":
		return fmt.Sprintf("Notes that come by blue sync from %s count as reviewed\n", Visible(t.Author))
	case t.Synced:
		return "Notes that come by blue sync count as reviewed, whoever has pushed them\n"
	}
	if t.Dir == "*" {
		return "Every directory is trusted\n"
	}
	as := "as they are now"
	if t.Approved == 1 {
		as = "as it is now"
	}
	text := fmt.Sprintf("Trusted %s; %s approved %s\n", t.Dir, Plural(t.Approved, "note"), as)
	if t.Warning != "" {
		text += "Warning: " + t.Warning + "\n"
	}
	return text
}
