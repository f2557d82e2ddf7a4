package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The promised size is -crowd 10s -crowd-notes 10000.
var (
	crowdTime  = flag.Duration("crowd", time.Second, "how long the processes of TestCrowd write and search")
	crowdNotes = flag.Int("crowd-notes", 300, "notes that are there when they begin")
)

// crowd is what the processes have told each other: the notes that were acknowledged.
type crowd struct {
	until    time.Time
	mu       sync.Mutex
	written  []entry
	searches []time.Duration
	missed   atomic.Int64
}

// entry is an acknowledged note and the word that it alone holds.
type entry struct{ id, word string }

// Eight processes write and search one project. None fails, and
// none misses a note that any of them has acknowledged before it was asked.
func TestCrowd(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	sources(t, p, *crowdNotes)
	p.run(t, "reindex")
	c := &crowd{until: time.Now().Add(*crowdTime)}
	var all sync.WaitGroup
	for process := range 8 {
		s := p.serve(t)
		all.Go(func() {
			defer s.close(t)
			if err := c.work(s, process); err != nil {
				t.Errorf("process %d: %v", process, err)
			}
		})
	}
	all.Wait()
	if n := c.missed.Load(); n > 0 || len(c.written) == 0 {
		t.Errorf("%d searches missed an acknowledged note, of %d notes written", n, len(c.written))
	}
	slices.Sort(c.searches)
	t.Logf("%d notes, %d written, %d searches: p50 %v, p99 %v", *crowdNotes, len(c.written), len(c.searches),
		c.searches[len(c.searches)/2], c.searches[len(c.searches)*99/100])
}

// work writes and searches until the time is over, and then looks for notes from all
// of that time once more.
func (c *crowd) work(s *server, process int) error {
	random := rand.New(rand.NewPCG(5, uint64(process)))
	for i := 0; time.Now().Before(c.until); i++ {
		if i%4 == 0 {
			if err := c.write(s, process, i); err != nil {
				return err
			}
		}
		if err := c.search(s, random); err != nil {
			return err
		}
	}
	for range 100 {
		if err := c.search(s, random); err != nil {
			return err
		}
	}
	return nil
}

func (c *crowd) write(s *server, process, i int) error {
	own := word(uint64(1_000_000 + 1000*i + process))
	a, err := s.call("write", map[string]any{"title": "note " + strconv.Itoa(i), "body": fmt.Sprintf("Process %d has written %s.", process, own)})
	if err == nil && a.ID == "" {
		err = fmt.Errorf("not written: %+v", a)
	}
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written = append(c.written, entry{a.ID, own})
	return nil
}

// search asks for a note, one in two times the newest that any process has written.
func (c *crowd) search(s *server, random *rand.Rand) error {
	c.mu.Lock()
	n := len(c.written)
	wanted := entry{}
	if n > 0 {
		wanted = c.written[n-1]
		if random.IntN(2) == 0 {
			wanted = c.written[random.IntN(n)]
		}
	}
	c.mu.Unlock()
	if n == 0 {
		return nil
	}
	began := time.Now()
	a, err := s.call("search", map[string]any{"query": wanted.word})
	took := time.Since(began)
	if err == nil && a.Error != "" {
		err = fmt.Errorf("not searched: %+v", a)
	}
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(a.Hits, func(h struct{ ID string }) bool { return h.ID == wanted.id }) {
		c.missed.Add(1)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.searches = append(c.searches, took)
	return nil
}
