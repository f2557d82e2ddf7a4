// Package notesync synchronizes the notes of a notebook with those of others, which travel on a
// ref of a git repository or on a blue server.
//
// A sync makes rounds until nothing changes during one. One round:
//
//	files ─────────► tree ─┐
//	base ──────────► tree ─┼► merged tree ─► files ─► move base ─► push ─► read the remote again
//	remote ────────► tree ─┘
//
// A process that is killed at any point leaves a state from which the next sync continues.
// Notes are matched by uid; the name of a file is an attribute like the title. The base is the
// state of the remote when the files were last in line with it. It moves after the files were
// written, and after a push. What is about to be written or pushed is recorded first, so that
// the next sync can tell which part of it arrived; that part counts as known to both sides.
// Only a removal through Blue, which leaves the note in the trash, removes it for others; a
// file that is missing otherwise is restored. No decision depends on the clock of this machine.
package notesync

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Config describes a notebook on this machine.
type Config struct {
	Found     marker.Found
	Store     *store.Store
	StateFile string // state that this machine keeps of the last sync
	User      string // author of removals made here
	Env       func(string) string
	Now       func() time.Time
	Log       *slog.Logger
	Notes
}

// Notes are the notes of a notebook with their index.
type Notes interface {
	Row(name string) (index.Row, bool)
	OfUID(uid string) []index.Row
	Conflicts(id string) []result.Clash
	Stamps() map[string]index.Stamp

	Stamp(context.Context) (string, error)     // updates the index and returns the stamp of the files
	Written()                                  // updates the index after files were written
	Lock(context.Context) (*store.Held, error) // locks the files
	Token(host string) (Credential, error)     // returns the token for a server
}

// Replica is the notebook of a project on this machine.
type Replica struct {
	Config
	server *address // nil until it is known; empty for git
}

// New returns the replica that c describes.
func New(c Config) *Replica { return &Replica{Config: c} }

// serverAddress returns the server that the notes travel to, empty for git: the one that the user
// has named, or else that of the last sync.
func (r *Replica) serverAddress() address {
	if r.server == nil {
		r.server = &address{}
		if goes := marker.DestinationOf(marker.NotebookOf(r.Found)); goes.IsServer() {
			*r.server = address{goes.Remote, goes.Ref}
		}
	}
	return *r.server
}

// destination returns where the notes travel.
func (r *Replica) destination() marker.Destination {
	if at := r.serverAddress(); at.url != "" {
		return marker.Destination{Remote: at.url, Ref: at.project}
	}
	return marker.Destination{Remote: r.Found.Sync.Remote, Ref: r.Found.Sync.Ref}
}

// chooseDestination sets where the notes travel: where the options say, or else where they went
// last. A notebook goes to another place only if the options name it: neither a commit that
// changes project.yaml nor the loss of what this machine keeps publishes its notes.
func (r *Replica) chooseDestination(o Options) error {
	carry := r.Found.Sync
	switch {
	case strings.Contains(o.Remote, "://"):
		at, err := parseAddress(o.Remote, o.Project)
		r.server = &at
		if err != nil {
			return err
		}
	case o.Project != "":
		return errors.Missing("URL", "name the server of the project: blue sync https://notes.example.com --project NAME")
	case o.Remote == carry.Remote || o.Remote == "" && o.Branch != "":
		r.server = &address{}
	case o.Remote != "":
		want := "the URL of a server, or " + carry.Remote + "; another remote of git is named by the key remote of .blue/project.yaml"
		return errors.BadValue("remote", o.Remote, want)
	default:
		if last := marker.DestinationOf(r.Found.Notes); last != (marker.Destination{}) && !last.Is(r.destination()) {
			return errors.E(errors.Denied, "these notes go to %s of %s, and .blue/project.yaml names %s of %s",
				errors.Visible(last.Ref), errors.Quote(last.Remote), errors.Visible(carry.Ref), errors.Quote(carry.Remote)).
				Hint("sync", errors.Argument(carry.Remote), "if they are to go there from now on; nothing was sent")
		}
		return nil
	}
	// A sync that fails must not let the next one go elsewhere.
	if last := marker.DestinationOf(r.Found.Notes); r.Found.Notebook && !last.Reached && (last.IsServer() || r.destination().IsServer()) {
		return r.keepDestination(false)
	}
	return nil
}

