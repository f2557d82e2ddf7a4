package notebook

import (
	"cmp"
	"slices"
	"strings"

	"blue/blue/internal/corpus"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
)

// Limits.
const (
	reasonsMost  = 2        // notes named for a place in code
	quotedBytes  = 16 << 10 // of the lines of code shown with a note
	reasonsTried = 100      // notes that cite a file
)

// reasons returns the notes in force that stand behind a place in code: those that cite a part of it,
// then those that cite its whole file, the newest first.
func (nb *Notebook) reasons(files *citations, hit result.ShelfHit) (all []result.Reason) {
	if hit.Kind != result.KindCode {
		return nil
	}
	rows := nb.index.Keyed(fileKey + hit.Path)
	slices.SortStableFunc(rows, func(a, b index.Row) int { return b.Time.Compare(a.Time) })
	var parts, wholes []result.Reason
	named := map[string]bool{}
	for _, cited := range rows[:min(len(rows), reasonsTried)] {
		row, stands := nb.index.Current(cited)
		if !stands || named[row.Name] {
			continue
		}
		reason := result.Reason{ID: row.ID, Type: note.ShowWord(cmp.Or(row.Type, note.TypeNote)), Title: note.ShowTitle(row.Title)}
		isPart, isWhole := false, false
		for _, c := range ExtraOf(cited).Files {
			if c.Path != hit.Path {
				isWhole = isWhole || strings.HasPrefix(c.Path, hit.Path+"#") // written by hand
				continue
			}
			if c.Span == "" {
				isWhole = true
				continue
			}
			if _, at, changed := files.current(c, nb.says(cited)); at.First <= hit.Last && at.Last >= hit.First {
				isPart, reason.Changed = true, changed
			}
		}
		named[row.Name] = isPart || isWhole
		if isPart {
			parts = append(parts, reason)
		} else if isWhole {
			wholes = append(wholes, reason)
		}
	}
	all = append(parts, wholes...)
	return all[:min(len(all), reasonsMost)]
}

// quote returns the lines of code that a note cites in part, as they are now. Lines that look like a secret
// are left out.
func quote(files *citations, n note.Text) (all []result.Quoted) {
	room := quotedBytes
	for _, c := range n.Files[:min(len(n.Files), note.ListLimit)] {
		if c.Span == "" {
			continue
		}
		q := result.Quoted{Ref: note.ShowLabel(c.Ref(), result.PathShown)}
		lines, at, changed := files.current(c, n.Says)
		if q.Changed = changed; at.First > 0 {
			q.Lines = at.String()
			before, text := lines.Text(at)
			masked := corpus.MaskLines(before+text, len(before), len(before)+len(text))
			q.Text, _ = note.CountHidden(strings.Join(masked, "\n"))
			q.Text, q.More = result.CutBytes(q.Text, max(room, 0))
			room -= len(q.Text)
		}
		all = append(all, q)
	}
	return all
}
