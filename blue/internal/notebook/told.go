package notebook

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/blue/internal/git"
	"blue/blue/internal/result"
	"blue/blue/internal/trust"
	"blue/marker"
)

// A project is trusted or not on this machine and for this user. It is identified by its id and
// by the directory under which all working trees of its repository know it. In a trusted
// project every note may be told unasked, except one that the branch has changed and that this
// user has neither written nor seen here before. In other projects only notes that this user
// wrote there through Blue may be told.

// Names in the ledger that are not those of notes.
const (
	seenHere = "seen:"   // before the name of a note: this user had the revision before a commit had it
	looked   = "looked:" // when the user last looked at what came from others, in nanoseconds
)

// isOwn reports whether a revision of a note is one that this user's Blue wrote here.
func (nb *Notebook) isOwn(name, revision string) bool { return nb.ledger.Has(name, revision) }

// told returns a function that reports whether a note may be told unasked.
func (nb *Notebook) told() func(name, revision string) bool {
	own := nb.ledger.All()
	if !nb.trusted {
		return own
	}
	files, err := nb.branchFiles(nb.Found.Root)
	return func(name, revision string) bool {
		return err == nil && !files.Holds(filepath.ToSlash(nb.Found.Notes.Below)+"/"+name) || own(name, revision) || own(seenHere+name, revision)
	}
}

// tellsAll reports whether all notes may be told unasked, without a look at each.
func (nb *Notebook) tellsAll() bool {
	if !nb.trusted {
		return false
	}
	files, err := nb.branchFiles(nb.Found.Root)
	return err == nil && len(files) == 0
}

// branchFiles returns the files that the branch of a directory has changed. They may be another
// person's.
func (nb *Notebook) branchFiles(dir string) (git.BranchFiles, error) {
	if dir == "" {
		return nil, nil
	}
	files, err := git.ReadBranch(dir, nb.o.IndexDir("branch", dir)+".branch")
	if err != nil {
		nb.o.Log.Info("branch not compared", "project", nb.Found.Root, "err", err)
	}
	return files, err
}

// toldDocument returns a function that reports whether a document may be told unasked in a trusted
// project.
func (nb *Notebook) toldDocument() func(file string) bool {
	files, err := nb.branchFiles(nb.workTree())
	own := nb.ledger.All()
	return func(file string) bool {
		file = git.Fold(file)
		return err == nil && (!files.Holds(file) || own(seenHere+"/"+file, files[file]))
	}
}

// unreviewed returns a function that reports whether a note came from others since the last look.
func (nb *Notebook) unreviewed() func(name, revision string, modified int64) bool {
	own := nb.ledger.All()
	since, _ := strconv.ParseInt(nb.ledger.Revision(looked), 10, 64)
	return func(name, revision string, modified int64) bool { return modified > since && !own(name, revision) }
}

// recordWritten adds a revision that Blue has just written to the ledger; own says whether the
// text is this user's too. It only logs failures: without the entry the note may not be told.
func (nb *Notebook) recordWritten(name, revision string, own bool) {
	if err := nb.enterAll(map[string]string{name: revision}, own); err != nil {
		nb.o.Log.Warn("ledger not written", "project", nb.Found.Root, "err", err)
	}
}

// enterAll adds revisions of notes to the ledger, as own or as seen here. It drops an earlier entry of the
// other kind, which belongs to an older text that a checkout may bring back.
func (nb *Notebook) enterAll(revisions map[string]string, own bool) error {
	lines := map[string]string{}
	for name, revision := range revisions {
		as, other := name, seenHere+name
		if !own {
			as, other = other, as
		}
		if lines[as] = revision; nb.ledger.Revision(other) != "" {
			lines[other] = trust.None
		}
	}
	return nb.ledger.RecordAll(lines)
}

// arrived adds a revision that a sync has brought to the ledger, unless it is this user's own.
func (nb *Notebook) arrived(name, revision string) error {
	if nb.isOwn(name, revision) {
		return nil
	}
	return nb.enterAll(map[string]string{name: revision}, false)
}

// TrustBranch allows the notes and documents that the branch has changed to be told in their
// present form.
func (nb *Notebook) TrustBranch(ctx context.Context) (t result.Trusted, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return t, err
	}
	if err := nb.refresh(ctx); err != nil {
		return t, err
	}
	files, err := nb.branchFiles(nb.workTree())
	if err == nil {
		_, err = nb.branchFiles(nb.Found.Root)
	}
	if err != nil { // otherwise nothing is told, and all notes would count as those of the branch
		return t, err
	}
	t = result.Trusted{Dir: nb.Found.Root, Branch: nb.Branch()}
	told, texts := nb.told(), map[string]string{}
	for _, row := range nb.index.All(false) {
		if !told(row.Name, row.Revision) {
			texts[seenHere+row.Name] = row.Revision
			t.Notes++
		}
	}
	for file, blob := range files {
		if !strings.HasPrefix(file, marker.Name+"/") {
			texts[seenHere+"/"+file] = blob
		}
	}
	return t, nb.ledger.RecordAll(texts)
}

// Trusted reports whether the notes of the project may be told unasked.
func (nb *Notebook) Trusted() bool { return nb.trusted }

// CountUnreviewed counts the notes that came from others since the user last looked.
func (nb *Notebook) CountUnreviewed() int {
	stamps, isNew := nb.index.Stamps(), nb.unreviewed()
	return nb.index.CountRevisions(func(name, revision string) bool { return isNew(name, revision, stamps[name].ModTime) })
}

// coarse is how far the time of a file may lag behind the clock.
const coarse = 20 * time.Millisecond

// Looked records that the user has looked at what came from others up to a time in nanoseconds.
func (nb *Notebook) Looked(at int64) error {
	return nb.ledger.Record(looked, strconv.FormatInt(at-int64(coarse), 10))
}

// recordTyped enters those of the unknown notes that git has not written. They were typed here
// before a commit had them.
func (nb *Notebook) recordTyped(unknown map[string]string) {
	typed := map[string]string{}
	for _, name := range git.Typed(nb.Found.Root, marker.Name, slices.Collect(maps.Keys(unknown)), func(name string) (seconds, size int64) {
		row, _ := nb.index.Row(name)
		return row.Stamp.ModTime / int64(time.Second), row.Stamp.Size
	}) {
		typed[name] = unknown[name]
	}
	if err := nb.enterAll(typed, false); err != nil {
		nb.o.Log.Debug("ledger not written", "project", nb.Found.Root, "err", err)
	}
}
