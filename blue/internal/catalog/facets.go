package catalog

import (
	"cmp"
	"maps"
	"slices"

	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

// StatusWord is the first word of the status of a note.
func (e Extra) StatusWord() string { return note.StatusWord(cmp.Or(e.Status, note.Active)) }

// CountFacets counts the notes by type, tag, author and status.
func (n Notes) CountFacets() reply.Facets {
	types, tags, authors, statuses := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, row := range n.All(false) {
		more := ExtraOf(row)
		types[row.Type]++
		statuses[more.StatusWord()]++
		for _, tag := range row.Tags {
			tags[tag]++
		}
		if more.Author != "" {
			authors[more.Author]++
		}
	}
	return reply.Facets{Types: byCount(types), Tags: byCount(tags), Authors: byCount(authors), Statuses: byCount(statuses)}
}

// byCount are the words, the most frequent first.
func byCount(counts map[string]int) []reply.Facet {
	words := slices.Collect(maps.Keys(counts))
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	all := make([]reply.Facet, len(words))
	for i, word := range words {
		all[i] = reply.Facet{Word: word, Shown: note.ShowWord(word), Count: counts[word]}
	}
	return all
}
