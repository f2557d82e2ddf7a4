package blue_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"blue/blue"
	"blue/fixtures"
)

// hits are the ids that a search finds, in order of id.
func hits(t testing.TB, p *blue.Project, query string) []string {
	t.Helper()
	found, err := p.Search(t.Context(), blue.Query{Text: query})
	must(t, err)
	ids := []string{}
	for _, h := range found.Hits {
		ids = append(ids, h.ID)
	}
	slices.Sort(ids)
	return ids
}

// What another program does between two calls, the second call knows: in a
// process that has just started, and in a server, which watches.
func TestChangesAreSeen(t *testing.T) {
	inPlace := func(t *testing.T, name, text string) {
		info, err := os.Stat(name)
		must(t, err)
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		must(t, err)
		_, err = f.WriteString(text)
		must(t, err)
		must(t, f.Close())
		must(t, os.Chtimes(name, info.ModTime(), info.ModTime()))
	}
	steps := []struct {
		what string
		do   func(t *testing.T, notes string)
		want map[string][]string
	}{
		{"written", func(t *testing.T, notes string) { put(t, notes, "a.md", "alpha one") }, map[string][]string{"alpha": {"a"}}},
		{"edited in place, same size and time", func(t *testing.T, notes string) { inPlace(t, filepath.Join(notes, "a.md"), "gamma one") }, map[string][]string{"alpha": {}, "gamma": {"a"}}},
		{"edited at once again", func(t *testing.T, notes string) { inPlace(t, filepath.Join(notes, "a.md"), "delta one") }, map[string][]string{"gamma": {}, "delta": {"a"}}},
		{"written by rename", func(t *testing.T, notes string) {
			put(t, notes, "x.tmp", "omega one")
			must(t, os.Rename(filepath.Join(notes, "x.tmp"), filepath.Join(notes, "a.md")))
		}, map[string][]string{"delta": {}, "omega": {"a"}}},
		{"renamed", func(t *testing.T, notes string) {
			must(t, os.Rename(filepath.Join(notes, "a.md"), filepath.Join(notes, "b.md")))
		}, map[string][]string{"omega": {"b"}}},
		{"appended by a writer that holds it open", func(t *testing.T, notes string) {
			f, err := os.OpenFile(filepath.Join(notes, "b.md"), os.O_WRONLY|os.O_APPEND, 0)
			must(t, err)
			_, err = f.WriteString(" kappa")
			must(t, err)
			if runtime.GOOS == "windows" {
				must(t, f.Close()) // no file is removed there that is open
			}
			t.Cleanup(func() { f.Close() })
		}, map[string][]string{"omega": {"b"}, "kappa": {"b"}}},
		{"deleted", func(t *testing.T, notes string) { must(t, os.Remove(filepath.Join(notes, "b.md"))) }, map[string][]string{"omega": {}}},
		{"directory replaced", func(t *testing.T, notes string) {
			must(t, os.Rename(notes, notes+".old"))
			put(t, notes, "c.md", "sigma one")
		}, map[string][]string{"sigma": {"c"}}},
		{"written into that", func(t *testing.T, notes string) { put(t, notes, "d.md", "sigma two") }, map[string][]string{"sigma": {"c", "d"}}},
		{"private comes", func(t *testing.T, notes string) {
			put(t, filepath.Join(filepath.Dir(notes), "private"), "p.md", "sigma three")
		}, map[string][]string{"sigma": {"c", "d", "p"}}},
		{"changed in private", func(t *testing.T, notes string) {
			put(t, filepath.Join(filepath.Dir(notes), "private"), "p.md", "theta three")
		}, map[string][]string{"sigma": {"c", "d"}, "theta": {"p"}}},
		{"directory gone", func(t *testing.T, notes string) { must(t, os.RemoveAll(notes)) }, map[string][]string{"sigma": {}}},
	}
	for _, serving := range []bool{false, true} {
		t.Run(fmt.Sprintf("serving=%v", serving), func(t *testing.T) {
			u := newUser(t)
			dir := u.Project(t)
			p := u.Open(t, dir)
			for range 4 * len(steps) {
				hits(t, p, "warm")
			}
			for _, step := range steps {
				step.do(t, filepath.Join(dir, ".blue", "notes"))
				if !serving {
					p = u.Open(t, dir)
				}
				for query, want := range step.want {
					if got := hits(t, p, query); !slices.Equal(got, want) {
						t.Errorf("%s: %s finds %v, want %v", step.what, query, got, want)
					}
				}
			}
		})
	}
}

