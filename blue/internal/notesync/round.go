package notesync

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/errors"
)

const (
	maxRounds  = 6                      // of a sync; others may push concurrently
	roundPause = 150 * time.Millisecond // before the second round at most, doubled for each further one
)

// errMoved reports that files or heads have changed since they were read, so that another round is
// needed.
var errMoved = errors.New("changed meanwhile")

// heads are the commits of a notebook, empty where there is none.
type heads struct {
	base    string // last commit that the files were in line with
	fork    string // last commit of it that the remote has too; base unless the remote was set back
	remote  string
	project string   // id of the project, if the remote has its own
	taken   []taking // what interrupted syncs were writing to the files, oldest first

	setBack   bool              // the remote has lost what it had at the last sync
	since     map[string]bool   // ids of the texts and tombstones that it has had since the fork
	ownSince  map[string]bool   // those that the base has had since the fork
	forgotten map[string]string // revisions of the notes of the remote that it had removed, by uid
}

// taking is a commit of the remote from which a sync writes files.
type taking struct {
	Commit string    `json:"commit"`
	Change time.Time `json:"change"` // time of the last journal entry before
	Differ tree      `json:"differ"` // from the base, for a server; a removed note is empty
}

// tip returns the parent of the next commit.
func (h heads) tip() string { return cmp.Or(h.remote, h.base) }

// textSource supplies the texts of a tree that is pushed.
type textSource struct {
	fresh map[string]bool // ids of the texts that the remote may not have
	read  func(id string) ([]byte, error)
	isOld func(name, revision string) bool // reports whether a note had that revision before
}

// backend stores the notes of others, and locally the base. Commits name trees; ids name texts and
// depend on their bytes alone.
type backend interface {
	// Unchanged asks the remote and reports whether all heads are at commit. Heads returns the
	// error if there was one.
	Unchanged(ctx context.Context, commit string) bool
	// Heads returns the heads; with ask it asks the remote.
	Heads(ctx context.Context, ask bool) (heads, error)
	// ReadTree returns a checked copy of the tree of a commit.
	ReadTree(ctx context.Context, commit string) (tree, error)
	// ReadTexts calls each with the texts of ids and leaves out those that do not exist.
	ReadTexts(ctx context.Context, ids []string, each func(id string, text []byte) error) error
	ID(text []byte) string
	// Authors returns who last changed the notes between two commits, by uid.
	Authors(ctx context.Context, from, to string) (map[string]string, error)
	// Had reports whether a note of a name had a text of an id before, as far as is known.
	Had(ctx context.Context, name, id string) (bool, error)
	// Heal repairs the cause of err, or returns err.
	Heal(ctx context.Context, err error) error
	// Take records that files are about to be written from a commit with tree t. Heads returns
	// that until Move is called.
	Take(ctx context.Context, now taking, t tree) error
	// Move makes commit, with tree t, the base. The error may be errMoved.
	Move(ctx context.Context, commit string, t tree) error
	// Push commits t on top of h and pushes it. It succeeds only if the remote, read again, has the
	// commit. The error may be errMoved.
	Push(ctx context.Context, h heads, t tree, texts textSource, message string) (commit string, err error)
}

// run makes rounds until one succeeds.
func (s *session) run(ctx context.Context) (result.Synced, error) {
	out := result.NewSynced()
	out.Remote, out.Ref = s.remote, s.ref
	rounds := func() error {
		return retry(ctx, func() error {
			r := s.newRound()
			defer r.texts.close()
			r.out = &out
			out.Went, out.Withheld, out.Refused, out.SetBack = []string{}, []result.NamedNote{}, []result.NamedNote{}, false
			return r.run(ctx)
		})
	}
	err := rounds()
	for healed := 0; healed < 8 && err != nil && !s.options.offline && ctx.Err() == nil; healed++ {
		if failed := s.backend.Heal(ctx, err); failed != nil {
			return out, failed
		}
		out.Healed = true
		err = rounds()
	}
	return out, err
}

// retry calls try again while it returns errMoved.
func retry(ctx context.Context, try func() error) error {
	for n := range maxRounds {
		if n > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(rand.N(roundPause << n)):
			}
		}
		if err := try(); !errors.Is(err, errMoved) {
			return err
		}
	}
	return errors.E(errors.Busy, "others pushed notes first, %d times", maxRounds).
		Hint("sync", "", "nothing is lost; try again")
}

