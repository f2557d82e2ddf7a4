package blue

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// NewProject describes a project to create.
type NewProject struct {
	Dir    string
	Name   string // empty: the base name of the directory
	Own    bool   // also in a linked worktree that uses the notes of its main tree
	Nested bool   // also inside of another project

	Read     bool // also read its documents and commits, and propose a search of them
	Personal bool // the project of the notes about the user, whatever Dir is
}

// Init makes a directory a trusted project without notes. It does not change an existing
// project.
func (b *Blue) Init(ctx context.Context, n NewProject) (result.Initialized, error) {
	asked := n.Name
	if n.Personal {
		if b.personalDir == "" {
			return result.Initialized{}, errors.PathUnusable(b.o.Data, "the directory for data of this user is unknown")
		}
		if err := os.MkdirAll(b.personalDir, 0o700); err != nil {
			return result.Initialized{}, errors.MarkerNotMade(b.personalDir, err)
		}
		n.Dir, n.Name, n.Own = b.personalDir, cmp.Or(n.Name, personalName), true
	}
	outer, repository := marker.Surroundings(ctx, b.rules, n.Dir)
	if main, worktree := marker.SharedProject(ctx, b.rules, n.Dir); main != "" && !n.Own {
		return result.Initialized{}, errors.E(errors.Exists, "the worktree %s has used the notes of %s so far",
			errors.Quote(worktree), errors.Quote(main)).
			Hint("", "", "to keep these notes, do nothing").
			Hint("init", "--own "+errors.Argument(n.Dir), "or make a project of its own, with other notes")
	}
	if _, err := os.Lstat(filepath.Join(n.Dir, marker.Name)); outer != "" && !n.Nested && !n.Personal && err != nil {
		return result.Initialized{}, errors.E(errors.Exists, "%s lies inside the project %s, whose notes are used here so far", errors.Quote(n.Dir), errors.Quote(outer)).
			Hint("", "", "to keep these notes, do nothing").
			Hint("init", "--nested "+errors.Argument(n.Dir), "or make a project of its own: calls from here find its notes then, and calls from "+errors.Quote(outer)+" do not")
	}
	fresh := holdsNothing(filepath.Join(n.Dir, marker.Name))
	root, created, err := marker.Create(n.Dir, n.Name, b.rules)
	if err != nil {
		return result.Initialized{}, err
	}
	found, err := marker.Choose(ctx, b.rules, candidate(marker.Argument, root))
	if err != nil {
		return result.Initialized{}, err
	}
	if !created && asked != "" && asked != found.Name {
		return result.Initialized{}, errors.E(errors.Exists, "%s is a project already, and its name is %s", errors.Quote(root), errors.Quote(found.Name)).
			Hint("", "", "to rename it, change the key name in "+errors.Quote(filepath.Join(root, marker.Name, "project.yaml")))
	}
	b.recordUse(found)
	if fresh {
		if err := b.trust.Add(marker.Home(root), found.ID); err != nil {
			b.o.Log.Warn("project not trusted", "project", root, "err", err)
		}
	}
	i := result.Initialized{About: b.AboutFound(found), Created: created, Inside: outer, GitRoot: repository == root, Person: n.Personal}
	if n.Read && created && !n.Personal {
		p, err := b.openProject(found, Call{})
		if err != nil {
			return result.Initialized{}, err
		}
		began := time.Now()
		i.Documents, i.Commits = p.CountShelves(ctx)
		i.Seconds = time.Since(began).Seconds()
		i.Try = p.ProposeSearch(ctx)
		i.About = p.About()
	}
	return i, nil
}

// holdsNothing reports whether a marker is missing or has neither an id nor a note.
func holdsNothing(mark string) bool {
	if _, err := os.Lstat(filepath.Join(mark, "project.yaml")); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	for _, part := range []string{"notes", "private", "trash", "history"} {
		if entries, err := os.ReadDir(filepath.Join(mark, part)); len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}