// CheckOptions returns the error of options that cannot name where notes travel.
func (r *Replica) CheckOptions(o Options) error {
	return New(r.Config).chooseDestination(o)
}

// hasReached reports whether a sync with the destination has succeeded.
func (r *Replica) hasReached() bool {
	was := marker.DestinationOf(r.Found.Notes)
	return was.Reached && was.Is(r.destination())
}

// keepDestination records in the notebook where its notes travel, and whether a sync has succeeded.
func (r *Replica) keepDestination(reached bool) error {
	goes := r.destination()
	if goes.Reached = reached || r.hasReached(); marker.DestinationOf(r.Found.Notes) == goes {
		return nil
	}
	err := marker.SetDestination(r.Found.Notes, goes)
	if err == nil && r.Found.Fetched && r.Store.BackupDir != "" {
		err = RecordNotebook(r.Found, r.Store.BackupDir)
	}
	return err
}

// lastSync is the state that this machine keeps of the last sync with one remote. It serves the
// offline status, and shows that nothing has changed. Without it a sync reads more but does the
// same.
type lastSync struct {
	Last     time.Time          `json:"last"`             // start of the last successful sync
	Commit   string             `json:"commit"`           // the base
	Stamp    string             `json:"stamp"`            // stamp of the files at that commit, empty if the sync wrote files
	Reported []string           `json:"told,omitempty"`   // files in the trash whose removal was pushed
	Loose    int                `json:"loose,omitempty"`  // notes that were pushed since objects were packed
	Packed   string             `json:"packed,omitempty"` // commit at which objects were packed
	Behind   int                `json:"behind"`           // notes that others had changed at the last query
	Withheld []result.NamedNote `json:"withheld,omitempty"`
}

const (
	lastSyncLimit    = snapshotLimit // bytes that are read
	lastSyncWithheld = 100           // withheld notes that are kept
)

// save saves the state for the offline status.
func (s lastSync) save(path string) error {
	s.Withheld = s.Withheld[:min(len(s.Withheld), lastSyncWithheld)]
	return save(atomicfile.Target{Path: path, Volatile: true}, s)
}

// stateFile returns the state file of the remote in use, with another extension. Git and each
// server have their own.
func (r *Replica) stateFile(extension string) string {
	path := strings.TrimSuffix(r.StateFile, ".json")
	if at := r.serverAddress(); at.url != "" {
		path += "-" + store.Revision([]byte(at.url+"\x00"+at.project))
	}
	return path + extension
}

func (r *Replica) loadState() lastSync { return load[lastSync](r.stateFile(".json"), lastSyncLimit) }

// saveState saves s for the next sync.
func (r *Replica) saveState(s lastSync) {
	if err := s.save(r.stateFile(".json")); err != nil {
		r.Log.Warn("state of the sync not kept", "project", r.Found.Root, "err", err)
	}
}

// loadBase reads the notes of the base.
func (r *Replica) loadBase() tree { return load[snapshot](r.stateFile(".base"), snapshotLimit).tree }

// LastSync describes where the notes travel, and returns when a sync last succeeded.
func (r *Replica) LastSync() (travels string, last time.Time) {
	goes := r.destination()
	return goes.Ref + " of " + goes.Remote, r.loadState().Last
}

// ToldRemoval returns a function that reports whether others know that the note of a file in the
// trash was removed, or need not know because the notebook never went anywhere. It also counts for
// notes that are with the code again: back in the notebook, they would return.
func (r *Replica) ToldRemoval() func(file string) bool {
	told, last := map[string]bool{}, r.loadState()
	for _, file := range last.Reported {
		told[file] = true
	}
	alone := last.Commit == "" && marker.DestinationOf(marker.NotebookOf(r.Found)) == (marker.Destination{})
	return func(file string) bool { return alone || told[file] }
}

