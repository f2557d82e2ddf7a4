package ref

import (
	"fmt"
	"strings"

	"blue/errors"
)

// formatText is the file of a tree that says what the tree is.
func formatText(project string) []byte {
	text := "format: 2\n"
	if project != "" {
		text += "project: " + project + "\n"
	}
	return []byte(text)
}

// checkFormat refuses the notes of a later Blue, and those of another project.
func (n *Notebook) checkFormat(text string) error {
	keys := map[string]string{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		keys[key] = strings.TrimSpace(value)
	}
	switch {
	case keys["format"] != "1" && keys["format"] != "2": // the first edition's is read, and written no more
		return errors.NotNotes(n.Names.Ref, fmt.Sprintf("its format is %q, this Blue knows 2", errors.Short(keys["format"], 20)))
	case keys["project"] != "" && n.Project != "" && keys["project"] != n.Project:
		return errors.NotNotes(n.Names.Ref, fmt.Sprintf("they are of the project %q", errors.Short(keys["project"], 80)))
	}
	return nil
}