// round is one attempt of a sync. Notes are keyed by uid, texts by id.
type round struct {
	*session
	out    *result.Synced
	files  map[string]noteFile // on disk
	base   tree
	taken  []tree // what interrupted syncs were writing to the files
	theirs tree   // of the remote
	tree   tree   // what files and remote should become

	texts      *spool              // merged texts, tombstones and texts that are compared
	paths      map[string]string   // files of the texts that the base does not have
	fresh      map[string]bool     // texts that the remote may not have
	revisions  map[string]string   // of texts
	superseded map[string]string   // texts that go to the history of a note
	withheld   map[string]bool     // notes that must not leave
	merged     map[string]noteFile // withheld notes with what was merged into them
	unreadable map[string]bool     // names of files
	half       map[string]noteFile // second files of notes, with the names that a killed sync was giving them
	authors    map[string]string   // of changes of others
	own        tree                // the base, if the remote was set back
	forgotten  map[string]string   // revisions, if known, of notes that are known to be removed, unlike at the remote, by uid
	trashed    []string            // files in the trash
	unsent     []string            // those of the notes that were removed here
	heads      heads
}

func (s *session) newRound() *round {
	out := result.NewSynced()
	return &round{session: s, out: &out, files: map[string]noteFile{}, texts: newSpool(filepath.Dir(s.StateFile)), paths: map[string]string{}, fresh: map[string]bool{},
		revisions: map[string]string{}, superseded: map[string]string{}, withheld: map[string]bool{}, merged: map[string]noteFile{}, unreadable: map[string]bool{}, half: map[string]noteFile{}}
}

// run performs the round.
func (r *round) run(ctx context.Context) error {
	h, err := r.backend.Heads(ctx, !r.options.offline)
	if err != nil {
		return err
	}
	r.out.SetBack = h.setBack
	if err := r.read(ctx, h); err != nil {
		return err
	}
	if h.remote != "" {
		if err := r.join(ctx); err != nil {
			return err
		}
	}
	if err := r.mergeHalf(ctx); err != nil {
		return err
	}
	r.separateNames()
	slices.SortStableFunc(r.out.Withheld, func(a, b result.NamedNote) int { return cmp.Compare(a.ID, b.ID) })
	if h.remote != "" && !r.options.offline {
		if err := r.keepDestination(false); err != nil { // before a note of others is here
			return err
		}
	}
	if err := r.writeFiles(ctx); err != nil || r.options.offline {
		return err
	}
	if h.remote != "" {
		seen := r.withRevisions(r.theirs)
		r.session.seen = &seen
		if h.fork == h.base { // the files have all of it
			if err := r.move(ctx, h.remote, r.theirs); err != nil {
				return err
			}
		}
	}
	return r.push(ctx) // of a remote that was set back, the base moves when it has what it has lost
}

// push sends the tree to the remote if it differs, or if the remote has lost commits: with them, other
// clones know what came after what.
func (r *round) push(ctx context.Context) error {
	remote := r.remoteTree()
	changed := remote.differing(r.tree)
	r.out.Head = r.heads.tip()
	lost := r.heads.setBack && r.heads.fork != r.heads.base
	if len(changed) > 0 || lost || !remote.sameTrash(r.tree) {
		if r.options.NoPush {
			return nil
		}
		for _, uid := range changed {
			r.out.Went = append(r.out.Went, note.IDOf(cmp.Or(r.tree.Notes[uid].name, remote.Notes[uid].name)))
		}
		texts := textSource{r.fresh, r.ownText, func(name, revision string) bool {
			_, err := r.Store.ReadPast(notesDir+name, revision)
			return err == nil
		}}
		commit, err := r.backend.Push(ctx, r.heads, r.tree, texts, fmt.Sprintf("Notes: %d changed", len(r.out.Went)))
		if refused, ok := errors.AsType[erasedError](err); ok {
			if r.leaveOut(refused.names) {
				return errMoved // the next round leaves them out
			}
			return wasErased()
		}
		if err == nil {
			err = r.move(ctx, commit, r.tree)
		}
		if err != nil {
			return err
		}
		r.out.Head = commit
	} else if r.heads.remote != "" {
		if err := r.move(ctx, r.heads.remote, r.theirs); err != nil {
			return err
		}
	}
	r.out.Synced, r.session.trash = r.remote != "", r.trashed
	return nil
}

// leaveOut leaves the notes of these names out of the next round. It reports whether one of them was
// not left out before.
func (r *round) leaveOut(names []string) (more bool) {
	for _, n := range r.tree.Notes {
		if slices.Contains(names, n.name) && !slices.Contains(r.erased, n.blob) {
			r.session.erased, more = append(r.session.erased, n.blob), true
		}
	}
	return more
}

// remoteTree returns the notes of others or, without a remote, those of the local ref.
func (r *round) remoteTree() tree {
	switch {
	case r.heads.remote != "":
		return r.theirs
	case r.remote != "":
		return newTree()
	}
	return r.base
}

// move makes commit, with tree t, the base.
func (r *round) move(ctx context.Context, commit string, t tree) error {
	return r.backend.Move(ctx, commit, r.withRevisions(t))
}

// withRevisions sets the known revisions of the notes of t.
func (r *round) withRevisions(t tree) tree {
	for uid, n := range t.Notes {
		n.revision = r.revisions[n.blob]
		t.Notes[uid] = n
	}
	return t
}
