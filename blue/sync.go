package blue

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"blue/blue/internal/exchange"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// Synced is the answer to a sync.
type Synced = reply.Synced

// SyncStatus says how the notes here stand to those of others.
type SyncStatus = reply.SyncStatus

// Syncing says how to sync.
type Syncing struct {
	AcceptRemovals bool // also when others have removed many notes
	NoPush         bool // only take in what has come
	Known          bool // only where a person has synced before: a clone must not make a hook reach out
}

// Sync carries notes: those of others come here, those of here go to them.
func (p *Project) Sync(ctx context.Context, o Syncing) (s Synced, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return s, err
	}
	state := exchange.LoadState(p.syncFile())
	if o.Known && state.Last.IsZero() {
		return s, nil
	}
	x, err := p.openExchange(ctx, state)
	if err != nil {
		return s, err
	}
	x.AcceptRemovals, x.NoPush = o.AcceptRemovals, o.NoPush
	stamp, err := p.Stamp(ctx)
	if err != nil {
		return s, err
	}
	defer closeOthers(x)
	if s, quiet := p.isQuiet(ctx, x, state, stamp); quiet {
		state.Last, state.Behind, state.Newest = p.b.o.Now(), 0, p.newest()
		p.keepState(state)
		return s, nil
	}
	s, err = x.Run(ctx)
	if len(s.Came)+len(s.Removed) > 0 {
		p.indexWritten(makeDocument)
	}
	s.About = p.About()
	if err != nil {
		return s, err
	}
	if x.Names.Remote == "" || s.Synced {
		state = exchange.State{Last: p.b.o.Now(), Commit: s.Head, Newest: p.newest(), Withheld: s.Withheld}
		if len(s.Came)+len(s.Removed) == 0 {
			state.Stamp = stamp // and no other: somebody may write meanwhile
		}
		p.keepState(state)
	}
	return s, nil
}

// isQuiet reports whether nothing has changed on either side since the last sync. Whatever
// fails in looking is left to the sync to say.
func (p *Project) isQuiet(ctx context.Context, x *exchange.Exchange, state exchange.State, stamp string) (Synced, bool) {
	s := reply.NewSynced()
	s.About, s.Remote, s.Ref, s.Head, s.Synced = p.About(), x.Names.Remote, x.Names.Ref, state.Commit, x.Names.Remote != ""
	if state.Commit == "" || state.Stamp != stamp || len(state.Withheld) > 0 || len(x.Others) > 0 {
		return s, false
	}
	quiet, err := x.Quiet(ctx, state.Commit)
	return s, err == nil && quiet
}

// openExchange says what a sync of this project needs to know.
func (p *Project) openExchange(ctx context.Context, state exchange.State) (*exchange.Exchange, error) {
	repo, err := ref.Open(ctx, p.found.Root, p.b.o.Env)
	if err != nil {
		return nil, err
	}
	carry := p.found.Carry
	names := ref.Names{Remote: carry.Remote, Ref: carry.Ref}
	if !repo.HasRemote(carry.Remote) {
		if carry.Remote != marker.DefaultCarry().Remote {
			return nil, errors.NoRemote(carry.Remote)
		}
		names.Remote = ""
	}
	id := p.found.ID
	if id == p.found.Root { // it has none, and on other machines the root is another
		id = ""
	}
	x := &exchange.Exchange{
		Repo: repo, Names: names, Store: p.store, Project: id, By: note.ShowWord(p.b.o.User), Since: state.Last, Branchy: !carry.OnRef,
		Lock:    p.lockNotes,
		IsLocal: func(name, revision string) bool { return isLocal(p.ledger.Origin(name, revision)) },
		Arrived: func(name, revision, author string) {
			if err := p.ledger.RecordSynced(name, revision, author); err != nil {
				p.b.o.Log.Warn("ledger not written", "project", p.found.Root, "err", err)
			}
		},
		Now: p.b.o.Now,
	}
	return x, p.addWorktrees(ctx, x)
}

// addWorktrees opens the notes that other worktrees of the repository have of this project.
func (p *Project) addWorktrees(ctx context.Context, x *exchange.Exchange) error {
	if x.Project == "" {
		return nil
	}
	repos, err := x.Repo.Worktrees(ctx)
	for _, repo := range repos {
		if marker.IDOf(repo.Dir()) != x.Project {
			continue
		}
		files, err := store.Open(repo.Dir())
		if err != nil {
			continue // it has no notes that can be read
		}
		other := *x
		other.Repo, other.Store, other.Others, other.Branchy = repo, files, nil, true
		x.Others = append(x.Others, other)
	}
	return err
}

func closeOthers(x *exchange.Exchange) {
	for _, other := range x.Others {
		_ = other.Store.Close()
	}
}

// SyncsSessions reports whether the hooks of clients are to carry the notes.
func (p *Project) SyncsSessions() bool { return p.found.Carry.Session }

// syncFile is where this machine keeps what it knows of the last sync.
func (p *Project) syncFile() string {
	return filepath.Join(p.b.Directory("state"), "sync", rootKey(p.found.ID, p.found.Root)+".json")
}

func (p *Project) keepState(s exchange.State) {
	if err := s.Save(p.syncFile()); err != nil {
		p.b.o.Log.Warn("state of the sync not kept", "project", p.found.Root, "err", err)
	}
}

