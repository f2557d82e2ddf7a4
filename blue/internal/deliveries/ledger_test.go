package deliveries_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"blue/blue/internal/deliveries"
	"blue/fixtures"
)

var adder = flag.String("adder", "", "STATE,NAME,TIMES,MOST: add to the ledger there as another process would")

var noon = time.Unix(1_800_000_000, 0)

func add(t testing.TB, l deliveries.Ledger, events ...deliveries.Delivery) {
	t.Helper()
	for _, e := range events {
		if err := l.Add(e); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t testing.TB, l deliveries.Ledger) deliveries.Record {
	t.Helper()
	r, err := l.Read("")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// An event is read as it was added, the user alone can read the file, and a line that is
// damaged or was cut off spoils no other.
func TestLedger(t *testing.T) {
	state := t.TempDir()
	l := deliveries.Open(state, "p")
	if r := read(t, l); !r.Begun.IsZero() || len(r.Events) > 0 {
		t.Errorf("an empty ledger has %+v", r)
	}
	add(t, l,
		deliveries.Delivery{Time: noon, What: deliveries.Prompt, Client: "claude-code", Session: "s", Bytes: 12, Notes: []string{"a note", "b", "torn\tid"}},
		deliveries.Delivery{Time: noon.Add(time.Second), What: deliveries.Read, Client: "codex-mcp-client\n"})
	if r := read(t, l); fmt.Sprintf("%q %v", r.Events[0].Notes, r.Events[0].Bytes) != `["a note" "b"] 12` || r.Events[1].Client != "codex" || !r.Begun.Equal(noon) {
		t.Errorf("%+v", r)
	}
	if info, err := os.Stat(l.Path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	f, err := os.OpenFile(l.Path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString("\x00garbage\n\n1800000002\tread\tcodex\t\t0\tcut-o")
	_ = f.Close()
	add(t, l, deliveries.Delivery{Time: noon, What: deliveries.Read, Notes: []string{"last"}})
	if r := read(t, l); len(r.Events) != 3 || r.Events[2].Notes[0] != "last" {
		t.Errorf("beside damaged lines: %+v", r.Events)
	}
}

// A ledger that others could write, or that is no file, is neither read nor added to.
func TestNotBelieved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the directory of the file decides there")
	}
	l := deliveries.Open(t.TempDir(), "p")
	e := deliveries.Delivery{Time: noon, What: deliveries.Read, Notes: []string{"a"}}
	add(t, l, e)
	if err := os.Chmod(l.Path, 0o666); err != nil {
		t.Fatal(err)
	}
	if r, err := l.Read(""); err == nil || len(r.Events) > 0 || l.Add(e) == nil {
		t.Errorf("open to others: %v, %v", r, err)
	}
	_ = os.Remove(l.Path)
	if err := os.Mkdir(l.Path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Read(""); err == nil || l.Add(e) == nil {
		t.Error("a directory is used")
	}
}

// Only events of the kind that is asked for count, whatever the ids of notes are.
func TestReadOneKind(t *testing.T) {
	l := deliveries.Open(t.TempDir(), "p")
	add(t, l, deliveries.Delivery{Time: noon, What: deliveries.Prompt, Client: "codex", Session: "s", Notes: []string{"read", "other"}})
	add(t, l, deliveries.Delivery{Time: noon, What: deliveries.Read, Client: "cli", Notes: []string{"one"}})
	r, err := l.Read(deliveries.Read)
	if err != nil || len(r.Events) != 1 || r.Events[0].Notes[0] != "one" {
		t.Errorf("%+v, %v", r.Events, err)
	}
}

// The file never grows beyond its bound. The newest half stays whole; of older events
// remains when each note was last named by one of a kind, and when recording began.
func TestBounded(t *testing.T) {
	l := deliveries.Open(t.TempDir(), "p")
	l.Most = 16 << 10
	add(t, l, deliveries.Delivery{Time: noon.Add(-time.Hour), What: deliveries.Read, Client: "cli", Notes: []string{"once"}})
	const times = 2000
	for i := range times {
		add(t, l, deliveries.Delivery{Time: noon.Add(time.Duration(i) * time.Second), What: deliveries.Prompt, Client: "codex", Session: "s", Bytes: 9, Notes: []string{fmt.Sprint("n", i%10)}})
		if info, err := os.Stat(l.Path); err != nil || info.Size() > l.Most {
			t.Fatalf("after %d: %v, %v", i, info.Size(), err)
		}
	}
	r := read(t, l)
	if !r.Begun.Equal(noon.Add(-time.Hour)) || r.Events[0].Notes[0] != "once" || r.Events[0].What != deliveries.Read {
		t.Errorf("begun %v, the oldest event is %+v", r.Begun, r.Events[0])
	}
	after := slices.IndexFunc(r.Events, func(e deliveries.Delivery) bool { return !e.Time.Before(r.Whole) })
	for i, e := range r.Events[after:] {
		if at := times - len(r.Events[after:]) + i; e.Notes[0] != fmt.Sprint("n", at%10) || e.Session != "s" {
			t.Fatalf("event %d is %+v", at, e)
		}
	}
	if whole := len(r.Events) - after; whole < 150 {
		t.Errorf("only %d events are whole", whole)
	}
	l.Most = 8 << 10 // what is thinned has no room either: the oldest goes
	for i := range 500 {
		add(t, l, deliveries.Delivery{Time: noon.Add(time.Hour), What: deliveries.Search, Notes: []string{fmt.Sprint("other-", i)}})
	}
	if r := read(t, l); !r.Begun.Equal(r.Events[0].Time) {
		t.Errorf("recording is said to have begun at %v, and the oldest event is of %v", r.Begun, r.Events[0].Time)
	}
}

// other starts another process that adds events, until it is killed or has added so many.
func other(t testing.TB, state, name string, times int, most int64) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Skip("SKIPPED: the test binary is not known")
	}
	return exec.Command(program, "-test.run=^TestAdder$", fmt.Sprintf("-adder=%s,%s,%d,%d", state, name, times, most))
}

// Of what several processes add at once nothing is lost or torn, also while the file is
// made smaller.
func TestProcessesAddAtOnce(t *testing.T) {
	const times = 300
	for _, most := range []int64{0, 16 << 10} {
		state := t.TempDir()
		var all sync.WaitGroup
		for n := range 3 {
			all.Go(func() {
				if out, err := other(t, state, fmt.Sprint("p", n), times, most).CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
		all.Wait()
		l := deliveries.Open(state, "p")
		last, count := map[string]time.Time{}, 0
		for _, e := range read(t, l).Events {
			for _, id := range e.Notes {
				last[id] = e.Time
				count++
			}
		}
		if most == 0 && count != 3*times {
			t.Errorf("%d of %d events are there", count, 3*times)
		}
		for n := range 3 {
			for i := times - 10; i < times; i++ {
				if id := fmt.Sprintf("p%d-%d", n, i%10); !last[id].Equal(noon.Add(time.Duration(i) * time.Second)) {
					t.Errorf("at most %d bytes: %s is of %v", most, id, last[id])
				}
			}
		}
		checkLines(t, l)
	}
}

// checkLines: each line is whole but the last.
func checkLines(t testing.TB, l deliveries.Ledger) {
	t.Helper()
	data, err := os.ReadFile(l.Path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	for _, line := range lines[:len(lines)-1] {
		if line != "" && (!strings.HasSuffix(line, "\t") || strings.Count(line, "\t") < 5) {
			t.Errorf("a torn line: %q", line)
		}
	}
}

// Whenever a process is killed, what it has added is there, and others add to it.
func TestKilled(t *testing.T) {
	state := t.TempDir()
	l := deliveries.Open(state, "p")
	for round := range fixtures.Size(5, 50, 200) {
		c := other(t, state, fmt.Sprint("r", round), 1<<30, 4<<10)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(20+round%7*3)*time.Millisecond, func() { _ = c.Process.Kill() })
		added := -1
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if n, err := strconv.Atoi(lines.Text()); err == nil {
				added = n
			}
		}
		_ = c.Wait()
		add(t, l, deliveries.Delivery{Time: noon, What: deliveries.Read, Notes: []string{"after"}})
		newest := time.Time{}
		events := read(t, l).Events
		for _, e := range events {
			if len(e.Notes) == 1 && e.Notes[0] == fmt.Sprintf("r%d-%d", round, added%10) {
				newest = e.Time
			}
		}
		if added >= 0 && newest.Before(noon.Add(time.Duration(added)*time.Second)) {
			t.Errorf("round %d: event %d is lost, the newest is of %v", round, added, newest)
		}
		if events[len(events)-1].Notes[0] != "after" {
			t.Errorf("round %d: what was added afterwards is lost", round)
		}
		checkLines(t, l)
	}
}

// TestAdder is the other process of these tests; it says which events it has added.
func TestAdder(t *testing.T) {
	words := strings.Split(*adder, ",")
	if len(words) != 4 {
		t.Skip("started by other tests")
	}
	times, _ := strconv.Atoi(words[2])
	l := deliveries.Open(filepath.Clean(words[0]), "p")
	l.Most, _ = strconv.ParseInt(words[3], 10, 64)
	for i := range times {
		add(t, l, deliveries.Delivery{Time: noon.Add(time.Duration(i) * time.Second), What: deliveries.Search, Client: "codex", Session: words[1], Notes: []string{fmt.Sprintf("%s-%d", words[1], i%10)}})
		fmt.Println(i)
	}
}

func BenchmarkRead(b *testing.B) {
	l := deliveries.Open(b.TempDir(), "p")
	for i := range 9000 {
		add(b, l, deliveries.Delivery{Time: noon, What: deliveries.Prompt, Client: "claude-code", Session: "0123456789abcdef0123456789abcdef", Bytes: 900, Notes: []string{fmt.Sprint("webhook-retries-afrn-", i%100), "deploy-abcd"}})
	}
	for b.Loop() {
		r := read(b, l)
		r.Count(time.Time{})
	}
}
