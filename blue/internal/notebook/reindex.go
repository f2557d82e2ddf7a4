package notebook

import (
	"context"
	"sync"
	"time"

	"blue/blue/internal/result"
)

// Reindex throws the search index away and builds it from the files. It costs time
// and changes nothing else. The function, which may be nil, is told how far it is.
func (nb *Notebook) Reindex(ctx context.Context, tell func(done, total int)) (r result.Reindexed, err error) {
	defer nb.NameProject(&err)
	began := time.Now()
	total := 0
	for file, err := range nb.store.Files(ctx) {
		if err != nil && !nb.left.LeaveOut(file.Name, err) {
			return r, err
		}
		if err == nil && file.Problem == "" {
			total++
		}
	}
	if err := nb.rebuildIndex(ctx, total, tell); err != nil {
		return r, err
	}
	return result.Reindexed{About: nb.About(), Notes: nb.index.Len(), Seconds: time.Since(began).Seconds(), Index: nb.index.State()}, nil
}

func (nb *Notebook) rebuildIndex(ctx context.Context, total int, tell func(done, total int)) error {
	var mu sync.Mutex // notes are read side by side
	done := 0
	notes := files{nb.files, nb}.notes(indexDocument)
	notes.Read = func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; tell != nil {
			tell(done, total)
		}
	}
	return nb.explainWait(ctx, nb.reading.Run(ctx, func(ctx context.Context) error {
		nb.index.Discard()
		return notes.CompareAll(ctx, &nb.reading)
	}))
}
