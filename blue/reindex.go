package blue

import (
	"context"
	"sync"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/reply"
)

// Reindexed is the answer to reindex.
type Reindexed = reply.Reindexed

// Reindex throws the search index away and builds it from the files. It costs time
// and changes nothing else. The function, which may be nil, is told how far it is.
func (p *Project) Reindex(ctx context.Context, tell func(done, total int)) (r Reindexed, err error) {
	defer p.NameProject(&err)
	began := time.Now()
	total := 0
	for file, err := range p.store.Files(ctx) {
		if err != nil && !p.left.LeaveOut(file.Name, err) {
			return r, err
		}
		if err == nil && file.Problem == "" {
			total++
		}
	}
	if err := p.rebuildIndex(ctx, total, tell); err != nil {
		return r, err
	}
	return Reindexed{About: p.About(), Notes: p.index.Len(), Seconds: time.Since(began).Seconds(), Index: p.index.State()}, nil
}

func (p *Project) rebuildIndex(ctx context.Context, total int, tell func(done, total int)) error {
	var mu sync.Mutex // notes are read side by side
	done := 0
	notes := p.follow(catalog.Document)
	notes.Read = func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; tell != nil {
			tell(done, total)
		}
	}
	return p.explainWait(ctx, p.reading.Run(ctx, func(ctx context.Context) error {
		p.index.Discard()
		return notes.CompareAll(ctx, &p.reading)
	}))
}
