package postgres

import (
	"maps"
	"sync"
)

// bodyKey identifies a text: its project and owner, the name of its note, and its revision as
// a number.
type bodyKey struct {
	project, owner, name string
	number               uint64
}

// bodyLimit is the size in bytes of each half of the cache.
const bodyLimit = 16 << 20

// bodyCache caches the texts that were read last. It has two halves: a full young half
// replaces the old one.
type bodyCache struct {
	mu         sync.Mutex
	young, old map[bodyKey][]byte
	size       int
}

func (c *bodyCache) find(key bodyKey) (data []byte, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if data, ok = c.young[key]; ok {
		return data, true
	}
	if data, ok = c.old[key]; ok {
		c.add(key, data)
	}
	return data, ok
}

func (c *bodyCache) keep(key bodyKey, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(key, data)
}

func (c *bodyCache) add(key bodyKey, data []byte) {
	if c.young == nil || c.size+len(data) > bodyLimit {
		c.young, c.old, c.size = map[bodyKey][]byte{}, c.young, 0
	}
	c.young[key] = data
	c.size += len(data)
}

// drop removes the texts of a project.
func (c *bodyCache) drop(project string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, half := range []map[bodyKey][]byte{c.young, c.old} {
		maps.DeleteFunc(half, func(key bodyKey, _ []byte) bool { return key.project == project })
	}
}