// A storm of changes overflows what the kernel keeps; nothing is missed.
func TestStormIsSeen(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	for range 5 {
		hits(t, p, "warm")
	}
	const many = 20_000 // events; the kernel keeps 16,384
	for i := range many / 4 {
		put(t, dir, fmt.Sprintf(".blue/notes/n%d.md", i%50), fmt.Sprintf("storm number%d", i))
	}
	for i := many/4 - 50; i < many/4; i++ {
		found, err := p.Search(t.Context(), blue.Query{Text: fmt.Sprintf("number%d", i)})
		must(t, err)
		if found.Total == 0 || found.Hits[0].ID != fmt.Sprintf("n%d", i%50) {
			t.Fatalf("after a storm number%d finds %v", i, found.Hits)
		}
	}
}

// Through the core: the index is thrown away, damaged, made unwritable.
func TestIndexIsOnlySpeed(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	for i := range 40 {
		put(t, dir, fmt.Sprintf(".blue/notes/n%02d.md", i), fmt.Sprintf("---\ntags: [t%d]\n---\nnumber%d of many", i%3, i))
	}
	p := u.Open(t, dir)
	answer := func(p *blue.Project) string {
		found, err := p.Search(t.Context(), blue.Query{Text: "many number7", Explain: true, Paging: blue.Paging{Limit: 50}})
		must(t, err)
		text, err := json.Marshal(found.Hits)
		must(t, err)
		return string(text)
	}
	r, err := p.Reindex(t.Context(), nil)
	must(t, err)
	if r.Notes != 40 || !strings.HasPrefix(r.Index, "on disk") {
		t.Fatalf("reindexed %+v", r)
	}
	want := answer(p)
	for _, damage := range []func(name string) error{
		func(name string) error { return os.Truncate(name, 100) },
		func(name string) error { return os.WriteFile(name, bytes.Repeat([]byte("x"), 20_000), 0o600) },
		os.Remove,
		func(name string) error { return os.RemoveAll(filepath.Dir(name)) },
	} {
		files, err := filepath.Glob(filepath.Join(u.Home, "cache", "blue", "*", "*.index"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no index: %v", err)
		}
		must(t, damage(files[0]))
		if got := answer(p); got != want {
			t.Errorf("in the same process %s, want %s", got, want)
		}
		p = u.Open(t, dir)
		if got := answer(p); got != want {
			t.Errorf("in the next process %s, want %s", got, want)
		}
		_, err = p.Reindex(t.Context(), nil)
		must(t, err)
	}
	must(t, os.RemoveAll(filepath.Join(u.Home, "cache")))
	must(t, os.WriteFile(filepath.Join(u.Home, "cache"), nil, 0o600))
	p = u.Open(t, dir)
	if got := answer(p); got != want {
		t.Errorf("without a directory %s, want %s", got, want)
	}
	w, err := u.Blue(t).Where(t.Context(), at(dir))
	must(t, err)
	if !strings.HasPrefix(w.Index, "in memory") {
		t.Errorf("where says %q", w.Index)
	}
}

// From cursor to cursor up to the 1,000th hit.
func TestCursorGoesOn(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	for i := range pagedNotes() {
		put(t, dir, fmt.Sprintf(".blue/notes/n%06d.md", i), fmt.Sprintf("# Note %d\n\nword %s", i, strings.Repeat("filler ", i%7)))
	}
	p := u.Open(t, dir)
	seen := map[string]bool{}
	q := blue.Query{Text: "word", Paging: blue.Paging{Limit: 10}}
	for len(seen) < 1000 {
		found, err := p.Search(t.Context(), q)
		must(t, err)
		if len(found.Hits) != 10 || found.Total != pagedNotes() {
			t.Fatalf("%d hits after %d, %d in all", len(found.Hits), len(seen), found.Total)
		}
		for _, h := range found.Hits {
			if seen[h.ID] {
				t.Fatalf("%s comes twice", h.ID)
			}
			seen[h.ID] = true
		}
		q.Cursor = found.Cursor
	}
	all, err := p.Search(t.Context(), blue.Query{Text: "word", Paging: blue.Paging{Limit: 1000, MaxTokens: 10_000_000}})
	must(t, err)
	for _, h := range all.Hits {
		if !seen[h.ID] {
			t.Errorf("%s was left out", h.ID)
		}
	}
}

// TestCrowd lets eight processes write and search one project. Whatever one of them
// has acknowledged, every later search of every process finds.
func TestCrowd(t *testing.T) {
	fixtures.Slow(t)
	u := newUser(t)
	dir := u.Project(t)
	for i := range crowdNotes() {
		put(t, dir, fmt.Sprintf(".blue/notes/old%05d.md", i), fmt.Sprintf("old number%d, %s", i, strings.Repeat(fmt.Sprintf("filler%d ", i%97), 40)))
	}
	log := filepath.Join(t.TempDir(), "acknowledged")
	put(t, filepath.Dir(log), "acknowledged", "")
	var group sync.WaitGroup
	reports := make([]crowdReport, 8)
	for i := range reports {
		group.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run", "^TestCrowdMember$")
			cmd.Env = append(os.Environ(), "CROWD="+strings.Join([]string{u.Home, dir, log, fmt.Sprint(i), crowdFor().String()}, "|"))
			out, err := cmd.Output()
			text, _, _ := bytes.Cut(out, []byte("\n"))
			if err != nil || json.Unmarshal(text, &reports[i]) != nil {
				t.Errorf("process %d: %v: %s", i, err, out)
			}
		})
	}
	group.Wait()
	var took []time.Duration
	written := 0
	for i, r := range reports {
		took, written = append(took, r.Searches...), written+r.Written
		for _, f := range r.Failures {
			t.Errorf("process %d: %s", i, f)
		}
	}
	slices.Sort(took)
	if len(took) == 0 || written == 0 {
		t.Fatal("nothing was done")
	}
	t.Logf("%d notes written, %d searches, p50 %v, p99 %v", written, len(took), took[len(took)/2], took[len(took)*99/100])
}

