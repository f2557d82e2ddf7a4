package blue

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/commits"
	"blue/blue/internal/evidence"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

// Reviewed is the answer to a review.
type Reviewed = reply.Reviewed

const (
	proposedFor = 30 * 24 * time.Hour  // a proposal may wait
	oldAfter    = 365 * 24 * time.Hour // since the last change
	comparedMax = 300                  // newest notes that are compared with older ones
)

// Review names what deserves a look, each thing once, with the reason and the command. It
// changes nothing. The filter chooses the notes.
func (p *Project) Review(ctx context.Context, f Filter) (r Reviewed, err error) {
	defer p.NameProject(&err)
	f.Limit = cmp.Or(f.Limit, listLimit)
	window, filter, err := p.openWindow(ctx, f, "review")
	if err != nil {
		return r, err
	}
	rows, total := p.index.List(filter, false, 0, p.index.Len())
	look := reviewer{p: p, now: p.b.o.Now(), files: p.citedFiles(), branches: p.branches(ctx)}
	var all []reply.Due
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		all = append(all, look.dues(ctx, row)...)
	}
	r = Reviewed{About: p.About(), Review: []reply.Due{}, Total: len(all), Notes: total}
	for _, due := range all[min(window.From, len(all)):min(window.From+window.Limit, len(all))] {
		if !window.MakeRoom(len(due.Title) + len(due.Reason) + len(due.Command) + len(due.ID)) {
			break
		}
		r.Review = append(r.Review, due)
	}
	r.More, r.Cursor = window.CountRest(len(r.Review), len(all))
	return r, nil
}

// reviewer looks at the notes of one review.
type reviewer struct {
	p        *Project
	now      time.Time
	files    *evidence.Files
	branches []string // that are there; nil when nobody can tell
	compared int      // notes that were compared with older ones
}

// dues are the reasons why a note deserves a look.
func (r *reviewer) dues(ctx context.Context, row index.Row) (found []reply.Due) {
	due := func(kind, command, reason string, values ...any) {
		found = append(found, reply.Due{ID: row.ID, Title: note.ShowTitle(row.Title), Kind: kind, Reason: fmt.Sprintf(reason, values...), Command: command})
	}
	about := extraOf(row)
	if from := r.linkedFrom(row); isSuperseded(row) && len(from) > 0 {
		due(reply.DueLinked, "blue edit "+from[0]+" --old-text '[["+row.ID+"]]' --new-text '[["+r.p.standing(row)+"]]'", "it is superseded, and %s links to it", strings.Join(from, ", "))
	}
	if row.Superseded {
		return found
	}
	if cited := r.files.Check(about.Files); isStale(cited) {
		due(reply.DueChanged, "blue edit "+row.ID+" --verified", "%s", reply.DescribeEvidence(cited, goneOrRenamed))
	}
	if older := r.contrary(ctx, row); older != "" {
		due(reply.DueContrary, "blue edit "+row.ID+" --supersedes "+older, "it is on the subject of %s, which is older, and does not supersede it", older)
	}
	if note.StatusWord(about.Status) == note.Proposed && r.now.Sub(row.Time) > proposedFor {
		due(reply.DueProposed, "blue edit "+row.ID+" --status accepted", "proposed %s ago", reply.FormatAge(row.Time, r.now))
	}
	if branch := about.Branch; branch != "" && r.branches != nil && !slices.Contains(r.branches, branch) {
		due(reply.DueBranch, "blue remove "+row.ID, "its branch %s is gone", note.ShowTitle(branch))
	}
	if last := r.lastChange(row); r.now.Sub(last) > oldAfter {
		due(reply.DueOld, "blue read "+row.ID, "not changed for %s; Blue does not record who has read it", reply.FormatAge(last, r.now))
	}
	return found
}

// linkedFrom are the notes in force that link to a note, but what supersedes it.
func (r *reviewer) linkedFrom(row index.Row) (ids []string) {
	for _, from := range r.p.index.Keyed("link:" + row.ID) {
		if from.Name != row.Name && !from.Superseded && !slices.Contains(extraOf(from).Supersedes, row.ID) {
			ids = append(ids, note.ShowTitle(from.ID))
		}
	}
	return ids
}

// contrary is an older note of the same type on the same subject, empty when there is none
// or the newest were compared.
func (r *reviewer) contrary(ctx context.Context, row index.Row) string {
	if row.Type == note.TypeCheckpoint || r.compared == comparedMax {
		return ""
	}
	r.compared++
	for _, id := range r.p.relatedTo(ctx, row).Related {
		for _, older := range r.p.namedRows([]string{id}) {
			twice := older.Time.Equal(row.Time) && older.ID > row.ID // the pair is named with the other one
			if older.Type == row.Type && !twice && !slices.Contains(extraOf(older).Supersedes, row.ID) {
				return id
			}
		}
	}
	return ""
}

// lastChange is when a note was written, or last changed by Blue. The time of its file says
// less: a clone makes it new.
func (r *reviewer) lastChange(row index.Row) time.Time {
	last := row.Time
	if r.now.Sub(last) <= oldAfter {
		return last
	}
	if past, err := r.p.store.Revisions(row.Name); err == nil && len(past) > 0 && past[0].Time.After(last) {
		return past[0].Time
	}
	return last
}

// standing is the id of the note that stands in the place of another.
func (p *Project) standing(row index.Row) string {
	now, _ := p.current(row)
	return note.ShowTitle(now.ID)
}

// branches are the branches of the repository, here and on its remotes; nil when nobody can
// tell.
func (p *Project) branches(ctx context.Context) (names []string) {
	text, err := commits.Output(ctx, p.workTree(), "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
	remote, missing := commits.Output(ctx, p.workTree(), "for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes")
	if err != nil || missing != nil {
		return nil
	}
	return append(strings.Fields(text+remote), p.Branch())
}
