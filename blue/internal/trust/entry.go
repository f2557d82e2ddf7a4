package trust

import (
	"fmt"
	"path/filepath"
	"strings"

	"blue/errors"
)

const (
	everything = "*"     // the line, and the argument of Add, that trusts every directory
	listLimit  = 1 << 20 // bytes; a longer list is damaged
)

// entry is one trusted directory. The path alone would trust whatever is put
// there later, device and inode alone whatever is given a freed number.
type entry struct {
	device, inode uint64
	path          string
}

func (e entry) String() string { return fmt.Sprintf("%d %d %q", e.device, e.inode, e.path) }

// parseEntry reads what entry.String writes, or "*".
func parseEntry(line string) (e entry, err error) {
	line = strings.TrimSpace(line)
	if line == everything {
		return entry{path: everything}, nil
	}
	if _, err := fmt.Sscanf(line, "%d %d %q", &e.device, &e.inode, &e.path); err != nil {
		return e, err
	}
	if e.String() != line || !filepath.IsAbs(e.path) {
		return e, errors.New("not an entry")
	}
	return e, nil
}
