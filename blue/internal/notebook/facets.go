package notebook

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"blue/blue/internal/note"
	"blue/blue/internal/result"
)

// facetCache holds the facets of one version of the index.
type facetCache struct {
	mu      sync.Mutex
	version uint64
	facets  result.Facets
}

// Facets counts the notes by type, tag, author and status.
func (nb *Notebook) Facets(ctx context.Context) (f result.Facets, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return f, err
	}
	c := &nb.facets
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := nb.index.Version(); c.facets.Types == nil || c.version != now {
		c.version, c.facets = now, nb.index.CountFacets()
	}
	return c.facets, nil
}

// StatusWord is the first word of the status of a note.
func (e Extra) StatusWord() string { return note.StatusWord(cmp.Or(e.Status, note.Active)) }

// CountFacets counts the notes by type, tag, author and status.
func (n Catalog) CountFacets() result.Facets {
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
	return result.Facets{Types: byCount(types), Tags: byCount(tags), Authors: byCount(authors), Statuses: byCount(statuses)}
}

// byCount are the words, the most frequent first.
func byCount(counts map[string]int) []result.Facet {
	words := slices.Collect(maps.Keys(counts))
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	all := make([]result.Facet, len(words))
	for i, word := range words {
		all[i] = result.Facet{Word: word, Shown: note.ShowWord(word), Count: counts[word]}
	}
	return all
}
