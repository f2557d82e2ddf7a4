package notebook

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/deliveries"
	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
)

// Review lists the notes that deserve a look and pass the filter, each with the reason and a
// command, the most urgent first.
func (nb *Notebook) Review(ctx context.Context, f Filter) (r result.Reviewed, err error) {
	defer nb.NameProject(&err)
	f.Limit = cmp.Or(f.Limit, reviewLimit)
	window, filter, err := nb.openWindow(ctx, "review", f.Selection, f.Paging)
	if err != nil {
		return r, err
	}
	rows, total := nb.index.List(filter, false, 0, nb.index.Len())
	branches, err := git.Branches(ctx, nb.workTree())
	nb.warnOfGit(err)
	if branches != nil {
		branches = append(branches, nb.Branch()) // the current branch may have no commit yet
	}
	look := reviewer{presenter: nb.shown(), branches: branches, rows: map[string]index.Row{}, patience: proposedFor}
	if f.Proposed || nb.Found.Propose {
		look.patience = 0
	}
	look.cited = nb.followedFiles()
	told, err := nb.deliveries().Read("")
	if err != nil {
		nb.o.Log.Warn("ledger not read", "project", nb.Found.Root, "err", err)
	}
	look.begun = told.Begun
	_, look.uses = told.Count(time.Time{})
	var all []result.Due
	if loss := nb.replica().WorktreeLoss(ctx); loss != "" && !f.Proposed && f.Type == "" && len(f.Tags) == 0 && f.Since == "" {
		all = append(all, result.Due{Title: "This worktree", Kind: result.DueWorktree, Reason: loss, Command: "blue sync --on"})
	}
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		all = append(all, look.dues(row)...)
	}
	if f.Proposed {
		all = slices.DeleteFunc(all, func(due result.Due) bool { return due.Kind != result.DueProposed })
	}
	slices.SortStableFunc(all, func(a, b result.Due) int { return cmp.Compare(a.Urgency(), b.Urgency()) })
	r = result.Reviewed{About: nb.About(), Review: []result.Due{}, Total: len(all), Notes: total}
	if total == 0 {
		r.Warnings = append(r.Warnings, nb.unusedWords(f.Selection)...)
	}
	brief, cancel := context.WithTimeout(ctx, differencePatience)
	defer cancel()
	for _, due := range all[min(window.From, len(all)):min(window.From+window.Limit, len(all))] {
		switch row := look.rows[due.ID]; due.Kind {
		case result.DueChanged:
			look.showDifference(brief, &due, row)
		case result.DueProposed:
			due.Reason += ": " + look.says(row)
		}
		if !window.MakeRoom(len(due.Title) + len(due.Reason) + len(due.Command) + len(due.ID) + len(due.With) + len(due.Look) + len(strings.Join(due.Diff, ""))) {
			break
		}
		r.Review = append(r.Review, due)
	}
	r.More, r.Cursor = window.CountRest(len(r.Review), len(all))
	return r, nil
}

const (
	reviewLimit = 20                   // default number of notes in a review: as many as a person looks at in ten minutes
	proposedFor = 30 * 24 * time.Hour  // how long a proposal may wait
	oldAfter    = 365 * 24 * time.Hour // since the last change
	toldMost    = 5                    // times that a note may be told without being read
	gistShown   = 250                  // characters of what a proposal says
	namedMost   = 5                    // notes named that a proposal would replace
)

// reviewer examines the notes of one review.
type reviewer struct {
	presenter
	branches []string                   // existing branches; nil if they are not known
	patience time.Duration              // how long a proposal may wait
	begun    time.Time                  // when Blue began to record the use of notes; zero if it does not
	uses     map[string]*deliveries.Use // the use of notes since then, by id

	rows map[string]index.Row // notes of which more is shown than is asked of all, by the id that is shown
}

// dues returns the reasons why a note deserves a look.
func (r *reviewer) dues(row index.Row) (found []result.Due) {
	id := note.ShowTitle(row.ID)
	if _, shared := r.Row(note.FileOf(row.ID, false)); shared && note.IsPrivate(row.Name) {
		id = note.ScopeDir(true) + id
	}
	due := func(kind, with, command, reason string) {
		found = append(found, result.Due{ID: id, Title: note.ShowTitle(row.Title), Kind: kind, Reason: reason, With: with, Command: command})
	}
	about, word := ExtraOf(row), result.ShellWord(id)
	if from := r.linkedFrom(row); IsSuperseded(row) && len(from) > 0 {
		stands, _ := r.Current(row)
		var ids []string
		for _, other := range from {
			ids = append(ids, note.ShowTitle(other.ID))
		}
		link := "[[" + note.ShowTitle(r.LinkWord(from[0], row)) + "]]"
		due(result.DueLinked, ids[0], "blue edit "+result.ShellWord(ids[0])+" --old-text "+result.ShellWord(link)+" --new-text "+result.ShellWord("[["+note.ShowTitle(stands.ID)+"]]"),
			"it is superseded, but linked to by "+strings.Join(ids, ", "))
	}
	if of := note.ShowTitle(about.ConflictWith); of != "" && !IsSuperseded(row) {
		due(result.DueConflict, of, "blue resolve "+word, "it is another machine's text of "+of)
	}
	if row.Superseded {
		return found
	}
	if cited := r.cited.check(about.Files, r.nb.says(row)); isStale(cited) {
		r.rows[id] = row
		due(result.DueChanged, "", "blue edit "+word+" --verified", result.DescribeEvidence(cited, goneOrRenamed))
	}
	if IsProposed(row) && r.now.Sub(row.Time) >= r.patience {
		due(result.DueProposed, "", "blue accept "+word+"@"+row.Revision[:min(len(row.Revision), 8)], r.describeProposal(row))
		found[len(found)-1].Revision = row.Revision
		r.rows[id] = row
	}
	if branch := about.Branch; branch != "" && r.branches != nil && !slices.Contains(r.branches, branch) {
		due(result.DueBranch, "", "blue remove "+word, "its branch "+note.ShowTitle(branch)+" is gone")
	}
	use := r.uses[row.ID]
	if use == nil {
		use = new(deliveries.Use)
	}
	if answered := use.Told - use.AtStart; answered >= toldMost && use.Read == 0 {
		due(result.DueUnread, "", "blue read "+word, fmt.Sprintf("told %d times and never read: it may be told where it does not belong, or say too little", answered))
	}
	if !note.IsClosed(about.Status) {
		r.dueByAge(row, *use, due)
	}
	return found
}

