package shelves

import (
	"context"
	"sync"

	"blue/blue/internal/index"
	"blue/blue/internal/reply"
)

// Count says what is on the shelves.
func (s Shelves) Count(ctx context.Context) (ofDocuments, ofCommits *reply.Shelf) {
	p, c := s.open(), s.checkout()
	var group sync.WaitGroup
	off := "left out by the key sources of project.yaml"
	ofDocuments, ofCommits = &reply.Shelf{Reason: off}, &reply.Shelf{Reason: off}
	if !s.Sources.NoCommits {
		group.Go(func() {
			ended := p.commits.refresh(ctx, c, s.patience())
			lacks, progress := p.commits.describe(ended)
			if ofCommits.Reason = lacks + progress; lacks == "" {
				_, ofCommits.Count = p.commits.index.List(index.Filter{Type: kindCommit}, false, 0, 0)
			}
		})
	}
	if !s.Sources.NoDocuments {
		x, ended := p.documents.refresh(ctx, c, s.Sources.Globs, s.patience())
		lacks, progress := p.documents.describe(ended)
		ofDocuments.Reason = lacks + progress
		ofDocuments.Count, ofDocuments.LeftOut = p.documents.count(x)
	}
	group.Wait()
	return ofDocuments, ofCommits
}
