package exchange

import (
	"context"

	"blue/blue/internal/ref"
)

// readTexts reads the blobs that some names have in a list, and holds them.
func (s *side) readTexts(ctx context.Context, list map[string]string, names []string) error {
	return s.eachText(ctx, blobsOf(list, names), func(blob string, text []byte) error {
		s.texts[blob] = text
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
	_, held := s.texts[blob]
	_, own := s.own[blob]
	return held || own
}

// ownText returns a text that is held, or reads it from its file again. [ref.ErrMoved] says
// that the file has another one by now.
func (s *side) ownText(blob string) ([]byte, error) {
	if text, held := s.texts[blob]; held {
		return text, nil
	}
	from, own := s.own[blob]
	if !own {
		return nil, ref.ErrMoved
	}
	text, _, err := from.notes.Read(from.name)
	if err != nil || s.x.Remote.ID(text) != blob {
		return nil, ref.ErrMoved // the next round says what is wrong with the file
	}
	return text, nil
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