// describeProposal says how old a proposal is, by whom, and what it would set aside.
func (r *reviewer) describeProposal(row index.Row) string {
	age := result.FormatAge(row.Time, r.now)
	reason := age + " ago"
	if age == "now" {
		reason = "just now"
	}
	if author := ExtraOf(row).Author; author != "" {
		reason += " by " + note.ShowWord(author)
	}
	if older := ExtraOf(row).Supersedes; len(older) > 0 {
		reason += ", to replace " + strings.Join(result.ShowWords(older[:min(len(older), namedMost)], note.TitleLimit), ", ")
		if more := len(older) - namedMost; more > 0 {
			reason += fmt.Sprintf(" and %d more", more)
		}
	}
	return reason
}

// says returns the gist of a note.
func (r *reviewer) says(row index.Row) string {
	data, _, _ := r.nb.store.Read(row.Name)
	return note.ShowLabel(note.Gist(note.ParseBody(data), gistShown), gistShown)
}

// dueByAge reports a note that has not been changed, read or told for a long time.
func (r *reviewer) dueByAge(row index.Row, use deliveries.Use, due func(kind, with, command, reason string)) {
	word := result.ShellWord(note.ShowTitle(row.ID))
	if seen := r.untouched(row, use); !seen.IsZero() {
		due(result.DueStill, "", "blue edit "+word+" --verified", fmt.Sprintf("told %s, but not read, changed or verified for %s, and it cites no file that would show a change",
			times(use.Told), result.FormatAge(seen, r.now)))
		return
	}
	last := row.Time // the time of the file says less, because a clone makes it new
	if r.now.Sub(last) > oldAfter {
		last = r.changed(row)
	}
	if r.now.Sub(last) > oldAfter {
		read := ""
		if !use.LastRead.IsZero() {
			read = ", last read " + result.FormatAge(use.LastRead, r.now) + " ago"
		}
		due(result.DueOld, "", "blue read "+word, "not changed for "+result.FormatAge(last, r.now)+read)
	}
	if from := latest(r.begun, row.Time, use.Last); !r.begun.IsZero() && r.now.Sub(from) > oldAfter {
		due(result.DueUnfound, "", "blue read "+word, "not told, found or read for "+result.FormatAge(from, r.now))
	}
}

// untouched returns when a note that cites nothing, and has been told since, was last read, changed or verified,
// if that is longer ago than the project allows, else the zero time.
func (r *reviewer) untouched(row index.Row, use deliveries.Use) (seen time.Time) {
	for _, look := range []func() time.Time{
		func() time.Time { return latest(row.Time, use.LastRead) },
		func() time.Time { return r.changed(row) },
		func() time.Time { return r.verified(row) },
	} {
		seen = latest(seen, look())
		age := time.Duration(r.nb.Found.ReviewDays) * 24 * time.Hour
		if age == 0 || len(ExtraOf(row).Files) > 0 || !use.LastTold.After(seen) || r.now.Sub(seen) <= age {
			return time.Time{}
		}
	}
	return seen
}

// changed returns when the text of a note became what it is.
func (r *reviewer) changed(row index.Row) time.Time {
	if past, _ := r.nb.store.Revisions(row.Name); len(past) > 0 {
		return latest(row.Time, past[0].Time)
	}
	return row.Time
}

// verified returns the day on which somebody has said that a note still holds.
func (r *reviewer) verified(row index.Row) time.Time {
	data, _, _ := r.nb.store.Read(row.Name)
	day, _, _ := strings.Cut(note.ParseText(row.Name, data).Verified, " ")
	return note.ParseTime(day)
}

// times says how often something happened.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// linkedFrom returns the notes in force that link to a note, except those that supersede it.
func (r *reviewer) linkedFrom(row index.Row) []index.Row {
	return slices.DeleteFunc(r.LinkingTo(row), func(from index.Row) bool {
		return from.Superseded || slices.Contains(ExtraOf(from).Supersedes, row.ID)
	})
}
