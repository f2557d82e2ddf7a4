package blue

import (
	"cmp"
	"context"
	"slices"

	"blue/blue/internal/known"
	"blue/blue/internal/reply"
	"blue/errors"
	"blue/marker"
)

// NewProject says which directory is to be a project.
type NewProject struct {
	Dir  string
	Name string // empty: the base name of the directory
	Own  bool   // also in a linked worktree that works with the notes of its main tree

	Personal bool // the one for notes about the user, in their data directory, whatever Dir says
}

// Initialized is the answer to init.
type Initialized = reply.Initialized

// Init makes a directory a project. One that is a project already stays as it is.
func (b *Blue) Init(ctx context.Context, n NewProject) (Initialized, error) {
	if n.Personal {
		dir, err := b.makePersonalDir()
		if err != nil {
			return Initialized{}, err
		}
		n.Dir, n.Name, n.Own = dir, cmp.Or(n.Name, known.PersonalName), true
	}
	outer, repository := marker.Surroundings(ctx, b.rules, n.Dir)
	if main, worktree := marker.SharedProject(ctx, b.rules, n.Dir); main != "" && !n.Own {
		return Initialized{}, errors.SharedNotes(n.Dir, worktree, main)
	}
	root, created, err := marker.Create(n.Dir, n.Name, b.rules)
	if err != nil {
		return Initialized{}, err
	}
	found, err := marker.Choose(ctx, b.rules, slices.Values([]marker.Candidate{{Source: marker.Argument, Value: root}}))
	if err != nil {
		return Initialized{}, err
	}
	b.recordUse(found)
	p := Project{b: b, found: found}
	return Initialized{About: p.About(), Created: created, Inside: outer, GitRoot: repository == root, Person: n.Personal}, nil
}
