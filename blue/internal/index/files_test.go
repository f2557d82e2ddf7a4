package index_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"blue/blue/internal/index"
	"blue/fixtures"
)

// kept is an index directory, and the documents that it is made of as a caller
// keeps them.
type kept struct {
	dir  string
	docs map[string]index.Document
}

func keep(t testing.TB, docs []index.Document) *kept {
	t.Helper()
	k := &kept{dir: filepath.Join(t.TempDir(), "cache"), docs: map[string]index.Document{}}
	for _, d := range docs {
		k.docs[d.Name] = d
	}
	return k
}

// open opens the index and brings it in line, as the core does.
func (k *kept) open(t testing.TB) *index.Index {
	t.Helper()
	x := k.begin(t)
	t.Cleanup(func() { x.Close() })
	return x
}

// begin is open for who closes the index, and opens more than memory holds.
func (k *kept) begin(t testing.TB) *index.Index {
	t.Helper()
	x := index.Open(k.dir)
	x.Mend(func() { k.sync(t, x) })
	k.sync(t, x)
	return x
}

// sync returns how many documents had to be read.
func (k *kept) sync(t testing.TB, x *index.Index) (read int) {
	t.Helper()
	for range 5 {
		u := x.Update(true)
		read = 0
		for name, d := range k.docs {
			if !u.Same(name, d.Stamp) {
				read++
				u.Load(name, int64(len(d.Body)), func() (index.Document, bool, error) { return d, true, nil })
			}
		}
		if err := u.Commit(); err == nil {
			return read
		}
	}
	t.Error("the index does not come in line")
	return read
}

func (k *kept) files(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(k.dir, "*.index"))
	must(t, err)
	return files
}

// answers are what a few questions find.
func answers(t testing.TB, x *index.Index, queries []string) (all []index.Result) {
	t.Helper()
	for _, q := range queries {
		all = append(all, mustSearch(t, x, index.Query{Text: q, Explain: true, Limit: 20, Prefix: true}))
	}
	rows, _ := x.List(index.Filter{}, true, 0, 30)
	for _, row := range rows {
		all = append(all, index.Result{Hits: []index.Hit{{Row: row}}})
	}
	return all
}

func (c *corpus) queries(n int) (all []string) {
	for range n {
		all = append(all, c.query(3))
	}
	return all
}

// The same answers in a second process, from the file of the first.
func TestKept(t *testing.T) {
	c := newCorpus(31)
	k, queries := keep(t, c.notes(fewer(1500))), c.queries(20)
	first := k.open(t)
	want := answers(t, first, queries)
	must(t, first.Close())
	if len(k.files(t)) == 0 {
		t.Fatal("nothing was written")
	}
	second := index.Open(k.dir)
	if read := k.sync(t, second); read > 0 {
		t.Errorf("%d of %d documents were read again", read, len(k.docs))
	}
	if got := answers(t, second, queries); !reflect.DeepEqual(got, want) {
		t.Error("other answers from the file")
	}
	for _, name := range append(k.files(t), k.dir) {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
			t.Errorf("others may read %s: %v, %v", name, info.Mode(), err)
		}
	}
}

// TestBaseAndDelta changes an index until deltas have been laid above the base and
// merged with it, and asks after every step what one built at once says.
func TestBaseAndDelta(t *testing.T) {
	t.Parallel()
	c := newCorpus(32)
	k, queries := keep(t, c.notes(fewer(400))), c.queries(6)
	more := newCorpus(33).notes(fewer(700))
	for step := range 5 {
		x := k.open(t)
		for _, d := range more[step*fewer(100) : step*fewer(100)+fewer(40+step%2*140)] {
			k.docs[d.Name] = d
			mustPut(t, x, d)
		}
		dropped := 0
		for name := range k.docs {
			if dropped++; dropped > fewer(40) {
				break
			}
			delete(k.docs, name)
			must(t, x.Drop(name))
		}
		got := answers(t, x, queries)
		must(t, x.Close())
		var docs []index.Document
		for _, d := range k.docs {
			docs = append(docs, d)
		}
		if want := answers(t, mustOpen(t, docs...), queries); !reflect.DeepEqual(got, want) {
			t.Fatalf("step %d: other answers than those of an index built at once", step)
		}
	}
	if n := len(k.files(t)); n < 1 || n > 2 {
		t.Errorf("%d files are left: %v", n, k.files(t))
	}
}

