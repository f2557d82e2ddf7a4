package trust

import (
	"fmt"
	"path/filepath"
	"strings"

	"blue/errors"
)

const (
	everything = "*"     // as a line, and as the argument of Add, opens every directory
	listLimit  = 1 << 20 // bytes; a longer list counts as damaged
)

// entry is a line of the list: a directory and the id of the project in it. Without an id it
// permits the use of a directory that others own or may write to. Both path and mark must match:
// the path alone would trust what is put there later, the mark alone a moved directory.
type entry struct {
	mark     string // identifies the directory, see identifyDir
	id, path string
}

func (e entry) String() string { return fmt.Sprintf("%s %q %q", e.mark, e.id, e.path) }

// parseEntry parses the output of entry.String, or "*".
func parseEntry(line string) (e entry, err error) {
	line = strings.TrimSpace(line)
	if line == everything {
		return entry{path: everything}, nil
	}
	if _, err := fmt.Sscanf(line, "%s %q %q", &e.mark, &e.id, &e.path); err != nil {
		return e, err
	}
	if e.String() != line || !filepath.IsAbs(e.path) {
		return e, errors.New("not an entry")
	}
	return e, nil
}
