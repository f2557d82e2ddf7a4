package screen

import (
	"fmt"

	"blue/errors"
)

// Refuse refuses text that must not reach the disk: hidden characters, and what
// looks like a secret. Only what a write adds to the former text is judged, so an
// old fault in another line blocks no edit. The comment that allows a line counts
// only when a person says so.
func Refuse(field, before, after string, allow bool) error {
	if found := Added(before, after, Hidden); len(found) > 0 {
		spots := listSpots(field, found)
		return errors.Hidden(spots[0], spots[1:]...)
	}
	secrets := Secrets
	if allow {
		secrets = Unallowed
	} else if found := Added(before, after, Allows); len(found) > 0 {
		spots := listSpots(field, found)
		return errors.AllowedByTool(spots[0], spots[1:]...)
	}
	if found := Added(before, after, secrets); len(found) > 0 {
		spots := listSpots(field, found)
		return errors.Secret(spots[0], spots[1:]...)
	}
	return nil
}

func listSpots(field string, found []Finding) []errors.Spot {
	spots := make([]errors.Spot, len(found))
	for i, f := range found {
		spots[i] = errors.Spot{Field: field, Rule: f.Rule, Line: f.Line, Column: f.Column}
		if f.Rule == "" { // U+0000 is a hidden character too
			spots[i].Code = fmt.Sprintf("U+%04X", f.Code)
		}
	}
	return spots
}
