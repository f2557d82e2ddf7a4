package shelves

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"blue/blue/internal/index"
	"blue/errors"
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
		ofDocuments.Reason = ""
		if x, err := p.documents.refresh(ctx, c, s.Sources.Globs); err != nil {
			ofDocuments.Reason = errors.Visible(err.Error())
		} else {
			ofDocuments.Count, ofDocuments.LeftOut = p.documents.count(x)
		}
	}
	if !s.Sources.NoCommits {
		p.commits.refresh(ctx, c, s.patience())
		ofCommits.Reason = p.commits.describe()
		if ofCommits.Reason == "" || strings.HasPrefix(ofCommits.Reason, reading) {
			_, ofCommits.Count = p.commits.index.List(index.Filter{Type: kindCommit}, false, 0, 0)
		}
	}
	return ofDocuments, ofCommits
}
