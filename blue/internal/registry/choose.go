package registry

import (
	"context"
	"path/filepath"
	"slices"

	"blue/blue/internal/result"
	"blue/errors"
)

// Most is how many other projects one call may ask, and a failure may name.
const Most = 64

// Shown is the entry as replies show it: its name may be any text of a repository.
func (p Project) Shown() result.Known {
	return result.Known{Root: p.Root, Name: errors.Clip(errors.Visible(p.Name), 80), ID: errors.Short(p.ID, 200), Personal: p.Personal}
}

// LeftOut is the entry as one that a search was to include and has not.
func (p Project) LeftOut(reason string) result.NotSearched {
	return result.NotSearched{Project: p.Shown().Name, Root: p.Root, Reason: reason}
}

// Choose returns the root of the one project that a name means; ask says which of several
// are still there. A name that means none or several is refused with the projects that could
// be meant.
func Choose(ctx context.Context, all []Project, name string, ask func(context.Context, Project) Answer) (root string, err error) {
	meant := Named(all, name)
	if len(meant) == 0 {
		return "", NotKnown(name, all)
	}
	var there []Project
	for i, a := range AskAll(ctx, meant, ask)() {
		if a.Reason != Gone && a.Reason != Replaced {
			there = append(there, meant[i])
		}
	}
	switch len(there) {
	case 0:
		return "", errors.ProjectGone(name, meant[0].Root)
	case 1:
		return there[0].Root, nil
	}
	return "", errors.ManyNamed(name, describe(there)).With(listRoots(there))
}

// FindRoot returns the project of a root, or of what replies show of one.
func FindRoot(all []Project, root string) (Project, error) {
	for _, is := range []func(Project) bool{
		func(p Project) bool { return p.Root == root || p.Root == filepath.Clean(root) },
		func(p Project) bool { return errors.Visible(p.Root) == root },
	} {
		if at := slices.IndexFunc(all, is); at >= 0 {
			return all[at], nil
		}
	}
	return Project{}, NotKnown(root, all)
}

// NotKnown says that a word means none of the projects.
func NotKnown(word string, all []Project) error {
	return errors.NotKnown(word, describe(all)).With(listRoots(all))
}

func describe(all []Project) (lines []string) {
	for _, p := range all {
		lines = append(lines, p.Name+" at "+p.Root)
	}
	return lines
}

// listRoots is the detail of a failure that names the projects that could be meant.
func listRoots(all []Project) map[string]any {
	roots := []string{}
	for _, p := range all[:min(len(all), Most)] {
		roots = append(roots, p.Root)
	}
	return map[string]any{"candidates": roots}
}
