package reply

import "fmt"

// Trusted is the answer to trust.
type Trusted struct {
	Dir      string `json:"dir"`      // as it is on the list; "*" is every directory
	Approved int    `json:"approved"` // notes whose present text counts as reviewed from now on
	Warning  string `json:"warning,omitempty"`
}

// Text says what is trusted.
func (t Trusted) Text() string {
	if t.Dir == "*" {
		return "Every directory is trusted\n"
	}
	text := fmt.Sprintf("Trusted %s; %s approved as they are now\n", t.Dir, Plural(t.Approved, "note"))
	if t.Warning != "" {
		text += "Warning: " + t.Warning + "\n"
	}
	return text
}