// SyncStatus asks the remote, and counts what a sync would carry.
func (p *Project) SyncStatus(ctx context.Context) (s SyncStatus, err error) {
	defer p.NameProject(&err)
	state := exchange.LoadState(p.syncFile())
	x, err := p.openExchange(ctx, state)
	if err != nil {
		return s, err
	}
	if err := p.refresh(ctx); err != nil {
		return s, err
	}
	s = p.describeSync(state)
	s.Remote = x.Names.Remote
	defer closeOthers(x)
	if s.Ahead, s.Behind, s.Withheld, err = x.Status(ctx); err != nil {
		return s, err
	}
	if !state.Last.IsZero() {
		state.Behind = s.Behind
		p.keepState(state)
	}
	return s, nil
}

// describeSync is what is known without asking anybody: what was written since the last
// sync is ahead, what others had changed when they were asked last is behind.
func (p *Project) describeSync(state exchange.State) SyncStatus {
	s := SyncStatus{About: p.About(), Mode: "worktree", Remote: p.found.Carry.Remote, Ref: p.found.Carry.Ref, Behind: state.Behind, Conflicts: []reply.Clash{}, Withheld: state.Withheld}
	if p.found.Carry.OnRef {
		s.Mode = "ref"
	}
	if !state.Last.IsZero() {
		s.Last = &state.Last
	}
	for name, stamp := range p.index.Stamps() {
		if !note.IsPrivate(name) && touched(stamp).After(state.Newest[0]) {
			s.Ahead++
		}
	}
	trashed, _ := p.store.Trash() // what cannot be read, a check names
	for _, t := range trashed {
		if !note.IsPrivate(t.Name) && t.Time.After(state.Newest[1]) && !state.Last.IsZero() {
			s.Ahead++
		}
	}
	for _, row := range p.index.Keyed(conflictKey) {
		s.Conflicts = append(s.Conflicts, reply.Clash{ID: note.ShowTitle(extraOf(row).ConflictWith), With: row.ID})
	}
	return s.At(p.b.o.Now())
}

// newest are the times of the newest file and of the newest one in the trash, by the clock
// of the disk.
func (p *Project) newest() (times [2]time.Time) {
	for _, stamp := range p.index.Stamps() {
		if at := touched(stamp); at.After(times[0]) {
			times[0] = at
		}
	}
	if trashed, err := p.store.Trash(); err == nil && len(trashed) > 0 {
		times[1] = trashed[0].Time
	}
	return times
}

func touched(s index.Stamp) time.Time { return time.Unix(0, max(s.ModTime, s.ChangeTime)) }

// knownSync is the status that blue_where shows: none where nobody has synced and no
// project.yaml speaks of it.
func (p *Project) knownSync() *SyncStatus {
	state := exchange.LoadState(p.syncFile())
	if state.Last.IsZero() && !p.found.Carry.OnRef {
		return nil
	}
	s := p.describeSync(state)
	s.About = About{}
	return &s
}

// SetSync says how the notes of the project travel from now on: on a ref of their own or
// with the code, and on which ref. It says what a person has to do for it in git.
func (p *Project) SetSync(ctx context.Context, key, value string) (s SyncStatus, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return s, err
	}
	if key == "ref" && !marker.IsCarryRef(value) {
		return s, errors.BadRef(strings.TrimPrefix(value, "refs/heads/"))
	}
	held, err := p.lockNotes(ctx)
	if err != nil {
		return s, err
	}
	defer held.Unlock()
	if err := marker.SetCarry(p.found.Root, key, value); err != nil {
		return s, err
	}
	switch key {
	case "notes":
		p.found.Carry.OnRef = value == "ref"
	case "ref":
		p.found.Carry.Ref = value
	}
	if err := p.refresh(ctx); err != nil {
		return s, err
	}
	s = p.describeSync(exchange.LoadState(p.syncFile()))
	s.Next = []string{"commit .blue/project.yaml and .blue/.gitignore, so that others do the same"}
	if key == "notes" && value == "ref" {
		if n := p.countTracked(ctx); n > 0 {
			s.Next = append(s.Next, "git tracks "+Plural(n, "note")+" still: git rm -r --cached .blue/notes, and commit; the files stay here, and blue sync brings them back where a pull removes them")
		}
		s.Next = append(s.Next, "blue sync, in place of this command from now on")
	} else if key == "notes" {
		s.Next = append(s.Next, "git add .blue/notes, and commit, puts the notes into the code's commits again")
	}
	return s, nil
}

// countTracked counts the notes that the code's commits hold.
func (p *Project) countTracked(ctx context.Context) int {
	repo, err := ref.Open(ctx, p.found.Root, p.b.o.Env)
	if err != nil {
		return 0
	}
	return repo.CountTracked(ctx, filepath.Join(marker.Name, "notes"))
}

// worktreeLoss says what goes with a linked worktree that has notes of its own when git
// removes it: git asks for files that it does not ignore alone. It is empty when nothing
// does.
func (p *Project) worktreeLoss(ctx context.Context) string {
	below, err := filepath.Rel(p.found.Worktree, p.found.Root)
	if p.found.Worktree == "" || err != nil || !filepath.IsLocal(below) {
		return ""
	}
	private := 0
	for name := range p.index.Stamps() {
		if note.IsPrivate(name) {
			private++
		}
	}
	size, _ := p.store.HistorySize(ctx) // what cannot be read, a check names
	if private == 0 && size == 0 {
		return ""
	}
	return fmt.Sprintf("this linked worktree holds %s and %d KiB of history of its own, which git worktree remove deletes without a word; with blue sync --on nothing lies there", Plural(private, "private note"), (size+1023)>>10)
}
