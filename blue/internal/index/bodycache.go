package index

import (
	"strings"
	"sync"
)

// bodyCache caches the texts that search results were cut from, so that the next search does not
// read the same files. The key is the revision of the document, not its name, because the file may
// have changed since.
type bodyCache struct {
	mu    sync.Mutex
	known map[string]string // by revision
	size  int               // bytes
}

const (
	bodiesKept = 1 << 21 // bytes, some 600 notes; beyond that, random ones are evicted
	bodyRoom   = 100     // bytes that a map entry is assumed to take
)

// bodyOf returns the body of a document from the cache, or calls read.
func (b *bodyCache) bodyOf(row Row, read func(Row) (body, revision string)) string {
	b.mu.Lock()
	body, known := b.known[row.Revision]
	b.mu.Unlock()
	if known {
		return body
	}
	body, revision := read(row)
	if revision != "" && len(body) <= bodiesKept/8 {
		b.keepBody(revision, strings.Clone(body)) // the body may be a small part of a large text
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
