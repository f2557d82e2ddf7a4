package notebook

import (
	"cmp"
	"context"
	"time"

	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/result"
)

// Log says who wrote what, newest first: of one note, or with "" of all that the filter
// takes. When a note was written, and by whom, stands in the note; when it was edited, in
// its history; who edited it, where Blue did so, or when the edit was committed with git, and
// so is what others have edited and removed.
func (nb *Notebook) Log(ctx context.Context, ref string, f Filter) (l result.Log, err error) {
	defer nb.NameProject(&err)
	f.Limit = cmp.Or(f.Limit, listLimit)
	window, filter, err := nb.openWindow(ctx, f, "log\x00"+ref)
	if err != nil {
		return l, err
	}
	one := ""
	if ref != "" {
		row, _, err := nb.findAnywhere(ref)
		if err != nil {
			return l, err
		}
		one = row.Name
	}
	since := filter.Since
	filter.Since = time.Time{} // an old note may have been edited since
	r, err := nb.record(ctx, filter)
	if err != nil {
		return l, err
	}
	l = r.Log(one, since, nb.o.Now(), &window)
	l.About = nb.About()
	return l, nil
}

// record has all that is known of the notes that pass; of those that are gone, when the
// filter names nothing.
func (nb *Notebook) record(ctx context.Context, filter index.Filter) (r activity, err error) {
	rows, _ := nb.index.List(filter, false, 0, nb.index.Len())
	changes, err := nb.store.Journal()
	if err != nil && !nb.left.LeaveOut("history", err) {
		return r, err
	}
	r.addChanges(changes)
	if err := r.addNotes(ctx, nb, rows); err != nil {
		return r, err
	}
	gone := filter.Type == "" && len(filter.Tags) == 0 && filter.Pass == nil
	if gone {
		trash, err := nb.Trash(ctx)
		if err != nil {
			return r, err
		}
		r.addTrashed(trash.Notes)
	}
	if nb.Found.Root != "" {
		touched, err := git.Touched(ctx, nb.absolutePath("notes"))
		nb.warnOfGit(err)
		r.addCommitted(touched, gone, nb)
	}
	return r, nil
}
