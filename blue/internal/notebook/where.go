package notebook

import (
	"context"

	"blue/blue/internal/result"
	"blue/marker"
)

// Where says what is in the project.
func (nb *Notebook) Where(ctx context.Context) (w result.Where, err error) {
	defer nb.NameProject(&err)
	w = result.Where{Trace: append([]marker.Tried{}, nb.Found.Trace...), Types: map[string]int{}, Newest: []result.Row{}}
	err = nb.FillWhere(ctx, &w)
	w.About = nb.About()
	return w, err
}

// FillWhere fills in what is known of the notes.
func (nb *Notebook) FillWhere(ctx context.Context, w *result.Where) error {
	if err := nb.refresh(ctx); err != nil {
		return err
	}
	w.Index = nb.index.State()
	w.Documents, w.Commits = nb.CountBeside(ctx)
	w.Sync = nb.replica().LocalStatus()
	nb.shown().FillWhere(w)
	return nil
}

// Loss says what git would delete with the linked worktree that the project lies in.
func (nb *Notebook) Loss(ctx context.Context) []string {
	if loss := nb.replica().WorktreeLoss(ctx); loss != "" {
		return []string{loss}
	}
	return nil
}
