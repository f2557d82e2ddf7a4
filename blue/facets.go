package blue

import (
	"context"
	"sync"

	"blue/blue/internal/reply"
	"blue/blue/internal/shown"
)

// Facts narrow a list or a search further than its type and tags.
type Facts = shown.Facts

// Facets is the answer to "by what can the notes be narrowed".
type Facets = reply.Facets

// Facet is one word in that answer.
type Facet = reply.Facet

// facetCache holds the facets of one version of the index.
type facetCache struct {
	mu      sync.Mutex
	version uint64
	facets  Facets
}

// Facets counts the notes by type, tag, author and status.
func (p *Project) Facets(ctx context.Context) (f Facets, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return f, err
	}
	c := &p.facets
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := p.index.Version(); c.facets.Types == nil || c.version != now {
		c.version, c.facets = now, p.index.CountFacets()
	}
	return c.facets, nil
}
