package trust

import (
	"path/filepath"

	"blue/blue/internal/atomicfile"
)

// replaceFile puts text in a file that its owner alone can read. A link to the file stays
// a link.
func replaceFile(path, text string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return atomicfile.File{Path: path}.Replace([]byte(text))
}
