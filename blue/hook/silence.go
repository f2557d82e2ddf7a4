package hook

import (
	"strings"

	"blue/blue"
)

// silence says why nothing is said at an event. It is no fault.
type silence string

func (s silence) Error() string { return string(s) }

// onlyRemembers is why nothing is said after most tools.
const onlyRemembers silence = "at this event Blue only remembers what the session has done"

// why says why a context with a question or files has no text, nil when it has one; again are
// notes that would have been named if the session had not seen them.
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