// Options are the options of a sync.
type Options struct {
	Remote         string // URL of a server or name of a git remote, empty for the one of the last sync
	Project        string // on the server
	Branch         string // sync with this branch, also from now on
	AcceptRemovals bool   // even if others have removed many notes
	NoPush         bool   // only merge what others have
	Known          bool   // do nothing unless this machine has synced before: a clone must not make a hook connect

	offline bool // only restore files from the base
}

// session is one sync with one remote.
type session struct {
	*Replica
	options Options
	backend backend
	remote  string   // name of the git remote or URL of the server, empty without a remote
	ref     string   // or the project on the server
	project string   // id of the project, empty if it has none that others share
	last    lastSync // state before the sync
	trash   []string // files in the trash whose removal was pushed
	reached bool     // a sync with the remote has succeeded before
	seen    *tree    // notes that the remote had at the beginning of the last round, nil for none
	erased  []string // ids of texts that the remote has erased and does not take
}

// open starts a session, which the caller closes.
func (r *Replica) open(ctx context.Context, o Options) (*session, error) {
	s := &session{Replica: r, options: o, last: r.loadState(), reached: r.hasReached()}
	if r.Found.ID != r.Found.Root { // else the id is a path of this machine
		s.project = r.Found.ID
	}
	if at := r.serverAddress(); at.url != "" {
		token, err := r.Token(at.host())
		if err != nil {
			return nil, err
		}
		s.remote, s.ref = at.url, at.project
		s.backend = openServer(at, token, r.stateFile(".base"), !o.NoPush, s.reached)
		return s, nil
	}
	if s.project == "" && !o.offline {
		return nil, errors.E(errors.Invalid, "this project has no id, by which its notes are known from those of other projects").
			Hint("sync", "--on", "write one; commit .blue/project.yaml then, and pull it elsewhere")
	}
	g, err := openGit(ctx, r.Found.Root, r.Env)
	if err != nil {
		return nil, err
	}
	carry := r.Found.Sync
	if s.remote, s.ref = carry.Remote, carry.Ref; !g.remote.Has(carry.Remote) {
		if carry.Remote != marker.DefaultSync().Remote {
			return nil, errors.E(errors.NotFound, "the repository has no remote %s", errors.Quote(carry.Remote)).
				Hint("", "", "name one of `git remote` after the key remote of .blue/project.yaml, or add it: git remote add "+errors.Visible(carry.Remote)+" URL")
		}
		s.remote = ""
	}
	g.remoteName, g.remoteRef, g.project, g.file = s.remote, s.ref, s.project, r.stateFile(".base")
	g.reached, s.backend = s.reached, g
	return s, nil
}

func (s *session) close() {
	if b, ok := s.backend.(*serverBackend); ok {
		b.read.close()
	}
}

// Sync merges the notes of others into the notebook and pushes the result.
func (r *Replica) Sync(ctx context.Context, o Options) (out result.Synced, err error) {
	if err := r.chooseDestination(o); err != nil {
		return out, err
	}
	if !r.Found.Notebook {
		return out, r.withCode()
	}
	if o.Known && r.loadState().Last.IsZero() {
		return out, nil
	}
	unlock, waited, err := r.lockSyncs(ctx)
	if err != nil {
		return out, err
	}
	defer unlock()
	defer func() { out.Waited = waited }()
	listed := r.list(ctx)
	defer listed()
	s, err := r.open(ctx, o)
	if err != nil {
		return out, err
	}
	defer s.close()
	return s.sync(ctx, listed)
}

// list begins to update the index. It returns a function that waits for that and returns the stamp
// of the files.
func (r *Replica) list(ctx context.Context) (listed func() (stamp string, err error)) {
	var stamp string
	var err error
	var listing sync.WaitGroup
	listing.Go(func() { stamp, err = r.Stamp(ctx) })
	return func() (string, error) {
		listing.Wait()
		return stamp, err
	}
}

