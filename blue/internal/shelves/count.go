package shelves

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"blue/blue/internal/index"
)

// Shelf is what lies on a shelf beside the notes.
type Shelf struct {
	Count   int            `json:"count"`
	LeftOut map[string]int `json:"left_out,omitempty"` // by reason
	Reason  string         `json:"reason,omitempty"`   // why there is nothing, or not yet everything
}

// Describe says it on one line.
func (s Shelf) Describe() string {
	text := formatCount(int64(s.Count))
	if s.Count == 0 && s.Reason != "" {
		text = "none"
	}
	if s.Reason != "" {
		text += ", " + s.Reason
	}
	var left []string
	for _, reason := range slices.Sorted(maps.Keys(s.LeftOut)) {
		left = append(left, fmt.Sprintf("%d %s", s.LeftOut[reason], reason))
	}
	if len(left) > 0 {
		text += " (left out: " + strings.Join(left, ", ") + ")"
	}
	return text
}

// Count says what is on the shelves; nil when they cannot be opened.
func (s Shelves) Count(ctx context.Context) (ofDocuments, ofCommits *Shelf) {
	p, err := s.open()
	if err != nil {
		return nil, nil
	}
	c := s.checkout()
	off := "left out by the key sources of project.yaml"
	ofDocuments, ofCommits = &Shelf{Reason: off}, &Shelf{Reason: off}
	if !s.Sources.NoDocuments {
		x, ended := p.documents.refresh(ctx, c, s.Sources.Globs, s.patience())
		ofDocuments.Reason = p.documents.describe(ended)
		ofDocuments.Count, ofDocuments.LeftOut = p.documents.count(x)
	}
	if !s.Sources.NoCommits {
		ended := p.commits.refresh(ctx, c, s.patience())
		if ofCommits.Reason = p.commits.describe(ended); ofCommits.Reason == "" || !ended {
			_, ofCommits.Count = p.commits.index.List(index.Filter{Type: kindCommit}, false, 0, 0)
		}
	}
	return ofDocuments, ofCommits
}
