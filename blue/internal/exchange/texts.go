package exchange

import (
	"context"

	"blue/blue/internal/ref"
)

// eachText calls each with texts, once per blob, and holds a batch of them at most.
func (s *side) eachText(ctx context.Context, blobs []string, each func(blob string, text []byte) error) error {
	var elsewhere []string
	seen := map[string]bool{}
	for _, blob := range blobs {
		if seen[blob] {
			continue
		}
		seen[blob] = true
		if !s.isHere(blob) {
			elsewhere = append(elsewhere, blob)
			continue
		}
		text, err := s.ownText(blob)
		if err == nil {
			err = each(blob, text)
		}
		if err != nil {
			return err
		}
	}
	return s.x.Remote.ReadTexts(ctx, elsewhere, each)
}

// isHere reports whether ownText has a text.
func (s *side) isHere(blob string) bool {
	_, own := s.own[blob]
	return own || s.texts.Has(blob)
}

// ownText returns a text that was set aside, or reads it from its file again. [ref.ErrMoved]
// says that the file has another one by now.
func (s *side) ownText(blob string) (text []byte, err error) {
	if name, own := s.own[blob]; own && !s.texts.Has(blob) {
		text, _, err = s.x.Store.Read(name)
	} else {
		text, err = s.texts.Get(blob)
	}
	if err != nil || s.x.Remote.ID(text) != blob {
		return nil, ref.ErrMoved // the next round says what is wrong with the file
	}
	return text, nil
}

// textOf is like ownText, but returns nil for a text that is gone.
func (s *side) textOf(blob string) ([]byte, error) {
	if blob == "" || !s.isHere(blob) {
		return nil, nil
	}
	return s.ownText(blob)
}
