package ref

import (
	"context"

	"blue/errors"
)

// Notebook is the notes of one project on a ref, as a working copy, its repository and the
// remote of the repository have them.
type Notebook struct {
	*Repo
	Names   Names
	Project string // its id, empty when it has none that others share

	trees map[string]Tree // that were read, by commit
}

// Heads are the commits of a notebook; one that is not there is empty.
type Heads struct {
	Base   string // that the files of the working copy were last in line with
	Joined string // that all working copies here have joined
	Remote string // that the remote has

	Project string // the id that the remote has for the project, where it has its own
}

// ErrMoved says that files or heads have changed since they were read: all is to be read
// again.
var ErrMoved = errors.New("changed meanwhile")

// Quiet reports whether the remote and the refs here are all at a commit.
func (n *Notebook) Quiet(ctx context.Context, commit string) (bool, error) {
	h, err := n.Heads(ctx, false)
	if err != nil || h.Joined != commit || h.Base != commit || n.Names.Remote == "" {
		return err == nil && h.Joined == commit && h.Base == commit, err
	}
	remote, err := n.askRemote(ctx, n.Names)
	return remote == commit, err
}

// Heads reads the refs here, and with ask that of the remote, of which the commit is here
// afterwards.
func (n *Notebook) Heads(ctx context.Context, ask bool) (h Heads, err error) {
	if ask {
		if err := n.CheckVersion(ctx); err != nil {
			return h, err
		}
	}
	h, seen, err := n.localHeads(ctx)
	if err != nil || n.Names.Remote == "" || !ask {
		return h, err
	}
	remote, err := n.askRemote(ctx, n.Names)
	if err != nil || remote == "" || remote == h.Joined || remote == seen {
		h.Remote = remote
		return h, err
	}
	if err = n.fetch(ctx, n.Names); err != nil {
		return h, err
	}
	h, h.Remote, err = n.localHeads(ctx)
	if err == nil && h.Remote == "" {
		err = errors.NotNotes(n.Names.Ref, "it is no commit")
	}
	return h, err
}

// localHeads reads the refs here; seen is what the remote had last.
func (n *Notebook) localHeads(ctx context.Context) (h Heads, seen string, err error) {
	heads, err := n.heads(ctx, n.Names.Head(), n.Names.Base(), n.Names.Seen())
	return Heads{Base: heads[n.Names.Base()], Joined: heads[n.Names.Head()]}, heads[n.Names.Seen()], err
}

// ReadTree reads the tree of a commit, which must be one with notes of this project. What
// cannot be a note is left out and named.
func (n *Notebook) ReadTree(ctx context.Context, commit string) (Tree, error) {
	if t, known := n.trees[commit]; known {
		return t, nil
	}
	t, err := n.readTree(ctx, commit)
	if err != nil {
		return t, err
	}
	if t.Format == "" {
		return t, errors.NotNotes(n.Names.Ref, "it has no file named format")
	}
	if t.Format != n.ID(formatText(n.Project)) {
		err := n.ReadTexts(ctx, []string{t.Format}, func(_ string, text []byte) error { return n.checkFormat(string(text)) })
		if err != nil {
			return t, err
		}
	}
	if n.trees == nil {
		n.trees = map[string]Tree{}
	}
	n.trees[commit] = t
	return t, nil
}

// Commit makes a commit of a tree. Those of its texts that may not be in the repository are
// fresh, and given by read.
func (n *Notebook) Commit(ctx context.Context, t Tree, fresh []string, read func(id string) ([]byte, error), message string, parents []string) (string, error) {
	format := formatText(n.Project)
	t.Format = n.ID(format)
	err := n.writeTexts(ctx, append(fresh, t.Format), func(id string) ([]byte, error) {
		if id == t.Format {
			return format, nil
		}
		return read(id)
	})
	if err != nil {
		return "", err
	}
	tree, err := n.writeTree(ctx, t)
	if err != nil {
		return "", err
	}
	return n.commitTree(ctx, tree, message, parents)
}

// Move moves the refs of this repository to the commit that the files are in line with.
func (n *Notebook) Move(ctx context.Context, from Heads, commit string) error {
	var moves []move
	for _, m := range []move{{n.Names.Head(), from.Joined, commit}, {n.Names.Base(), from.Base, commit}} {
		if m.from != commit {
			moves = append(moves, m)
		}
	}
	if len(moves) == 0 {
		return nil
	}
	err := n.update(ctx, moves...)
	if err == nil {
		return nil
	}
	now, _, again := n.localHeads(ctx)
	if again == nil && (now.Joined != from.Joined || now.Base != from.Base) {
		return ErrMoved // another sync of this repository
	}
	return err
}

// Push sends a commit in the place of the one that the remote had. It ends well only when
// the remote, read again, has it.
func (n *Notebook) Push(ctx context.Context, commit, remote string) error {
	failed := n.push(ctx, n.Names, commit, remote)
	now, err := n.askRemote(ctx, n.Names)
	switch {
	case err != nil:
		return err
	case now == commit:
		if heads, err := n.heads(ctx, n.Names.Seen()); err == nil { // what is kept of the remote spares a fetch, no more
			_ = n.update(ctx, move{n.Names.Seen(), heads[n.Names.Seen()], commit})
		}
		return nil
	case now != remote:
		return ErrMoved
	case failed != nil:
		return errors.RemoteRefused(n.Names.Remote, n.Names.Ref, errors.Of(failed).Message)
	}
	return errors.NotTaken(n.Names.Remote, n.Names.Ref)
}
