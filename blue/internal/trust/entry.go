package trust

import (
	"fmt"
	"path/filepath"
	"strings"

	"blue/errors"
)

const (
	everything = "*"     // the line, and the argument of Add, that opens every directory
	listLimit  = 1 << 20 // bytes; a longer list is damaged
)

// entry is one line of the list: a directory, and the id of the project in it. Without an
// id it says that the directory may be used although others own or may write it. The path
// alone would trust whatever is put there later, the mark alone a directory that was moved.
type entry struct {
	mark     string // of the directory itself, see identifyDir
	id, path string
}

func (e entry) String() string { return fmt.Sprintf("%s %q %q", e.mark, e.id, e.path) }

// parseEntry reads what entry.String writes, or "*".
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
