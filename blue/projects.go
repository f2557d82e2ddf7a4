package blue

import (
	"context"
	"io/fs"
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
		k := all[i].Shown()
		k.Fault, k.Missing = a.Reason, a.Reason == known.Gone
		if !k.Personal {
			k.Used, k.Age = reply.FormatTime(all[i].Used), reply.FormatAge(all[i].Used, b.o.Now())
		}
		answer.Projects = append(answer.Projects, k)
	}
	return answer, nil
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
	meant, err := known.FindRoot(all, root)
	if err != nil {
		return Projects{}, err
	}
	if err := b.known.Forget(meant.Root); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Projects{}, errors.SaveFailed("the list of projects", err)
	}
	return Projects{Projects: []Known{}, Forgot: meant.Root}, nil
}

// KnownProjects are the projects that this user has opened, for a shell that completes
// names and roots: no disk but that of the list is touched.
func (b *Blue) KnownProjects() (all []Known) {
	entries, _ := b.known.List()
	for _, p := range entries {
		all = append(all, p.Shown())
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
	return known.Choose(ctx, all, name, b.reachFrom(c))
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
