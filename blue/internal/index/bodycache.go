package index

import (
	"strings"
	"sync"
)

// bodyCache keeps the texts that searches have shown a piece of, so that the next search does
// not read the same files. A text is found by the revision of its document, never by its
// name: the file may have changed, and then the revision is another. The first half that
// fills up becomes the old one, and what nobody asks for again goes with it.
type bodyCache struct {
	mu         sync.Mutex
	young, old map[string]string // by revision
	size       int               // bytes of young
}

// bodiesKept is how many bytes both halves hold: some 600 notes.
const bodiesKept = 1 << 20

// bodyOf returns the body of a document, which read reads.
func (b *bodyCache) bodyOf(row Row, read func(Row) (body, revision string)) string {
	b.mu.Lock()
	body, known := b.young[row.Revision]
	if !known {
		if body, known = b.old[row.Revision]; known {
			b.keepBody(row.Revision, body)
		}
	}
	b.mu.Unlock()
	if known {
		return body
	}
	body, revision := read(row)
	if revision != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.keepBody(revision, strings.Clone(body)) // which may be a small part of a large text
	}
	return body
}

// keepBody keeps a body; the caller holds mu.
func (b *bodyCache) keepBody(revision, body string) {
	const each = 100 // bytes of the map
	if len(body) > bodiesKept/8 {
		return
	}
	if b.size += len(body) + each; b.young == nil || b.size > bodiesKept/2 {
		b.young, b.old, b.size = map[string]string{}, b.young, len(body)+each
	}
	b.young[revision] = body
}

func (b *bodyCache) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.young, b.old, b.size = nil, nil, 0
}
