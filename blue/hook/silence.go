package hook

import (
	"strings"

	"blue/blue"
)

// silence is the reason why nothing is told at an event. It is not a failure.
type silence string

func (s silence) Error() string { return string(s) }

// onlyRemembers is the reason for silence after most tools.
const onlyRemembers silence = "at this event Blue only remembers what the session has done"

// why returns the reason why a context has no text, or nil if it has one. again lists notes that
// were left out because the session has seen them.
func why(c blue.Context, m blue.Moment, again []string) error {
	switch {
	case c.Text() != "":
		return nil
	case c.Notes == 0:
		return silence("the project has no notes")
	case len(again) > 0:
		return silence("seen already in this session: " + strings.Join(again, ", "))
	case c.Untrusted:
		return silence("the project is not trusted, and no note that you wrote here answers; see blue trust")
	case m.For == "":
		return silence("no note that may be told is about the file")
	}
	return silence(c.Best.String())
}
