package ref

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"blue/blue/internal/atomicfile"
	"blue/errors"
)

// Notebook is the notes of one project on a ref, as this machine, its repository and the remote
// of the repository have them.
type Notebook struct {
	*Repo
	Names   Names
	Project string // its id, empty when it has none that others share
	File    string // of the snapshot

	trees  map[string]Tree // that were read, by commit
	loaded *Snapshot
	local  string // the commit of the ref here

	refetched, forget bool // how far it was healed
}

// Heads are the commits of a notebook; one that is not there is empty.
type Heads struct {
	Base   string // that the files were last in line with, and what the remote has comes from
	Remote string // that the remote has

	Project string // the id that the remote has for the project, where it has its own
}

// ErrMoved says that files or heads have changed since they were read: all is to be read
// again.
var ErrMoved = errors.New("changed meanwhile")

// Quiet reports whether the remote and the ref here are both at a commit.
func (n *Notebook) Quiet(ctx context.Context, commit string) (bool, error) {
	here, _, err := n.localHeads(ctx)
	if err != nil || here != commit || n.Names.Remote == "" {
		return err == nil && here == commit, err
	}
	remote, err := n.askRemote(ctx, n.Names)
	return remote == commit, err
}

// Heads reads the ref here, and with ask that of the remote, of which the commit is here
// afterwards.
func (n *Notebook) Heads(ctx context.Context, ask bool) (h Heads, err error) {
	if ask {
		if err := n.CheckVersion(ctx); err != nil {
			return h, err
		}
	}
	n.trees = map[string]Tree{}
	here, seen, err := n.localHeads(ctx)
	if err != nil {
		return h, err
	}
	if n.loaded == nil {
		s := LoadSnapshot(n.File)
		n.loaded = &s
	}
	n.local, h.Base = here, cmp.Or(here, n.loaded.Commit) // which a ref that is gone leaves
	if n.forget || n.loaded.Commit != h.Base && !n.has(ctx, h.Base) {
		n.loaded, h.Base = &Snapshot{}, ""
	}
	if !ask || n.Names.Remote == "" {
		return h, nil
	}
	h.Remote, err = n.askRemote(ctx, n.Names)
	if err == nil && h.Remote != "" && h.Remote != seen && h.Remote != here {
		if err = n.fetch(ctx, n.Names); err == nil {
			_, h.Remote, err = n.localHeads(ctx)
		}
		if err == nil && h.Remote == "" {
			err = errors.NotNotes(n.Names.Ref, "it is no commit")
		}
	}
	if err == nil && h.Remote != "" && h.Base != "" && h.Remote != h.Base && n.has(ctx, h.Base) {
		h.Base, err = n.comesFrom(ctx, h.Base, h.Remote)
	}
	return h, err
}

// Heal mends what keeps git from reading the notebook here: what git cannot read is put aside,
// everything that the remote has is fetched once more, and then what the files were last in line
// with is forgotten. It returns an error that it knows no help for.
func (n *Notebook) Heal(ctx context.Context, err error) error {
	aside := n.putAside(ctx, err.Error())
	if !errors.IsGitFailed(err) && !aside || n.Names.Remote == "" {
		return err
	}
	switch {
	case n.forget:
		return err
	case aside, n.refetched:
		n.forget = !aside
		n.dropUnreadable(ctx)
		return nil
	}
	n.refetched = true
	_, _ = n.ask(ctx, "fetch", "--progress", "--refetch", "--no-tags", "--no-prune", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--no-filter",
		n.remote.Pushed(ctx, n.dir, n.Names.Remote), "+"+n.Names.Ref+":"+n.Names.Seen())
	return nil
}

// dropUnreadable removes the refs of which git lacks the commit: the snapshot names it, and it is
// fetched again.
func (n *Notebook) dropUnreadable(ctx context.Context) {
	for _, ref := range []string{n.Names.Head(), n.Names.Seen(), pendingRef} {
		if _, unreadable := n.run(ctx, nil, "cat-file", "-e", ref+"^{tree}"); unreadable != nil {
			_, _ = n.run(ctx, nil, "update-ref", "-d", ref)
		}
	}
}

var objectName = regexp.MustCompile(`\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b`)

