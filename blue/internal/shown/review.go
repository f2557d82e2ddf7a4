package shown

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

const (
	proposedFor = 30 * 24 * time.Hour  // a proposal may wait
	oldAfter    = 365 * 24 * time.Hour // since the last change
	comparedMax = 300                  // newest notes that are compared with older ones
)

// Review looks at the notes of one review.
type Review struct {
	Notes
	Branches  []string                     // that are there; nil when nobody can tell
	Related   func(row index.Row) []string // ids of older notes on the same subject
	LastSaved func(name string) time.Time  // when Blue has last changed a note, zero when it has not
	compared  int                          // notes that were compared with older ones
}

// Dues are the reasons why a note deserves a look.
func (r *Review) Dues(row index.Row) (found []reply.Due) {
	due := func(kind, command, reason string, values ...any) {
		found = append(found, reply.Due{ID: row.ID, Title: note.ShowTitle(row.Title), Kind: kind, Reason: fmt.Sprintf(reason, values...), Command: command})
	}
	about := catalog.ExtraOf(row)
	if from := r.linkedFrom(row); catalog.IsSuperseded(row) && len(from) > 0 {
		stands, _ := r.Current(row)
		due(reply.DueLinked, "blue edit "+from[0]+" --old-text '[["+row.ID+"]]' --new-text '[["+note.ShowTitle(stands.ID)+"]]'", "it is superseded, and %s links to it", strings.Join(from, ", "))
	}
	if row.Superseded {
		return found
	}
	if cited := r.Cited.Check(about.Files); isStale(cited) {
		due(reply.DueChanged, "blue edit "+row.ID+" --verified", "%s", reply.DescribeEvidence(cited, goneOrRenamed))
	}
	if older := r.contrary(row); older != "" {
		due(reply.DueContrary, "blue edit "+row.ID+" --supersedes "+older, "it is on the subject of %s, which is older, and does not supersede it", older)
	}
	if note.StatusWord(about.Status) == note.Proposed && r.Now.Sub(row.Time) > proposedFor {
		due(reply.DueProposed, "blue edit "+row.ID+" --status accepted", "proposed %s ago", reply.FormatAge(row.Time, r.Now))
	}
	if branch := about.Branch; branch != "" && r.Branches != nil && !slices.Contains(r.Branches, branch) {
		due(reply.DueBranch, "blue remove "+row.ID, "its branch %s is gone", note.ShowTitle(branch))
	}
	if last := r.lastChange(row); r.Now.Sub(last) > oldAfter {
		due(reply.DueOld, "blue read "+row.ID, "not changed for %s; Blue does not record who has read it", reply.FormatAge(last, r.Now))
	}
	return found
}

// linkedFrom are the notes in force that link to a note, but what supersedes it.
func (r *Review) linkedFrom(row index.Row) (ids []string) {
	for _, from := range r.LinkingTo(row) {
		if !from.Superseded && !slices.Contains(catalog.ExtraOf(from).Supersedes, row.ID) {
			ids = append(ids, note.ShowTitle(from.ID))
		}
	}
	return ids
}

// contrary is an older note of the same type on the same subject, empty when there is none
// or the newest were compared.
func (r *Review) contrary(row index.Row) string {
	if row.Type == note.TypeCheckpoint || r.compared == comparedMax {
		return ""
	}
	r.compared++
	for _, id := range r.Related(row) {
		for _, older := range r.NamedRows([]string{id}) {
			twice := older.Time.Equal(row.Time) && older.ID > row.ID // the pair is named with the other one
			if older.Type == row.Type && !twice && !slices.Contains(catalog.ExtraOf(older).Supersedes, row.ID) {
				return id
			}
		}
	}
	return ""
}

// lastChange is when a note was written, or last changed by Blue. The time of its file says
// less: a clone makes it new.
func (r *Review) lastChange(row index.Row) time.Time {
	last := row.Time
	if r.Now.Sub(last) <= oldAfter {
		return last
	}
	if saved := r.LastSaved(row.Name); saved.After(last) {
		return saved
	}
	return last
}
