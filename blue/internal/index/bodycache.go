package index

import (
	"strings"
	"sync"
)

// bodyCache keeps the texts that searches have shown a piece of, so that the next search does
// not read the same files. A text is found by the revision of its document, never by its
// name: the file may have changed, and then the revision is another.
type bodyCache struct {
	mu    sync.Mutex
	known map[string]string // by revision
	size  int               // bytes
}

const (
	bodiesKept = 1 << 21 // bytes, some 600 notes; then any of them make room
	bodyRoom   = 100     // bytes of the map
)

// bodyOf returns the body of a document, which read reads.
func (b *bodyCache) bodyOf(row Row, read func(Row) (body, revision string)) string {
	b.mu.Lock()
	body, known := b.known[row.Revision]
	b.mu.Unlock()
	if known {
		return body
	}
	body, revision := read(row)
	if revision != "" && len(body) <= bodiesKept/8 {
		b.keepBody(revision, strings.Clone(body)) // which may be a small part of a large text
	}
	return body
}

func (b *bodyCache) keepBody(revision, body string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil {
		b.known = map[string]string{}
	}
	for other, text := range b.known { // in random order
		if b.size+len(body)+bodyRoom <= bodiesKept {
			break
		}
		delete(b.known, other)
		b.size -= len(text) + bodyRoom
	}
	if _, known := b.known[revision]; !known {
		b.known[revision] = body
		b.size += len(body) + bodyRoom
	}
}

func (b *bodyCache) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known, b.size = nil, 0
}
