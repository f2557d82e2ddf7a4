package store_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"blue/blue/internal/store"
	"blue/errors"
)

// hot is the body of a note that can be told from a torn one.
func hot(name string, count int) []byte {
	text := fmt.Sprintf("%s %d\n%s\n", name, count, strings.Repeat("x", count*37%3000))
	return []byte(text + store.Revision([]byte(text)) + "\n")
}

// count reads what hot wrote, or fails.
func count(t *testing.T, name string, data []byte) int {
	t.Helper()
	var got string
	var n int
	fmt.Sscanf(string(data), "%s %d\n", &got, &n)
	if got != name || !bytes.Equal(data, hot(name, n)) {
		t.Fatalf("%s is torn: %.80q", name, data)
	}
	return n
}

// writeHotNotes writes 20 notes for ever and acknowledges each write.
func writeHotNotes(s *store.Store) error {
	for i := int(time.Now().UnixMicro()); ; i++ {
		name := fmt.Sprintf("%s/hot-%d.md", []string{"notes", "private"}[i%2], i%20)
		if err := writeHot(s, name, i); err != nil {
			return err
		}
		fmt.Println(name, i)
	}
}

func writeHot(s *store.Store, name string, i int) error {
	h, err := s.Lock(context.Background())
	if err != nil {
		return err
	}
	defer h.Unlock()
	_, err = h.Create(name, hot(name, i))
	if errors.Is(err, errors.Exists) {
		_, err = h.Replace(name, "", hot(name, i))
	}
	if err != nil || i%7 != 0 {
		return err
	}
	if _, _, err = h.Remove(name, ""); err == nil {
		_, err = h.Untrash(name)
	}
	return err
}

// Promises 1 and 6: nothing that was acknowledged is lost or torn when the writer
// is killed, and what it replaced is in the history.
func TestKilledWriterLosesNothing(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	acknowledged := map[string]int{}
	writes := 0
	for range crashes() {
		writes += killWriter(t, root, acknowledged)
		h := lock(t, s)
		for name, last := range acknowledged {
			data, _, err := s.Read(name)
			if errors.Is(err, errors.NotFound) { // killed while it was in the trash
				_, err = h.Untrash(name)
				must(t, err)
				data, _, err = s.Read(name)
			}
			must(t, err)
			now := count(t, name, data)
			if now < last {
				t.Fatalf("%s is at %d, %d was acknowledged", name, now, last)
			}
			if now > last {
				former, err := s.ReadPast(name, store.Revision(hot(name, last)))
				if err != nil || count(t, name, former) != last {
					t.Fatalf("the former text of %s: %v", name, err)
				}
			}
		}
		must(t, h.Unlock())
	}
	if writes < crashes()/4 {
		t.Fatalf("only %d writes in %d runs: nothing was tested", writes, crashes())
	}
	t.Logf("%d crashes, %d writes acknowledged, 0 lost, 0 torn", crashes(), writes)
}

// killWriter lets a writer run for a moment and takes down what it acknowledged.
func killWriter(t *testing.T, root string, acknowledged map[string]int) (writes int) {
	t.Helper()
	writer := command(t, root, "hot")
	out, err := writer.StdoutPipe()
	must(t, err)
	must(t, writer.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		name, number, _ := strings.Cut(lines.Text(), " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatalf("the writer says %q", lines.Text())
		}
		acknowledged[name] = n
		if writes++; writes == 1 {
			time.AfterFunc(rand.N(60*time.Millisecond), func() { writer.Process.Kill() })
		}
	}
	writer.Wait()
	return writes
}
