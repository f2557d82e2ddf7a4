package shown

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/deliveries"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

const (
	proposedFor = 30 * 24 * time.Hour  // a proposal may wait
	oldAfter    = 365 * 24 * time.Hour // since the last change
	toldMost    = 5                    // times that a note may be told and not read
	comparedMax = 100                  // newest notes that are compared with older ones
)

// Review looks at the notes of one review.
type Review struct {
	Notes
	Branches  []string                     // that are there; nil when nobody can tell
	Related   func(row index.Row) []string // ids of older notes on the same subject
	LastSaved func(name string) time.Time  // when Blue has last changed a note, zero when it has not
	Begun     time.Time                    // when Blue began to record what becomes of the notes, zero when it does not
	Uses      map[string]*deliveries.Use   // what has become of them since, by id
	compared  int                          // notes that were compared with older ones
}

// Dues are the reasons why a note deserves a look.
func (r *Review) Dues(row index.Row) (found []reply.Due) {
	id := note.ShowTitle(row.ID)
	due := func(kind, with, command, reason string) {
		found = append(found, reply.Due{ID: id, Title: note.ShowTitle(row.Title), Kind: kind, Reason: reason, With: with, Command: command})
	}
	about, word := catalog.ExtraOf(row), reply.ShellWord(id)
	if from := r.linkedFrom(row); catalog.IsSuperseded(row) && len(from) > 0 {
		stands, _ := r.Current(row)
		var ids []string
		for _, other := range from {
			ids = append(ids, note.ShowTitle(other.ID))
		}
		link := "[[" + note.ShowTitle(r.LinkWord(from[0], row)) + "]]"
		due(reply.DueLinked, ids[0], "blue edit "+reply.ShellWord(ids[0])+" --old-text "+reply.ShellWord(link)+" --new-text "+reply.ShellWord("[["+note.ShowTitle(stands.ID)+"]]"),
			"it is superseded, but linked to by "+strings.Join(ids, ", "))
	}
	if of := note.ShowTitle(about.ConflictWith); of != "" && !catalog.IsSuperseded(row) {
		due(reply.DueConflict, of, "blue resolve "+word, "it is another machine's text of "+of)
	}
	if row.Superseded {
		return found
	}
	if cited := r.Cited.Check(about.Files); isStale(cited) {
		due(reply.DueChanged, "", "blue edit "+word+" --verified", reply.DescribeEvidence(cited, goneOrRenamed))
	}
	if older := r.contrary(row); older != "" {
		due(reply.DueContrary, older, "blue edit "+word+" --supersedes "+reply.ShellWord(older), "it is on the subject of "+older+", which is older, and does not supersede it")
	}
	if note.StatusWord(about.Status) == note.Proposed && r.Now.Sub(row.Time) > proposedFor {
		due(reply.DueProposed, "", "blue edit "+word+" --status accepted", "proposed "+reply.FormatAge(row.Time, r.Now)+" ago")
	}
	if branch := about.Branch; branch != "" && r.Branches != nil && !slices.Contains(r.Branches, branch) {
		due(reply.DueBranch, "", "blue remove "+word, "its branch "+note.ShowTitle(branch)+" is gone")
	}
	use := r.Uses[row.ID]
	if use == nil {
		use = new(deliveries.Use)
	}
	if use.Told >= toldMost && use.Read == 0 {
		due(reply.DueUnread, "", "blue read "+word, fmt.Sprintf("told %d times and never read: it may be told where it does not belong, or say too little", use.Told))
	}
	if last := r.lastChange(row); r.Now.Sub(last) > oldAfter {
		read := ""
		if !use.LastRead.IsZero() {
			read = ", last read " + reply.FormatAge(use.LastRead, r.Now) + " ago"
		}
		due(reply.DueOld, "", "blue read "+word, "not changed for "+reply.FormatAge(last, r.Now)+read)
	}
	if from := latest(r.Begun, row.Time, use.Last); !r.Begun.IsZero() && r.Now.Sub(from) > oldAfter {
		due(reply.DueUnfound, "", "blue read "+word, "not told, found or read for "+reply.FormatAge(from, r.Now))
	}
	return found
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// linkedFrom are the notes in force that link to a note, but what supersedes it.
func (r *Review) linkedFrom(row index.Row) []index.Row {
	return slices.DeleteFunc(r.LinkingTo(row), func(from index.Row) bool {
		return from.Superseded || slices.Contains(catalog.ExtraOf(from).Supersedes, row.ID)
	})
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
			if older.Type == row.Type && !twice && catalog.ExtraOf(row).ConflictWith != older.ID && catalog.ExtraOf(older).ConflictWith != row.ID && !slices.Contains(catalog.ExtraOf(older).Supersedes, row.ID) {
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
