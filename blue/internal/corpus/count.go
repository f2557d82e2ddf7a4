package corpus

import (
	"context"
	"sync"

	"blue/blue/internal/index"
	"blue/blue/internal/result"
)

// switchedOff says why there is nothing on a shelf that is not used.
const switchedOff = "left out by the key sources of project.yaml"

// Count says what is on the shelves.
func (s Corpus) Count(ctx context.Context) (ofDocuments, ofCommits *result.Shelf) {
	p, c := s.open(), s.checkout()
	var group sync.WaitGroup
	ofDocuments, ofCommits = &result.Shelf{Reason: switchedOff}, &result.Shelf{Reason: switchedOff}
	if !s.Sources.NoCommits {
		group.Go(func() {
			ended := p.commits.refresh(ctx, c, s.patience())
			lacks, progress := p.commits.describe(ended)
			ofCommits.Reading = progress
			if ofCommits.Reason = lacks + progress; lacks == "" {
				_, ofCommits.Count = p.commits.index.List(index.Filter{Type: kindCommit}, false, 0, 0)
			}
		})
	}
	if !s.Sources.NoDocuments {
		x, ended := p.documents.refresh(ctx, c, s.Sources.Globs, s.patience())
		lacks, progress := p.documents.describe(ended)
		ofDocuments.Reason, ofDocuments.Reading = lacks+progress, progress
		ofDocuments.Count, ofDocuments.LeftOut = p.documents.count(x)
	}
	group.Wait()
	return ofDocuments, ofCommits
}
