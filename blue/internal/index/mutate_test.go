package index_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
	"time"

	"blue/blue/internal/index"
	"blue/fixtures"
)

// TestMutations is promise 11: every answer from a damaged index is that of a fresh
// one. Half of the damage is done while the file is mapped.
func TestMutations(t *testing.T) {
	c := newCorpus(35)
	queries := append(c.queries(3), `"`+c.query(2)+`" -`+c.query(1), c.words[70]+"x")
	k := keep(t, c.notes(60))
	x := k.begin(t)
	want := answers(t, x, queries)
	x.Close()
	file := k.files(t)[0]
	whole, err := os.ReadFile(file)
	must(t, err)
	random := rand.New(rand.NewPCG(5, 6))
	count := mutations()
	if fixtures.Race {
		count = min(count, 10) // each builds an index
	}
	for i := range count {
		k.restore(t, file, whole)
		x := (*index.Index)(nil)
		if i%2 == 0 {
			x = k.begin(t)
		}
		what := mutate(t, random, file, len(whole))
		if i%4 >= 2 { // the time says nothing, of a mapped file neither: the checksum has to
			long := time.Unix(1_000_000_000, 0)
			must(t, os.Chtimes(file, long, long))
		}
		if x == nil {
			x = k.begin(t)
		}
		if got := answers(t, x, queries); !reflect.DeepEqual(got, want) {
			t.Fatalf("mutation %d, %s: other answers", i, what)
		}
		x.Close()
	}
}

// What is damaged while it is mapped is not written anew under a checksum of its own.
func TestDamageIsNotSealed(t *testing.T) {
	c := newCorpus(36)
	queries := c.queries(3)
	docs := c.notes(60)
	k := keep(t, docs[:40])
	k.begin(t).Close()
	file := k.files(t)[0]
	whole, err := os.ReadFile(file)
	must(t, err)
	for _, d := range docs[40:] {
		k.docs[d.Name] = d
	}
	memory := index.Open("")
	k.sync(t, memory)
	want := answers(t, memory, queries)
	random := rand.New(rand.NewPCG(9, 10))
	for i := range min(mutations(), 200) {
		k.restore(t, file, whole)
		x := k.begin(t) // 20 documents are new, and will be written with the others
		what := mutate(t, random, file, len(whole))
		x.Close()
		x = k.begin(t)
		if got := answers(t, x, queries); !reflect.DeepEqual(got, want) {
			t.Fatalf("mutation %d, %s: other answers", i, what)
		}
		x.Close()
	}
}

func mutate(t testing.TB, random *rand.Rand, file string, size int) string {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	at, n := random.IntN(size), 1+random.IntN(64)
	what := ""
	switch random.IntN(4) {
	case 0:
		what, err = fmt.Sprintf("truncated to %d", at), f.Truncate(int64(at))
	case 1:
		_, err = f.WriteAt(make([]byte, n), int64(at))
		what = fmt.Sprintf("%d zeros at %d", n, at)
		if bytes, _ := os.ReadFile(file); len(bytes) == size {
			_, err = f.WriteAt([]byte{bytes[at] ^ 0xff}, int64(at)) // zeros may have been there
		}
	default:
		var b [1]byte
		if _, err = f.ReadAt(b[:], int64(at)); err == nil {
			b[0] ^= 1 << random.IntN(8)
			_, err = f.WriteAt(b[:], int64(at))
		}
		what = fmt.Sprintf("a bit flipped at %d", at)
	}
	must(t, err)
	return what
}

// mutations is how often TestMutations damages an index.
func mutations() int { return fixtures.Size(10, 30, 1000) }
