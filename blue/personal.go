package blue

import (
	"context"
	"os"

	"blue/blue/internal/registry"
	"blue/errors"
)

// Notes about the user, whatever they work on, make one project in their data directory. It
// is found by its place alone: nothing leads to it but to ask for it, and no call that finds
// no project falls back to it.

// OpenPersonal opens the project of the notes about the user, whatever the candidates of the
// call say.
func (b *Blue) OpenPersonal(ctx context.Context, c Call) (*Project, error) {
	p, ok := b.known.Me()
	if !ok {
		return nil, errors.NoPersonal()
	}
	rules := b.rules
	rules.Allowed, rules.Cwd, rules.Door = c.Allowed, c.Cwd, c.Door
	found, err := registry.FindPersonal(ctx, rules, p.Root)
	if err != nil {
		return nil, err
	}
	return b.openProject(found, c)
}

// makePersonalDir makes the directory of the notes about the user.
func (b *Blue) makePersonalDir() (dir string, err error) {
	if dir = b.known.Personal; dir == "" {
		return "", errors.PathUnusable(b.o.Data, "the directory for data of this user is unknown")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", errors.MarkerNotMade(dir, err)
	}
	return dir, nil
}