type crowdReport struct {
	Written  int
	Searches []time.Duration
	Failures []string
}

// TestCrowdMember is one process of TestCrowd.
func TestCrowdMember(t *testing.T) {
	args := strings.Split(os.Getenv("CROWD"), "|")
	if len(args) != 5 {
		t.Skip("started by TestCrowd")
	}
	u := &user{Home: args[0]}
	p := u.Open(t, args[1])
	log, err := os.OpenFile(args[2], os.O_RDWR|os.O_APPEND, 0)
	must(t, err)
	defer log.Close()
	d, err := time.ParseDuration(args[4])
	must(t, err)
	var r crowdReport
	fail := func(format string, args ...any) { r.Failures = append(r.Failures, fmt.Sprintf(format, args...)) }
	for end := time.Now().Add(d); time.Now().Before(end) && len(r.Failures) < 5; {
		word := fmt.Sprintf("new%sx%dx", args[3], r.Written)
		w, err := p.Write(t.Context(), blue.Draft{Title: "Note " + word, Body: "About " + word})
		if err != nil || !w.Created {
			fail("writing %s: %v", word, err)
			continue
		}
		r.Written++
		_, err = fmt.Fprintf(log, "%-24s\n", word)
		must(t, err)
		for range 4 {
			if word = anyLine(log); word == "" {
				continue
			}
			began := time.Now()
			found, err := p.Search(t.Context(), blue.Query{Text: word})
			r.Searches = append(r.Searches, time.Since(began))
			if err != nil || found.Total == 0 || found.Hits[0].Title != "Note "+word {
				fail("%s is missed: %v, %d hits", word, err, found.Total)
			}
		}
	}
	must(t, json.NewEncoder(os.Stdout).Encode(r))
}

// anyLine is one that was there at the call.
func anyLine(f *os.File) string {
	const line = 25
	info, err := f.Stat()
	if err != nil || info.Size() < line {
		return ""
	}
	text := make([]byte, line)
	if _, err := f.ReadAt(text, rand.Int64N(info.Size()/line)*line); err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// The start of an id means the note that the whole id means.
func TestStartOfANameInBothDirectories(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, ".blue/notes/plan-of-work.md", "for all")
	put(t, dir, ".blue/private/plan-of-work.md", "for me")
	p := u.Open(t, dir)
	for _, ref := range []string{"plan-of-work", "plan-of"} {
		if got := read(t, p, ref).Body; !strings.Contains(got, "for all") {
			t.Errorf("%s is %q", ref, got)
		}
	}
}

// crowdFor is how long TestCrowd runs.
func crowdFor() time.Duration {
	return fixtures.Size(300*time.Millisecond, 1500*time.Millisecond, 10*time.Second)
}

// crowdNotes is the number of notes that are there when TestCrowd begins.
func crowdNotes() int { return fixtures.Size(100, 500, 500) }

// pagedNotes is the number of notes of TestCursorGoesOn.
func pagedNotes() int { return fixtures.Size(1200, 1200, 20_000) }
