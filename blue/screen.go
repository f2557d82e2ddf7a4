package blue

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"blue/blue/internal/screen"
	"blue/errors"
)

// Screen refuses text that must not reach the disk: hidden characters, and what
// looks like a secret. Only what a write adds to the former text is judged, so an
// old fault in another line blocks no edit. The comment that allows a line counts
// only when a person says so.
func Screen(field, before, after string, allow bool) error {
	if found := screen.Added(before, after, screen.Hidden); len(found) > 0 {
		spots := listSpots(field, found)
		return errors.Hidden(spots[0], spots[1:]...)
	}
	secrets := screen.Secrets
	if allow {
		secrets = screen.Unallowed
	} else if found := screen.Added(before, after, screen.Allows); len(found) > 0 {
		spots := listSpots(field, found)
		return errors.AllowedByTool(spots[0], spots[1:]...)
	}
	if found := screen.Added(before, after, secrets); len(found) > 0 {
		spots := listSpots(field, found)
		return errors.Secret(spots[0], spots[1:]...)
	}
	return nil
}

// screenWords screens the fields of a call that stand in the front matter, as
// they were sent: to clean a path or a title could make what is there look harmless.
func screenWords(fields map[string][]string) error {
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if err := Screen(field, "", strings.Join(fields[field], "\n"), false); err != nil {
			return err
		}
	}
	return nil
}

// AllowSecrets marks the lines of a text that look like secrets as allowed, when a
// person says so.
func AllowSecrets(text string, allow bool) string {
	if !allow {
		return text
	}
	return screen.Allow(text, screen.Secrets(text))
}

func listSpots(field string, found []screen.Finding) []errors.Spot {
	spots := make([]errors.Spot, len(found))
	for i, f := range found {
		spots[i] = errors.Spot{Field: field, Rule: f.Rule, Line: f.Line, Column: f.Column}
		if f.Rule == "" { // U+0000 is a hidden character too
			spots[i].Code = fmt.Sprintf("U+%04X", f.Code)
		}
	}
	return spots
}

// HoldsSecret reports whether a text holds what looks like a secret: no log and no
// reply may repeat it.
func HoldsSecret(text string) bool { return len(screen.Secrets(text)) > 0 }

// Visible makes a text safe to show on a terminal: everything that a terminal
// would obey, and every hidden character, is spelled out.
func Visible(text string) string {
	text, _ = errors.Escape(text, errors.HiddenOnTerminal)
	return text
}
