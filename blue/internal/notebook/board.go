package notebook

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/result"
)

// Statuses that the board puts first and last. Others come between them, by name.
var (
	beginning = []string{"backlog", "to do", "todo", "open", "draft", note.Proposed, note.Active, "in progress", "doing", "review", "in review", "blocked"}
	ending    = []string{note.Accepted, "done", "closed", "completed", note.Rejected, note.Deprecated, note.Superseded}
)

const (
	foldTime  = 14 * 24 * time.Hour // after which a finished note is folded
	cardsMost = 100                 // cards of a column
	olderMost = 1000                // notes below them
)

// Board returns a column for each status in use and each that the project names, in its order.
// Notes of the status active are on the board only if they are checkpoints, because every note has
// that status by default.
func (nb *Notebook) Board(ctx context.Context) (b result.Board, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return b, err
	}
	b = result.Board{About: nb.About(), Branch: nb.Branch()}
	rows, shown := map[string][]index.Row{}, map[string]string{}
	for _, row := range nb.index.All(false) {
		more := ExtraOf(row)
		state := more.State()
		if state == note.Active && row.Type != note.TypeCheckpoint {
			continue
		}
		if rows[state] == nil {
			shown[state] = state
			if !slices.Contains(note.Statuses(), state) {
				shown[state] = note.ShowWord(more.Status)
			}
		}
		rows[state] = append(rows[state], row)
	}
	for _, state := range nb.columnOrder(rows, shown) {
		b.Columns = append(b.Columns, nb.column(shown[state], state == note.Accepted || note.IsClosed(state), rows[state]))
	}
	return b, nil
}

// columnOrder returns the statuses of the columns in order, and adds how those that no note has are
// shown. There is always a column for finished notes if there are any others.
func (nb *Notebook) columnOrder(rows map[string][]index.Row, shown map[string]string) (order []string) {
	for _, status := range nb.Found.Board {
		if state := note.State(status); !slices.Contains(order, state) {
			order = append(order, state)
			shown[state] = cmp.Or(shown[state], status)
		}
	}
	var others []string
	for state := range rows {
		if !slices.Contains(order, state) {
			others = append(others, state)
		}
	}
	if len(order) == 0 && len(others) > 0 && rows["done"] == nil {
		others = append(others, "done")
		shown["done"] = "done"
	}
	slices.SortFunc(others, func(a, b string) int { return cmp.Or(columnRank(a)-columnRank(b), strings.Compare(a, b)) })
	return append(order, others...)
}

func columnRank(state string) int {
	if i := slices.Index(beginning, state); i >= 0 {
		return i
	}
	return len(beginning) + 1 + slices.Index(ending, state)
}

// column returns the column of notes with one status, newest first.
func (nb *Notebook) column(status string, isFinished bool, rows []index.Row) result.Column {
	c, show := result.Column{Status: status, Count: len(rows)}, nb.shown()
	for _, row := range rows {
		isOld := isFinished && nb.o.Now().Sub(time.Unix(0, row.Stamp.ModTime)) > foldTime
		switch {
		case !isOld && len(c.Cards) < cardsMost:
			c.Cards = append(c.Cards, result.Card{Row: show.row(row), Branch: note.ShowTitle(ExtraOf(row).Branch), Next: show.glance(row).Next})
		case len(c.Older) < olderMost:
			c.Older = append(c.Older, result.Card{Row: show.row(row)})
		}
	}
	return c
}