// putAside moves the files of the objects that a message of git names, and that git cannot read,
// to the files of the last sync: git takes no other in their place.
func (n *Notebook) putAside(ctx context.Context, message string) (moved bool) {
	for _, id := range objectName.FindAllString(message, -1) {
		if _, err := n.run(ctx, nil, "cat-file", "-p", id); err == nil {
			continue
		}
		file := filepath.Join(n.shared, "objects", id[:2], id[2:])
		kept := atomicfile.File{Path: n.File + "." + id + ".damaged"}
		if text, err := os.ReadFile(file); err == nil && kept.Replace(text) == nil {
			moved = os.Remove(file) == nil || moved
		}
	}
	return moved
}

// localHeads reads the refs here: that of the notebook, and that of what the remote had last.
func (n *Notebook) localHeads(ctx context.Context) (here, seen string, err error) {
	heads, err := n.heads(ctx, n.Names.Head(), n.Names.Seen())
	return heads[n.Names.Head()], heads[n.Names.Seen()], err
}

// ReadTree reads the tree of a commit, which must be one with notes of this project. Empty is
// for no commit.
func (n *Notebook) ReadTree(ctx context.Context, commit string) (Tree, error) {
	if t, known := n.trees[commit]; known || commit == "" {
		return t.clone(), nil
	}
	t, from := NewTree(), ""
	if n.loaded.Commit == commit {
		t = n.loaded.Tree()
		n.trees[commit] = t
		return t.clone(), nil
	}
	if n.loaded.Commit != "" && n.has(ctx, n.loaded.Commit) {
		t, from = n.loaded.Tree(), n.loaded.Commit
	}
	format, err := n.readChanges(ctx, &t, from, commit)
	if err != nil {
		return t, err
	}
	if format == "" && from == "" {
		return t, errors.NotNotes(n.Names.Ref, "it has no file named format")
	}
	if format != "" {
		err = n.ReadTexts(ctx, []string{format}, func(_ string, text []byte) error { return n.checkFormat(string(text)) })
	}
	n.trees[commit] = t
	return t.clone(), err
}

// clone is a tree that can be changed apart.
func (t Tree) clone() Tree {
	if t.Notes == nil {
		return NewTree()
	}
	return Tree{maps.Clone(t.Notes), maps.Clone(t.Trash), maps.Clone(t.Refused), slices.Clone(t.Flat)}
}

// Commit makes a commit of a tree behind another one, and returns its name. Those of its texts
// that may not be in the repository are fresh, and given by read.
func (n *Notebook) Commit(ctx context.Context, parent string, t Tree, fresh map[string]bool, read func(id string) ([]byte, error), message string) (string, error) {
	before, err := n.ReadTree(ctx, parent)
	if err != nil {
		return "", err
	}
	c := change{entries: before.compare(t), fresh: maps.Clone(fresh), read: read, parent: parent, message: message}
	for _, path := range slices.AppendSeq(before.Flat, maps.Keys(before.Refused)) { // what no Blue can read goes too
		c.entries = append(c.entries, entry{path: path})
	}
	format := formatText(n.Project)
	c.entries = append(c.entries, entry{path: "format", blob: n.ID(format)})
	c.fresh[n.ID(format)] = true
	c.read = func(id string) ([]byte, error) {
		if id == n.ID(format) {
			return format, nil
		}
		return read(id)
	}
	commit, err := n.commit(ctx, c)
	if err == nil {
		n.trees[commit] = t.clone()
	}
	return commit, err
}

// Move moves the ref of this repository to the commit that the files are in line with, and
// keeps a snapshot of it.
func (n *Notebook) Move(ctx context.Context, commit string, t Tree) error {
	if n.local != commit {
		err := n.update(ctx, move{n.Names.Head(), n.local, commit})
		if err != nil {
			if here, _, again := n.localHeads(ctx); again == nil && here != n.local {
				return ErrMoved // another sync of this repository
			}
			return err
		}
		n.local = commit
	}
	if n.loaded != nil && n.loaded.Commit == commit {
		return nil
	}
	s := Snapshot{Commit: commit}
	s.Put(t)
	n.loaded = &s
	return s.Save(n.File)
}

// Push sends a commit in the place of the one that the remote had. It ends well only when
// the remote, read again, has it.
func (n *Notebook) Push(ctx context.Context, commit, remote string) error {
	if n.Names.Remote == "" {
		return nil
	}
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
