package shown

import (
	"slices"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/trust"
)

// Bounds of a digest.
const (
	unfinishedMost  = 5
	surveyed        = 1000 // newest checkpoints, and decisions, among which those of this user are looked for
	checkpointsSeen = 50   // of other branches that are looked at for one of this branch
	changedMost     = 5
	decisionsMost   = 10
)

// FillDigest fills in the digest of a session's beginning on a branch; touched are the files
// that the branch has changed.
func (n Notes) FillDigest(c *reply.Context, touched []string) {
	named := map[string]bool{}
	c.Notes = n.Len()
	c.Unreviewed = n.CountRevisions(func(name, revision string) bool { return n.Origin(name, revision) != trust.Local })
	var elsewhere []reply.Glance
	for row := range n.newestLocal(note.TypeCheckpoint) {
		if g := n.Glance(row); g.Branch == c.Branch {
			c.Unfinished = append(c.Unfinished, g)
		} else {
			elsewhere = append(elsewhere, g)
		}
		named[row.Name] = true
		if len(c.Unfinished) == unfinishedMost || len(elsewhere) == checkpointsSeen {
			break
		}
	}
	for row := range n.newestLocal(note.TypeDecision) {
		if c.Decisions = append(c.Decisions, n.Glance(row)); len(c.Decisions) == decisionsMost+changedMost {
			break
		}
	}
	c.Unfinished = append(c.Unfinished, elsewhere...)
	c.Unfinished = c.Unfinished[:min(len(c.Unfinished), unfinishedMost)]
	c.Changed = n.About(touched, changedMost, func(row index.Row) bool { return named[row.Name] })
	c.Decisions = slices.DeleteFunc(c.Decisions, func(g reply.Glance) bool {
		return slices.ContainsFunc(c.Changed, func(other reply.Glance) bool { return other.ID == g.ID })
	})
	c.Decisions = c.Decisions[:min(len(c.Decisions), decisionsMost)]
}

// newestLocal are the newest notes of a type that this user's Blue wrote or that the user
// approved, but for those that are set aside.
func (n Notes) newestLocal(kind string) func(yield func(index.Row) bool) {
	return func(yield func(index.Row) bool) {
		rows, _ := n.List(index.Filter{Type: kind}, false, 0, surveyed)
		for _, row := range rows {
			if !row.Superseded && n.IsLocal(row) && !yield(row) {
				return
			}
		}
	}
}
