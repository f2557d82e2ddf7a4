package exchange

import (
	"context"
	"slices"

	"blue/blue/internal/ref"
)

// readTexts reads the blobs that some names have in a list, and holds those of other sides.
func (s *side) readTexts(ctx context.Context, list map[string]string, names []string) error {
	elsewhere := slices.DeleteFunc(blobsOf(list, names), s.isHere)
	return s.eachText(ctx, elsewhere, func(blob string, text []byte) error {
		s.texts.put(blob, text)
		return nil
	})
}

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
	return own || s.texts.has(blob)
}

// ownText returns a text that was set aside, or reads it from its file again. [ref.ErrMoved]
// says that the file has another one by now.
func (s *side) ownText(blob string) (text []byte, err error) {
	if from, own := s.own[blob]; own && !s.texts.has(blob) {
		text, _, err = from.notes.Read(from.name)
	} else {
		text, err = s.texts.get(blob)
	}
	if err != nil || s.x.Remote.ID(text) != blob {
		return nil, ref.ErrMoved // the next round says what is wrong with the file
	}
	return text, nil
}

// textOf is like ownText, but returns nil for a text that is gone.
func (s *side) textOf(blob string) ([]byte, error) {
	if !s.isHere(blob) {
		return nil, nil
	}
	return s.ownText(blob)
}

// blobsOf are the blobs that some names have in a list.
func blobsOf(list map[string]string, names []string) (blobs []string) {
	for _, name := range names {
		if blob := list[name]; blob != "" {
			blobs = append(blobs, blob)
		}
	}
	return blobs
}
