package registry

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"blue/errors"
	"blue/marker"
)

// Reasons to leave a project out. That a server does not serve it is none: it is not named
// there either.
const (
	Gone     = "gone"
	Replaced = "another project is there now"
	Silent   = "no answer in time"
)

// IsNamed reports whether a word means the project: its name, the name of its directory, or
// its root.
func (p Project) IsNamed(word string) bool {
	return word == p.Name || word == filepath.Base(p.Root) || word == p.Root
}

// Named returns the projects that a word means.
func Named(all []Project, word string) []Project {
	return slices.DeleteFunc(slices.Clone(all), func(p Project) bool { return !p.IsNamed(word) })
}

// Served returns the projects that lie in the directories that a server may serve; none means
// all. No disk is touched.
func Served(all []Project, allowed []string) []Project {
	return slices.DeleteFunc(slices.Clone(all), func(p Project) bool {
		outside := func(dir string) bool {
			below, err := filepath.Rel(dir, p.Root)
			return err != nil || !filepath.IsLocal(below)
		}
		return len(allowed) > 0 && !slices.ContainsFunc(allowed, func(dir string) bool { return !outside(dir) })
	})
}

// Reach looks whether a project that was opened before is still there and still the same, by
// the rules of every call. Else it says why it is left out.
func Reach(ctx context.Context, rules marker.Rules, p Project) (found marker.Found, reason string) {
	if p.Personal {
		found, err := FindPersonal(ctx, rules, p.Root)
		return found, Reason(err)
	}
	found, err := marker.Choose(ctx, rules, slices.Values([]marker.Candidate{{Source: marker.Known, Value: p.Root}}))
	switch {
	case err != nil:
		return marker.Found{}, Reason(err)
	case found.Root != p.Root: // its marker is gone, and an outer project is not the one that was opened
		return marker.Found{}, Gone
	case found.ID != p.ID:
		return marker.Found{}, Replaced
	}
	return found, ""
}

// FindPersonal finds the project of the notes about the user: in that directory, and none that
// lies above.
func FindPersonal(ctx context.Context, rules marker.Rules, dir string) (marker.Found, error) {
	found, err := marker.Choose(ctx, rules, slices.Values([]marker.Candidate{{Source: marker.Personal, Value: dir}}))
	if err == nil && found.Root != found.Start {
		return marker.Found{}, errors.NoPersonal()
	}
	return found, err
}

// Reason says in a few words why a project is left out, nothing for one that is not served.
func Reason(err error) string {
	if err == nil {
		return ""
	}
	switch e := errors.Of(err); {
	case e.Kind == errors.OutsideAllowedRoots:
		return ""
	case e.Kind == errors.UntrustedProject:
		return "not trusted"
	case e.Kind == errors.NotDetected, e.Kind == errors.NoProject:
		return Gone
	case e.Kind == errors.FSTimeout, errors.Is(err, context.DeadlineExceeded):
		return Silent
	default:
		return errors.Short(strings.TrimSuffix(e.Message, "."), 120)
	}
}
