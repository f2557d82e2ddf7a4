package note

import (
	"regexp"
	"strings"

	"blue/errors"
)

// next is the line of a checkpoint that names the next step, or the heading above it.
var next = regexp.MustCompile(`(?i)^[\s#*_>-]*next(?: steps?)?\s*[*_]*\s*(?:[:.\x{2013}\x{2014}-]+[*_]*\s*(.*))?$`)

// NextLimit is how many characters of a next step are kept.
const NextLimit = 160

// NextStep is the next step that a checkpoint names, empty when it names none.
func NextStep(body string) string {
	under := false
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if under && line != "" {
			return errors.Clip(strings.TrimLeft(line, "-*+> 0123456789.)"), NextLimit)
		}
		if found := next.FindStringSubmatch(line); found != nil {
			if found[1] != "" {
				return errors.Clip(found[1], NextLimit)
			}
			under = true
		}
	}
	return ""
}
