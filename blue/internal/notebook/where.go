package notebook

import (
	"context"
	"slices"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/marker"
)

// Where returns an overview of the project.
func (nb *Notebook) Where(ctx context.Context) (w result.Where, err error) {
	defer nb.NameProject(&err)
	w = result.Where{Trace: append([]marker.Tried{}, nb.Found.Trace...), Types: map[string]int{}, Newest: []result.Row{}}
	err = nb.FillWhere(ctx, &w)
	w.About = nb.About()
	return w, err
}

// FillWhere counts all notes for an overview, those of the rarest types together. In a trusted
// project it names the newest notes.
func (nb *Notebook) FillWhere(ctx context.Context, w *result.Where) error {
	if err := nb.refresh(ctx); err != nil {
		return err
	}
	w.Index = nb.index.State()
	w.Documents, w.Commits = nb.CountShelves(ctx)
	w.Code = nb.shelves().DescribeCode()
	w.Sync = nb.replica().LocalStatus()
	kinds := map[string]int{}
	for kind, count := range nb.index.Types() {
		if kind = note.ShowWord(kind); !nb.trusted && !slices.Contains(note.Types(), kind) {
			kind = "other" // the word comes from a note that may not be told
		}
		kinds[kind] += count
		w.Notes += count
	}
	for i, kind := range byCount(kinds) {
		if i >= typesShown {
			kind.Word = "other"
		}
		w.Types[kind.Word] += kind.Count
	}
	if !nb.trusted {
		return nil
	}
	show := nb.shown()
	rows, _ := nb.index.List(index.Filter{}, false, 0, newestShown)
	for _, row := range rows {
		w.Newest = append(w.Newest, show.row(row))
	}
	return nil
}

// Loss returns what git would delete with the linked worktree that the project lies in.
func (nb *Notebook) Loss(ctx context.Context) []string {
	if loss := nb.replica().WorktreeLoss(ctx); loss != "" {
		return []string{loss}
	}
	return nil
}

const (
	typesShown  = 20 // types that an overview counts separately
	newestShown = 10 // titles that it shows unasked
)
