package blue

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue/internal/known"
	"blue/blue/internal/reply"
	"blue/errors"
	"blue/marker"
)

// Projects is the answer to projects.
type Projects = reply.Projects

// Known is a project in that answer.
type Known = reply.Known

// Projects lists the projects that this user has opened, and says of each whether it is
// still there.
func (b *Blue) Projects(ctx context.Context, c Call) (Projects, error) {
	all, err := b.known.List()
	if err != nil {
		return Projects{}, errors.Unreadable(b.Directory("state"), err)
	}
	if me, ok := b.personal(); ok {
		all = append(all, me)
	}
	answer := Projects{Projects: []Known{}}
	for i, a := range known.AskAll(ctx, all, b.reachFrom(c))() {
		k := showKnown(all[i])
		k.Fault, k.Missing = a.Reason, a.Reason == known.Gone
		if !k.Personal {
			k.Used, k.Age = reply.FormatTime(all[i].Used), reply.FormatAge(all[i].Used, b.o.Now())
		}
		answer.Projects = append(answer.Projects, k)
	}
	return answer, nil
}

// showKnown shows an entry: its name may be any text of a repository.
func showKnown(p known.Project) Known {
	return Known{Root: p.Root, Name: errors.Clip(errors.Visible(p.Name), 80), ID: errors.Short(p.ID, 200), Personal: p.Personal}
}

// reachFrom returns the question whether a project is still there and may be used by a call.
func (b *Blue) reachFrom(c Call) func(context.Context, known.Project) known.Answer {
	return func(ctx context.Context, p known.Project) known.Answer {
		if c.Answers != nil && !p.Personal && !c.Answers(ctx, p.Root) { // Blue's other files lie beside the personal notes
			return known.Answer{Reason: known.Silent}
		}
		rules := b.apart
		rules.Allowed = c.Allowed
		found, reason := known.Reach(ctx, rules, p)
		return known.Answer{Value: found, Reason: reason}
	}
}

// ForgetProject takes a project off the list, by its root or as the list shows that. Its
// files stay.
func (b *Blue) ForgetProject(root string) (Projects, error) {
	all, err := b.known.List()
	if err != nil {
		return Projects{}, errors.Unreadable(b.Directory("state"), err)
	}
	at := slices.IndexFunc(all, func(p known.Project) bool { return p.Root == root || p.Root == filepath.Clean(root) })
	if at < 0 {
		at = slices.IndexFunc(all, func(p known.Project) bool { return errors.Visible(p.Root) == root })
	}
	if at < 0 {
		return Projects{}, notKnown(root, all)
	}
	if err := b.known.Forget(all[at].Root); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Projects{}, errors.SaveFailed("the list of projects", err)
	}
	return Projects{Projects: []Known{}, Forgot: all[at].Root}, nil
}

// KnownProjects are the projects that this user has opened, for a shell that completes
// names and roots: no disk but that of the list is touched.
func (b *Blue) KnownProjects() (all []Known) {
	entries, _ := b.known.List()
	for _, p := range entries {
		all = append(all, showKnown(p))
	}
	return all
}

// FindProject returns the root of the project that a name means, among those that the user
// has opened and those in the directories open, which the client names. A name that means
// none or several is refused with the projects that could be meant.
func (b *Blue) FindProject(ctx context.Context, c Call, name string, open []string) (root string, err error) {
	if strings.TrimSpace(name) == "" {
		return "", errors.Missing("project", "give the name of a project, or its path")
	}
	entries, err := b.known.List()
	if err != nil {
		b.o.Log.Debug("list of projects not read", "err", err)
	}
	all := b.openedBy(ctx, c, open)
	for _, p := range known.Served(entries, c.Allowed) {
		if !slices.ContainsFunc(all, func(o known.Project) bool { return o.Root == p.Root }) {
			all = append(all, p)
		}
	}
	meant := known.Named(all, name)
	if len(meant) == 0 {
		return "", notKnown(name, all)
	}
	var there []known.Project
	for i, a := range known.AskAll(ctx, meant, b.reachFrom(c))() {
		if a.Reason != known.Gone && a.Reason != known.Replaced {
			there = append(there, meant[i])
		}
	}
	switch len(there) {
	case 0:
		return "", errors.ProjectGone(name, meant[0].Root)
	case 1:
		return there[0].Root, nil
	}
	return "", errors.ManyNamed(name, describeKnown(there)).With(listRoots(there))
}

// openedBy are the projects in the directories that a client has open.
func (b *Blue) openedBy(ctx context.Context, c Call, open []string) (all []known.Project) {
	rules := b.rules
	rules.Allowed = c.Allowed
	for _, dir := range open {
		found, err := marker.Choose(ctx, rules, slices.Values([]marker.Candidate{{Source: marker.Known, Value: dir}}))
		if err == nil {
			all = append(all, known.Project{Root: found.Root, Name: found.Name, ID: found.ID})
		}
	}
	return all
}

// notKnown says that a word means none of the projects.
func notKnown(word string, all []known.Project) error {
	return errors.NotKnown(word, describeKnown(all)).With(listRoots(all))
}

func describeKnown(all []known.Project) (lines []string) {
	for _, p := range all {
		lines = append(lines, p.Name+" at "+p.Root)
	}
	return lines
}

// listRoots is the detail of a failure that names the projects that could be meant.
func listRoots(all []known.Project) map[string]any {
	roots := []string{}
	for _, p := range all[:min(len(all), othersMost)] {
		roots = append(roots, p.Root)
	}
	return map[string]any{"candidates": roots}
}