// sync merges and pushes unless nothing has changed, and keeps the state for the next sync.
func (s *session) sync(ctx context.Context, listed func() (stamp string, err error)) (out result.Synced, err error) {
	r, began := s.Replica, s.Now()
	unchanged := s.backend.Unchanged(ctx, s.last.Commit)
	stamp, err := listed()
	if err != nil {
		return out, err
	}
	if unchanged && s.last.Commit != "" && s.last.Stamp == stamp && len(s.last.Withheld) == 0 && r.Found.Fetched {
		if s.remote != "" {
			if err := r.keepDestination(true); err != nil {
				return out, err
			}
		}
		s.last.Last, s.last.Behind = began, 0
		r.saveState(s.last)
		s.dropBackups(s.loadBase)
		out = result.NewSynced()
		out.Remote, out.Ref, out.Head, out.Synced = s.remote, s.ref, s.last.Commit, s.remote != ""
		return out, nil
	}
	if err := r.refuseTracked(ctx); err != nil {
		return out, err
	}
	out, err = s.run(ctx)
	wrote := len(out.Came)+len(out.Removed) > 0
	if wrote {
		r.Written()
	}
	if err == nil {
		err = r.markFetched()
	}
	if err != nil || s.remote != "" && !out.Synced {
		return out, err
	}
	if s.remote != "" {
		if err := r.keepDestination(true); err != nil {
			return out, err
		}
	}
	next := lastSync{Last: began, Commit: out.Head, Reported: s.trash, Withheld: out.Withheld,
		Packed: s.last.Packed, Loose: s.last.Loose + len(out.Went)}
	if !wrote { // else another process may have written since
		next.Stamp = stamp
	}
	s.pack(ctx, &next)
	r.saveState(next)
	if s.seen != nil {
		s.dropBackups(func() tree { return *s.seen })
	}
	return out, nil
}

// lockSyncs takes the lock of the syncs of this notebook. It waits for a sync that holds it, and
// reports whether it did.
func (r *Replica) lockSyncs(ctx context.Context) (unlock func(), waited bool, err error) {
	path := strings.TrimSuffix(r.StateFile, ".json") + ".lock"
	for patience := time.Duration(0); ; patience, waited = time.Second, true {
		unlock, _, err = atomicfile.Lock(path, patience)
		if err == nil || !errors.Is(err, errors.Busy) {
			return unlock, waited, err
		}
		if ctx.Err() != nil {
			return nil, waited, ctx.Err()
		}
	}
}

// refuseTracked refuses a notebook with files that git tracks: a commit has brought them, and they
// must not be pushed.
func (r *Replica) refuseTracked(ctx context.Context) error {
	if r.Found.Notes.Root == r.Found.Root {
		if n := countTracked(ctx, r.Found.Root, r.Found.Notes.Below); n > 0 {
			return errors.E(errors.Denied,
				"the commit that is checked out tracks %d files in %s, where only Blue writes", n, errors.Quote(r.Found.Notes.Below)).
				Hint("", "", "nothing was sent; check out a commit without them, or take them out of the index of git")
		}
	}
	return nil
}

// markFetched records that the notes of others were fetched.
func (r *Replica) markFetched() (err error) {
	if !r.Found.Fetched {
		err = marker.UseNotebook(r.Found.Notes, r.Found.ID)
		r.Found.Fetched = err == nil
	}
	return err
}

// looseNotes is how many notes may be pushed before their objects are packed.
const looseNotes = 200

// pack packs the objects that many syncs have written.
func (s *session) pack(ctx context.Context, next *lastSync) {
	g, ok := s.backend.(*gitBackend)
	if !ok || next.Loose <= looseNotes {
		return
	}
	if err := g.pack(ctx, next.Packed, next.Commit); err != nil {
		s.Log.Debug("notes not packed", "project", s.Found.Root, "err", err)
		return
	}
	next.Packed, next.Loose = next.Commit, 0
}

