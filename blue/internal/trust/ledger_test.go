package trust_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"blue/blue/internal/trust"
	"blue/errors"
)

var appender = flag.String("appender", "", "STATE,NAME: append to the ledger there as another process would")

func TestLedger(t *testing.T) {
	state := filepath.Join(t.TempDir(), "blue")
	l := trust.OpenLedger(state, "project")
	if l.Has("a", "1111") || l.Has("a", "") {
		t.Error("an empty ledger has something")
	}
	for _, e := range [][2]string{{"a", "1111"}, {"private/Nöte with spaces", "2222"}, {"a", "3333"}, {"c", "4444"}, {"c", trust.None}} {
		if err := l.Record(e[0], e[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range []*trust.Authorship{l, trust.OpenLedger(state, "project")} {
		for _, row := range []struct {
			id, revision string
			want         bool
		}{
			{"a", "3333", true}, {"a", "1111", false}, {"b", "3333", false}, {"c", "4444", false},
			{"private/Nöte with spaces", "2222", true}, {"private/Nöte", "2222", false}, {"b", "", false},
		} {
			if l.Has(row.id, row.revision) != row.want || l.All()(row.id, row.revision) != row.want {
				t.Errorf("%s at %s: want %v", row.id, row.revision, row.want)
			}
		}
	}
	if trust.OpenLedger(state, "other").Has("a", "3333") {
		t.Error("two projects share a ledger")
	}
	if !trust.Everything().Has("any", "revision") || trust.Everything().Record("a", "1") != nil {
		t.Error("the ledger of a server's notes does not have all")
	}
}

func TestLedgerIsPrivateAndInItsDirectory(t *testing.T) {
	state := t.TempDir()
	for _, key := range []string{"one", "two"} {
		if err := trust.OpenLedger(state, key).Record("a", "1"); err != nil {
			t.Errorf("key %.20q: %v", key, err)
		}
	}
	if entries, _ := os.ReadDir(state); len(entries) != 1 || entries[0].Name() != "ledger" {
		t.Errorf("written outside the directory: %v", entries)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, path := range ledgers(t, state) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
}

func TestCutOffLineSpoilsNoOther(t *testing.T) {
	state := t.TempDir()
	l := trust.OpenLedger(state, "p")
	record(t, l, "a", "b")
	path := ledgers(t, state)[0]
	data, _ := os.ReadFile(path)
	if err := os.WriteFile(path, []byte(string(data)+"\x00garbage\n\n1 c"), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := trust.OpenLedger(state, "p")
	if !fresh.Has("a", "1") || !fresh.Has("b", "1") || fresh.Has("c", "1") {
		t.Error("damaged lines spoil others, or one that is cut off counts")
	}
	record(t, fresh, "d")
	if !fresh.Has("d", "1") || !trust.OpenLedger(state, "p").Has("d", "1") {
		t.Error("a line that was cut off spoils the next")
	}
}

func TestCompaction(t *testing.T) {
	state := t.TempDir()
	l, other := trust.OpenLedger(state, "p"), trust.OpenLedger(state, "p")
	const times = 3000
	for i := range times {
		if err := l.Record(fmt.Sprint("n", i%10), fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
		if i%100 == 0 {
			other.Has("n0", "")
		}
	}
	for i := times - 10; i < times; i++ {
		if id := fmt.Sprint("n", i%10); !other.Has(id, fmt.Sprint(i)) {
			t.Errorf("%s is lost", id)
		}
	}
	data, _ := os.ReadFile(ledgers(t, state)[0])
	if n := strings.Count(string(data), "\n"); n > 1100 {
		t.Errorf("%d lines for 10 notes", n)
	}
}

func TestProcessesAppendAtOnce(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Skip("SKIPPED: the test binary is not known")
	}
	state := t.TempDir()
	watcher := trust.OpenLedger(state, "p")
	var all sync.WaitGroup
	for n := range 3 {
		all.Go(func() {
			command := exec.Command(program, "-test.run=^TestAppender$", fmt.Sprintf("-appender=%s,%d", state, n))
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	for n := range 3 {
		for i := range 10 {
			if id := fmt.Sprint(n, "-", i); !watcher.Has(id, "499") {
				t.Errorf("the last revision of %s is lost", id)
			}
		}
	}
}

// TestAppender is the other process of TestProcessesAppendAtOnce: it rewrites its
// ten notes often enough to compact the ledger several times.
func TestAppender(t *testing.T) {
	state, name, ok := strings.Cut(*appender, ",")
	if !ok {
		t.Skip("started by TestProcessesAppendAtOnce")
	}
	l := trust.OpenLedger(state, "p")
	for revision := range 500 {
		if err := l.Record(fmt.Sprint(name, "-", revision%10), fmt.Sprint(revision)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		if err := l.Record(fmt.Sprint(name, "-", i), "499"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRecordReportsFailure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := trust.OpenLedger(file, "p").Record("a", "1"); err == nil {
		t.Error("a ledger that cannot be made is not reported")
	}
	l := trust.OpenLedger(t.TempDir(), "p")
	for _, e := range [][2]string{{"", "1"}, {"a", ""}, {"a\nb", "1"}, {"a", "1 2"}, {"a", "1\n"}} {
		if err := l.Record(e[0], e[1]); err == nil {
			t.Errorf("%q at %q is recorded", e[0], e[1])
		}
	}
}

func TestUnreadableLedgerIsEmpty(t *testing.T) {
	state := t.TempDir()
	l := trust.OpenLedger(state, "p")
	record(t, l, "a")
	path := ledgers(t, state)[0]
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if l.Has("a", "1") {
		t.Error("a ledger that is gone still counts")
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if l.Has("a", "1") {
		t.Error("a directory counts as a ledger")
	}
	if err := l.Record("a", "1"); err == nil || errors.Is(err, errors.Busy) {
		t.Errorf("recording in it: %v", err)
	}
}

// A ledger that others can write is not believed.
func TestLedgerOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: there are no such modes")
	}
	state := t.TempDir()
	l := trust.OpenLedger(state, "p")
	record(t, l, "a")
	for mode, want := range map[os.FileMode]bool{0o620: false, 0o602: false, 0o600: true} {
		if err := os.Chmod(ledgers(t, state)[0], mode); err != nil {
			t.Fatal(err)
		}
		if l.Has("a", "1") != want || trust.OpenLedger(state, "p").Has("a", "1") != want {
			t.Errorf("with mode %o it is not %v that it counts", mode, want)
		}
	}
}

func record(t *testing.T, l *trust.Authorship, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := l.Record(id, "1"); err != nil {
			t.Fatal(err)
		}
	}
}

// ledgers returns the ledger files in state.
func ledgers(t *testing.T, state string) []string {
	t.Helper()
	var paths []string
	all, _ := filepath.Glob(filepath.Join(state, "ledger", "*"))
	for _, path := range all {
		if !strings.HasSuffix(path, ".lock") {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		t.Fatal("no ledger was written")
	}
	return paths
}
