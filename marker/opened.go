package marker

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blue/errors"
	"blue/marker/mount"
)

// Opened is a project that the user has opened before.
type Opened struct{ Name, Root string }

const (
	openedNamed  = 3   // such projects that a failure names
	openedLooked = 10  // that are looked at for them
	openedBytes  = 200 // of them in the text
	openedName   = 40  // bytes of a name: a longer one is given by its path
)

// openedHint is the advice to take a project that was opened before: those nearest to a
// directory that are still there. False when there is none, and without a session: there no
// call may change what a later one is answered.
func (c *chooser) openedHint(ctx context.Context, near string) (hint errors.Hint, ok bool) {
	if d := c.rules.Door; d.Opened == nil || !d.Session {
		return hint, false
	}
	all := c.rules.Door.Opened()
	nearest := slices.Clone(all)
	slices.SortStableFunc(nearest, func(a, b Opened) int { return cmp.Compare(distance(a.Root, near), distance(b.Root, near)) })
	var named []string
	for _, p := range nearest[:min(len(nearest), openedLooked)] {
		text := "blue_use " + errors.Visible(p.Root)
		if p.isCalledAlone(all) {
			text = "blue_use " + p.Name
		}
		if len(named) == openedNamed || len(strings.Join(named, ", "))+len(text) > openedBytes {
			break
		}
		if c.isMarked(ctx, p.Root) {
			named = append(named, text)
		}
	}
	return errors.Hint{Text: "or use a project that was opened before: " + strings.Join(named, ", ")}, len(named) > 0
}

// isCalledAlone reports whether a word that no text can hide in names the project and no other.
func (p Opened) isCalledAlone(all []Opened) bool {
	other := func(o Opened) bool { return o != p && (o.Name == p.Name || filepath.Base(o.Root) == p.Name) }
	odd := func(r rune) bool { return !isLetter(r) && !('0' <= r && r <= '9') && !strings.ContainsRune("._-", r) }
	return p.Name != "" && len(p.Name) <= openedName && !strings.ContainsFunc(p.Name, odd) && !slices.ContainsFunc(all, other)
}

// isMarked reports whether there is a marker in a directory still.
func (c *chooser) isMarked(ctx context.Context, root string) (marked bool) {
	err := c.runOnDisk(ctx, root, func(*resolvedRules) {
		if mount.Check(root) == nil {
			info, err := os.Lstat(filepath.Join(root, Name))
			marked = err == nil && info.IsDir()
		}
	})
	return err == nil && marked
}

// distance is how many steps up and down lead from one directory to another.
func distance(from, to string) int {
	split := func(path string) []string { return strings.FieldsFunc(path, isSeparator) }
	a, b := split(from), split(to)
	common := 0
	for common < min(len(a), len(b)) && a[common] == b[common] {
		common++
	}
	return len(a) + len(b) - 2*common
}
