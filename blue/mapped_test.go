package blue_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"blue/blue"
	"blue/fixtures"
)

// The index is damaged while a server has it mapped and answers, also in such a way
// that the time of the file says nothing. Every answer is that of an index made anew, at
// once and from then on.
func TestDamagedWhileItServes(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	const notes = 1100 // so many that an index made anew is written, and mapped, at once
	u := newUser(t)
	dir := u.Project(t)
	for i := range notes {
		put(t, dir, fmt.Sprintf(".blue/notes/n%04d.md", i), fmt.Sprintf("# Title %d\n\nword%d shared among%d all\n", i, i, i%7))
	}
	b := u.Blue(t)
	p, err := b.Open(t.Context(), at(dir))
	must(t, err)
	total := notes
	ask := func(what string) {
		t.Helper()
		rows, err := p.List(t.Context(), blue.Filter{Paging: blue.Paging{Limit: 1}})
		must(t, err)
		hits, err := p.Search(t.Context(), blue.Query{Text: "shared", Paging: blue.Paging{Limit: 1}})
		must(t, err)
		where, err := b.Where(t.Context(), at(dir))
		must(t, err)
		if rows.Total != total || hits.Total != total || where.Notes != total {
			t.Fatalf("%s: %d listed, %d found, %d counted, want %d", what, rows.Total, hits.Total, where.Notes, total)
		}
	}
	for range 4 { // from the third call on the files are watched
		ask("before")
	}
	random, mapped := rand.New(rand.NewPCG(7, 8)), 0
	for i := range damages() {
		what := fmt.Sprintf("damage %d", i)
		if files, _ := filepath.Glob(filepath.Join(b.Directory("cache"), "*", "*.index")); len(files) > 0 {
			mapped++
			what += flip(t, random, files[len(files)-1], i%2 == 1)
		}
		var asking sync.WaitGroup
		for range i % 3 {
			asking.Go(func() {
				if p, err := b.Open(t.Context(), at(dir)); err == nil { // of this call, see [blue.Project]
					_, _ = p.Search(t.Context(), blue.Query{Text: "shared", Paging: blue.Paging{Limit: 1}})
				}
			})
		}
		_, err := p.Write(t.Context(), blue.Draft{Title: fmt.Sprintf("Written %d", i), Body: fmt.Sprintf("shared %d %s", i, what)})
		must(t, err)
		asking.Wait()
		total++
		for range 2 {
			ask(what)
		}
	}
	t.Logf("%d damages to a mapped index, all answers right", mapped)
	if mapped < damages()/2 {
		t.Errorf("only %d of %d met a file", mapped, damages())
	}
}

// flip flips bits of a file, and sets its time back when nothing shall tell.
func flip(t *testing.T, random *rand.Rand, path string, secretly bool) string {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	at := random.Int64N(info.Size())
	bytes := make([]byte, 1)
	for range 1 + random.IntN(4000) {
		_, err = f.ReadAt(bytes, at)
		must(t, err)
		bytes[0] ^= 1 << random.IntN(8)
		_, err = f.WriteAt(bytes, at)
		must(t, err)
		at = random.Int64N(info.Size())
	}
	if secretly {
		must(t, os.Chtimes(path, time.Time{}, info.ModTime()))
	}
	return fmt.Sprintf(", secretly %v", secretly)
}

// damages is how often the index of a running server is damaged.
func damages() int { return fixtures.Size(4, 12, 150) }