// dropBackups removes the backups of texts that a later sync than the one that sent them has seen
// at the remote: until then they protect against a remote that is set back.
func (s *session) dropBackups(seen func() tree) {
	_ = s.eachBackup(seen, func(name string, data []byte, removed, known bool) {
		if known {
			s.Store.DropBackup(name, data, removed)
		}
	})
}

// eachBackup calls each with the backups, and with whether the notes of a tree have the text of it, or
// lack the note that was removed. It asks for the tree if there is a backup.
func (r *Replica) eachBackup(read func() tree, each func(name string, data []byte, removed, known bool)) error {
	var revisions map[string]string
	return r.Store.Backups(func(name string, data []byte, removed bool) error {
		if revisions == nil {
			revisions = map[string]string{}
			for _, n := range read().Notes {
				revisions[notesDir+n.name] = n.revision
			}
		}
		now := revisions[name]
		each(name, data, removed, removed && now == "" || !removed && now == store.Revision(data))
		return nil
	})
}

// RestoreMissing writes the notes of the base that the notebook lacks. It asks no remote.
func (r *Replica) RestoreMissing(ctx context.Context) error {
	if r.serverAddress().url != "" {
		return nil // the texts are on the server
	}
	s, err := r.open(ctx, Options{offline: true, NoPush: true})
	if err == nil {
		_, err = s.run(ctx)
	}
	if err != nil { // the next sync restores them
		r.Log.Warn("notes not brought back", "project", r.Found.Root, "err", err)
		return nil
	}
	r.Written()
	return r.markFetched()
}

// Status asks the remote and counts what a sync would transfer.
func (r *Replica) Status(ctx context.Context) (status result.SyncStatus, err error) {
	if !r.Found.Notebook {
		return status, r.withCode()
	}
	s, err := r.open(ctx, Options{NoPush: true})
	if err != nil {
		return status, err
	}
	defer s.close()
	if _, err := s.Stamp(ctx); err != nil {
		return status, err
	}
	status = *r.LocalStatus()
	status.Remote = s.remote
	h, err := s.backend.Heads(ctx, true)
	if err != nil {
		return status, err
	}
	var here *round
	err = retry(ctx, func() error {
		here = s.newRound()
		defer here.texts.close()
		return here.read(ctx, h)
	})
	if err != nil {
		return status, err
	}
	theirs := here.base
	if h.remote != "" {
		if theirs, err = s.backend.ReadTree(ctx, h.remote); err != nil {
			return status, err
		}
	}
	status.Withheld = here.out.Withheld
	status.Ahead = len(here.base.differing(here.tree)) + len(status.Withheld)
	status.Behind = len(here.base.differing(theirs))
	if !s.last.Last.IsZero() {
		s.last.Behind = status.Behind
		r.saveState(s.last)
	}
	return status, nil
}

// LocalStatus returns the sync status from local state only: ahead counts the notes written since
// the last sync, behind is the last known count of the remote. It is nil without a notebook.
func (r *Replica) LocalStatus() *result.SyncStatus {
	if !r.Found.Notebook {
		return nil
	}
	last, goes := r.loadState(), r.destination()
	s := result.SyncStatus{Mode: "notebook", Remote: goes.Remote, Ref: goes.Ref, Behind: last.Behind,
		Conflicts: append([]result.Clash{}, r.Conflicts("")...), Withheld: last.Withheld, Unfetched: !r.Found.Fetched}
	if !last.Last.IsZero() {
		s.Last = &last.Last
	}
	_ = r.eachBackup(r.loadBase, func(name string, _ []byte, _, known bool) {
		if !note.IsPrivate(name) && !known {
			s.Ahead++
		}
	})
	s = s.At(r.Now())
	return &s
}

// withCode returns the error for a project whose notes git moves with the code.
func (r *Replica) withCode() *errors.Error {
	return errors.E(errors.NoNotebook, "the notes of this project travel with the code: git moves them with its commits").
		Hint("sync", "--on", "move them into a notebook of their own, which blue sync carries").
		Hint("sync", "--on URL --project NAME", "the same, carried by a blue server")
}
