package shown

import (
	"cmp"
	"slices"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/reply"
)

// Offered is a note that Blue shows unasked.
type Offered struct {
	reply.Row
	Path string // of its file, absolute
	Name string // of its file below .blue, with slashes
	Size int64  // of its file in bytes
}

// Offer returns those of some notes that may be told unasked, and how many others there are;
// path is where the file of a note lies.
func (n Notes) Offer(rows []index.Row, path func(name string) string) (notes []Offered, others int) {
	for _, row := range rows {
		if !n.IsTold(row) {
			others++
			continue
		}
		notes = append(notes, Offered{Row: n.Row(row), Path: path(row.Name), Name: row.Name, Size: row.Stamp.Size})
	}
	return notes, others
}

// Complete returns the ids and tags of notes that begin with a word, in the order of the
// alphabet.
func Complete(notes []Offered, start string) (ids, tags []string) {
	for _, n := range notes {
		for _, tag := range n.Tags {
			if hasStart(tag, start) {
				tags = append(tags, tag)
			}
		}
		if hasStart(n.ID, start) {
			ids = append(ids, n.ID)
		}
	}
	return sortDistinct(ids), sortDistinct(tags)
}

func hasStart(word, start string) bool {
	return len(word) >= len(start) && strings.EqualFold(word[:len(start)], start)
}

func sortDistinct(words []string) []string {
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
	})
	return slices.Compact(words)
}
