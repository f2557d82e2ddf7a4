package blue

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/exchange"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/reply"
	"blue/marker"
)

// This file says how notes travel, and how far they have.

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
	for _, row := range p.index.Conflicts() {
		s.Conflicts = append(s.Conflicts, reply.Clash{ID: note.ShowTitle(catalog.ExtraOf(row).ConflictWith), With: row.ID})
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

// SetSync says how the notes of the project travel from now on: on a ref of their own, or
// with the code. It says what a person has to do for it in git.
func (p *Project) SetSync(ctx context.Context, onRef bool) (s SyncStatus, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return s, err
	}
	held, err := p.lockNotes(ctx)
	if err != nil {
		return s, err
	}
	defer held.Unlock()
	if err := marker.SetCarry(p.found.Root, "notes", map[bool]string{true: "ref", false: "worktree"}[onRef]); err != nil {
		return s, err
	}
	p.found.Carry.OnRef = onRef
	if err := p.refresh(ctx); err != nil {
		return s, err
	}
	s = p.describeSync(exchange.LoadState(p.syncFile()))
	s.Next = []string{"commit .blue/project.yaml and .blue/.gitignore, so that others do the same"}
	if onRef {
		if n := p.countTracked(ctx); n > 0 {
			s.Next = append(s.Next, "git tracks "+Plural(n, "note")+" still: git rm -r --cached .blue/notes, and commit; the files stay here, and blue sync brings them back where a pull removes them")
		}
		s.Next = append(s.Next, "blue sync, in place of this command from now on")
	} else {
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
