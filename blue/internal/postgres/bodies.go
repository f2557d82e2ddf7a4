package postgres

import (
	"sync"
)

// bodyKey is a text: of a project and an owner, by its name and the number of its revision.
type bodyKey struct {
	project, owner, name string
	number               uint64
}

// bodyLimit is how many bytes of texts each of the two halves of the cache has.
const bodyLimit = 16 << 20

// bodyCache keeps the texts that were read last, in two halves: when the young one is full
// it takes the place of the old one.
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
