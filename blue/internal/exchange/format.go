package exchange

import (
	"context"
	"fmt"
	"strings"

	"blue/blue/internal/ref"
	"blue/errors"
)

// readNotes reads the tree of a commit, which must be one with notes of this project.
func (x *Exchange) readNotes(ctx context.Context, commit string) (ref.Tree, error) {
	if t, known := x.trees[commit]; known {
		return t, nil
	}
	t, err := x.Repo.ReadTree(ctx, commit)
	if err != nil {
		return t, err
	}
	if t.Format == "" {
		return t, errors.NotNotes(x.Names.Ref, "it has no file named format")
	}
	if t.Format != x.Repo.ID(formatText(x.Project)) {
		blobs, err := x.Repo.ReadBlobs(ctx, []string{t.Format})
		if err == nil {
			err = x.checkFormat(string(blobs[t.Format]))
		}
		if err != nil {
			return t, err
		}
	}
	if x.trees == nil {
		x.trees = map[string]ref.Tree{}
	}
	x.trees[commit] = t
	return t, nil
}

func formatText(project string) []byte {
	text := "format: 1\n"
	if project != "" {
		text += "project: " + project + "\n"
	}
	return []byte(text)
}

// checkFormat refuses the notes of a later Blue, and those of another project.
func (x *Exchange) checkFormat(text string) error {
	keys := map[string]string{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		keys[key] = strings.TrimSpace(value)
	}
	switch {
	case keys["format"] != "1":
		return errors.NotNotes(x.Names.Ref, fmt.Sprintf("its format is %q, this Blue knows 1", errors.Short(keys["format"], 20)))
	case keys["project"] != "" && x.Project != "" && keys["project"] != x.Project:
		return errors.NotNotes(x.Names.Ref, fmt.Sprintf("they are of the project %q", errors.Short(keys["project"], 80)))
	}
	return nil
}
