package blue

import (
	"context"
)

// Projects lists the projects that this user has opened, and says of each whether it is
// still there.
func (b *Blue) Projects(ctx context.Context, c Call) (Projects, error) {
	return b.known.Check(ctx, c.Allowed)
}

// ForgetProject takes a project off the list, by its root or as the list shows that. Its
// files stay.
func (b *Blue) ForgetProject(root string) (Projects, error) { return b.known.TakeOff(root) }

// KnownProjects are the projects that this user has opened, for a shell that completes
// names and roots: no disk but that of the list is touched.
func (b *Blue) KnownProjects() (all []Known) {
	entries, _ := b.known.List()
	for _, p := range entries {
		all = append(all, p.Shown())
	}
	return all
}

// FindProject returns the root of the project that a name means, see [registry.Projects.Find].
func (b *Blue) FindProject(ctx context.Context, c Call, name string, open []string) (root string, err error) {
	return b.known.Find(ctx, c.Allowed, name, open)
}
