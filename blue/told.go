package blue

import (
	"path/filepath"
	"strconv"

	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/trust"
)

// A project is trusted or not, on this machine and for this user: by its id and the directory
// that all working trees of its repository know it by. In a trusted project every note may be
// told unasked, in others only notes that this user wrote there through Blue.

// Names in the ledger that are those of no note.
const (
	seenHere = "seen:"   // before the name of a note: this revision was in this user's hands before a commit had it
	looked   = "looked:" // when the user last looked at what came from others, in nanoseconds
)

// isOwn reports whether a revision of a note is one that this user's Blue wrote here.
func (p *Project) isOwn(name, revision string) bool { return p.ledger.Has(name, revision) }

// isHere reports whether a revision of a note is one that this user's Blue wrote or saw here
// last.
func (p *Project) isHere(name, revision string) bool {
	return p.isOwn(name, revision) || p.ledger.Has(seenHere+name, revision)
}

// told returns whether a note may be told unasked.
func (p *Project) told() func(name, revision string) bool {
	own := p.ledger.All()
	if !p.trusted || p.hosted != nil {
		return own
	}
	files, err := p.branchFiles(p.found.Root)
	return func(name, revision string) bool {
		return err == nil && !files.Holds(filepath.ToSlash(p.found.Notes.Below)+"/"+name) || own(name, revision) || own(seenHere+name, revision)
	}
}

// branchFiles are the files that the branch of a directory has changed, which may be somebody
// else's.
func (p *Project) branchFiles(dir string) (git.BranchFiles, error) {
	files, err := git.ReadBranch(dir, p.b.indexDir("branch", dir)+".branch")
	if err != nil {
		p.b.o.Log.Info("branch not compared", "project", p.found.Root, "err", err)
	}
	return files, err
}

// toldDocument returns whether a document of the working tree may be told unasked in a trusted
// project.
func (p *Project) toldDocument() func(file string) bool {
	files, err := p.branchFiles(p.workTree())
	own := p.ledger.All()
	return func(file string) bool {
		file = git.Fold(file)
		return err == nil && (!files.Holds(file) || own(seenHere+"/"+file, files[file]))
	}
}

// unreviewed returns whether a note came from others since the user last looked.
func (p *Project) unreviewed() func(name, revision string, modified int64) bool {
	own := p.ledger.All()
	since, _ := strconv.ParseInt(p.ledger.Revision(looked), 10, 64)
	return func(name, revision string, modified int64) bool { return modified > since && !own(name, revision) }
}

// isUnreviewed is [Project.unreviewed] of a row.
func (p *Project) isUnreviewed() func(index.Row) bool {
	isNew := p.unreviewed()
	return func(row index.Row) bool { return isNew(row.Name, row.Revision, row.Stamp.ModTime) }
}

// recordWritten enters in the ledger what this user's Blue has just written; own says whether
// the text is this user's too, and not that of another person with a change. It cannot fail
// the write: without the line the note may not be told.
func (p *Project) recordWritten(name, revision string, own bool) {
	if err := p.enterAll(map[string]string{name: revision}, own); err != nil {
		p.b.o.Log.Warn("ledger not written", "project", p.found.Root, "err", err)
	}
}

// enterAll enters revisions of notes, by name: as this user's own, or as seen here. What was
// entered before the other way is an older text, which a checkout may bring back.
func (p *Project) enterAll(revisions map[string]string, own bool) error {
	lines := map[string]string{}
	for name, revision := range revisions {
		as, other := name, seenHere+name
		if !own {
			as, other = other, as
		}
		if lines[as] = revision; p.ledger.Revision(other) != "" {
			lines[other] = trust.None
		}
	}
	return p.ledger.RecordAll(lines)
}

// arrived enters in the ledger what a sync has brought, unless it is this user's own.
func (p *Project) arrived(name, revision string) error {
	if p.isOwn(name, revision) {
		return nil
	}
	return p.enterAll(map[string]string{name: revision}, false)
}