// Whatever becomes of the files, the answers stay.
func TestDamage(t *testing.T) {
	t.Parallel()
	c := newCorpus(34)
	queries := c.queries(8)
	k := keep(t, c.notes(fewer(200)))
	x := k.open(t)
	want := answers(t, x, queries)
	x.Close()
	file := k.files(t)[0]
	whole, err := os.ReadFile(file)
	must(t, err)
	damages := map[string]func() error{
		"truncated":      func() error { return os.Truncate(file, int64(len(whole)/2)) },
		"empty":          func() error { return os.Truncate(file, 0) },
		"a bit flipped":  func() error { return flip(file, len(whole)/3) },
		"longer":         func() error { return os.WriteFile(file, append(whole[:len(whole):len(whole)], 0), 0o600) },
		"other version":  func() error { return flip(file, 8) },
		"another file":   func() error { return os.WriteFile(file, []byte(strings.Repeat("x", 5000)), 0o600) },
		"deleted":        func() error { return os.Remove(file) },
		"no directory":   func() error { return os.RemoveAll(k.dir) },
		"a directory":    func() error { os.Remove(file); return os.MkdirAll(filepath.Join(file, "x"), 0o700) },
		"zeros":          func() error { return os.WriteFile(file, make([]byte, len(whole)), 0o600) },
		"footer flipped": func() error { return flip(file, len(whole)-40) },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			k.restore(t, file, whole)
			mapped := k.open(t)
			must(t, damage())
			if got := answers(t, mapped, queries); !reflect.DeepEqual(got, want) {
				t.Error("other answers, damaged while mapped")
			}
			k.restore(t, file, whole)
			must(t, damage())
			if got := answers(t, k.open(t), queries); !reflect.DeepEqual(got, want) {
				t.Error("other answers, damaged before")
			}
		})
	}
	t.Run("unwritable", func(t *testing.T) {
		blocked := &kept{dir: filepath.Join(file, "below-a-file"), docs: k.docs}
		k.restore(t, file, whole)
		x := blocked.open(t)
		if got := answers(t, x, queries); !reflect.DeepEqual(got, want) {
			t.Error("other answers without a directory")
		}
		x.Close() // which tries to write
		if !strings.HasPrefix(x.State(), "in memory: ") {
			t.Errorf("the state does not say why: %s", x.State())
		}
	})
}

// restore puts the file back as it was written.
func (k *kept) restore(t testing.TB, file string, whole []byte) {
	t.Helper()
	os.RemoveAll(k.dir)
	must(t, os.MkdirAll(k.dir, 0o700))
	must(t, os.WriteFile(file, whole, 0o600))
}

func flip(name string, at int) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	var b [1]byte
	if _, err := f.ReadAt(b[:], int64(at)); err != nil {
		return err
	}
	b[0] ^= 1 << (at % 8)
	_, err = f.WriteAt(b[:], int64(at))
	return err
}

func TestPagesOfMany(t *testing.T) {
	fixtures.Slow(t)
	n := 100_000
	if fixtures.Race {
		n = 5000
	}
	docs := make([]index.Document, n)
	for i := range docs {
		docs[i] = note(fmt.Sprintf("n%06d", i), "word "+strings.Repeat("filler ", i%7))
	}
	x := mustOpen(t, docs...)
	seen := map[string]bool{}
	for offset := 0; offset < 1000; offset += 10 {
		r := mustSearch(t, x, index.Query{Text: "word", Offset: offset, Limit: 10})
		if len(r.Hits) != 10 || r.Total != n {
			t.Fatalf("%d hits at %d, %d in all", len(r.Hits), offset, r.Total)
		}
		for _, h := range r.Hits {
			if seen[h.ID] {
				t.Errorf("%s comes twice", h.ID)
			}
			seen[h.ID] = true
		}
	}
	all := mustSearch(t, x, index.Query{Text: "word", Limit: 1000})
	for _, h := range all.Hits {
		if !seen[h.ID] {
			t.Errorf("%s was left out", h.ID)
		}
	}
}

// A process that is about to write, and finds that another has written, begins with those
// files; a delta whose base has been replaced counts for nothing.
func TestTwoProcesses(t *testing.T) {
	fixtures.Slow(t)
	c := newCorpus(37)
	k, queries := keep(t, c.notes(200)), c.queries(6)
	k.begin(t).Close() // the base
	first, second := k.open(t), k.begin(t)
	put := func(x *index.Index, docs []index.Document) {
		for _, d := range docs {
			k.docs[d.Name] = d
			mustPut(t, x, d)
		}
	}
	more := newCorpus(38).notes(700)
	put(first, more[:30])
	k.sync(t, second) // sees what the first one has brought
	first.Close()     // writes a delta
	delta, err := os.ReadFile(filepath.Join(k.dir, "delta.index"))
	must(t, err)
	put(second, more[30:60])
	second.Close() // finds it, and does not write
	if now, err := os.ReadFile(filepath.Join(k.dir, "delta.index")); err != nil || !reflect.DeepEqual(now, delta) {
		t.Errorf("the delta of another process was replaced: %v", err)
	}
	if _, all := second.Changes(true, t.TempDir()); !all {
		t.Error("nothing tells to begin with the files of the other process")
	}
	if read := k.sync(t, second); read != 30 {
		t.Errorf("%d documents were read again, want the 30 that the delta of the other process lacks", read)
	}
	put(second, more[60:])
	second.Close() // a new base
	must(t, os.WriteFile(filepath.Join(k.dir, "delta.index"), delta, 0o600))
	var docs []index.Document
	for _, d := range k.docs {
		docs = append(docs, d)
	}
	if got, want := answers(t, k.open(t), queries), answers(t, mustOpen(t, docs...), queries); !reflect.DeepEqual(got, want) {
		t.Error("other answers beside the delta of a former base")
	}
}
