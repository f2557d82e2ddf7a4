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

func TestOrigin(t *testing.T) {
	state := filepath.Join(t.TempDir(), "blue")
	l := trust.OpenLedger(state, "project")
	if l.Origin("a", "1111") != trust.Repository || l.Warning() != "" {
		t.Errorf("an empty ledger: %s, %q", l.Origin("a", "1111"), l.Warning())
	}
	for _, e := range [][2]string{{"a", "1111"}, {"private/Nöte with spaces", "2222"}, {"a", "3333"}} {
		if err := l.Record(e[0], e[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range []*trust.Ledger{l, trust.OpenLedger(state, "project")} {
		for _, row := range [][3]string{
			{"a", "3333", trust.Local}, {"a", "1111", trust.Changed}, {"b", "3333", trust.Repository},
			{"private/Nöte with spaces", "2222", trust.Local}, {"private/Nöte", "2222", trust.Repository},
		} {
			if got := l.Origin(row[0], row[1]); got != row[2] {
				t.Errorf("%s at %s is %s, want %s", row[0], row[1], got, row[2])
			}
		}
	}
	if other := trust.OpenLedger(state, "../project"); other.Origin("a", "3333") != trust.Repository {
		t.Error("two projects share a ledger")
	}
}

func TestLedgerIsPrivateAndInItsDirectory(t *testing.T) {
	state := t.TempDir()
	for _, key := range []string{"", "../../x", "/etc/passwd", "a\x00b", strings.Repeat("k", 5000), "CON"} {
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

func TestDamagedLinesAreSkippedAndCounted(t *testing.T) {
	state := t.TempDir()
	l := trust.OpenLedger(state, "p")
	record(t, l, "a", "b", "c")
	path := ledgers(t, state)[0]
	data, _ := os.ReadFile(path)
	lines := strings.SplitAfter(string(data), "\n")
	forged := strings.Replace(lines[1], " 1 b", " 9 b", 1)
	text := lines[0] + forged + "\x00garbage\n\n" + lines[2] + lines[2][:9]
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := trust.OpenLedger(state, "p")
	if fresh.Origin("a", "1") != trust.Local || fresh.Origin("b", "9") != trust.Repository || fresh.Origin("c", "1") != trust.Local {
		t.Error("damaged lines spoil others, or a forged one counts")
	}
	if !strings.Contains(fresh.Warning(), "2 damaged lines") {
		t.Errorf("warning %q", fresh.Warning())
	}
	record(t, l, "d")
	if fresh.Origin("d", "1") != trust.Local || !strings.Contains(fresh.Warning(), "3 damaged lines") {
		t.Errorf("a line that was cut off spoils the next: %s, %q", fresh.Origin("d", "1"), fresh.Warning())
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
			other.Origin("n0", "")
		}
	}
	for i := times - 10; i < times; i++ {
		if id := fmt.Sprint("n", i%10); other.Origin(id, fmt.Sprint(i)) != trust.Local {
			t.Errorf("%s is lost", id)
		}
	}
	data, _ := os.ReadFile(ledgers(t, state)[0])
	if n := strings.Count(string(data), "\n"); n > 1100 || other.Warning() != "" {
		t.Errorf("%d lines for 10 notes, warning %q", n, other.Warning())
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
			if id := fmt.Sprint(n, "-", i); watcher.Origin(id, "499") != trust.Local {
				t.Errorf("the last revision of %s is lost", id)
			}
		}
	}
	if watcher.Warning() != "" {
		t.Error(watcher.Warning())
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

func TestUnreadableLedgerIsEmptyAndSaid(t *testing.T) {
	state := t.TempDir()
	l := trust.OpenLedger(state, "p")
	record(t, l, "a")
	path := ledgers(t, state)[0]
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if l.Origin("a", "1") != trust.Repository || l.Warning() != "" {
		t.Error("a ledger that is gone still counts")
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if l.Origin("a", "1") != trust.Repository || !strings.Contains(l.Warning(), "not used") {
		t.Errorf("warning %q", l.Warning())
	}
	if err := l.Record("a", "1"); err == nil || errors.Is(err, errors.Busy) {
		t.Errorf("recording in it: %v", err)
	}
}

func record(t *testing.T, l *trust.Ledger, ids ...string) {
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

func BenchmarkRecord(b *testing.B) {
	l := trust.OpenLedger(b.TempDir(), "p")
	for b.Loop() {
		if err := l.Record("deploy-abcd", "0123456789abcdef"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOrigin(b *testing.B) {
	l := trust.OpenLedger(b.TempDir(), "p")
	for i := range 100 {
		_ = l.Record(fmt.Sprint("n", i), "0123456789abcdef")
	}
	for b.Loop() {
		l.Origin("n50", "0123456789abcdef")
	}
}

func TestSyncedOrigin(t *testing.T) {
	l := trust.OpenLedger(t.TempDir(), "project")
	is := func(revision, want string) {
		t.Helper()
		if got := l.Origin("notes/x.md", revision); got != want {
			t.Errorf("%s is %s, not %s", revision, got, want)
		}
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(l.Record("notes/x.md", "one"))
	check(l.RecordSynced("notes/x.md", "one", "ann@x.org")) // which was written here
	is("one", trust.Local)
	check(l.RecordSynced("notes/x.md", "two", "Ann@x.org"))
	is("two", trust.Synced)
	is("one", trust.Changed)
	check(l.TrustSynced("bo@x.org"))
	is("two", trust.Synced)
	check(l.TrustSynced("ann@x.org"))
	is("two", trust.Local)
	check(l.RecordSynced("notes/x.md", "three", "cy@x.org"))
	is("three", trust.Synced)
	check(l.TrustSynced(""))
	is("three", trust.Local)
	is("four", trust.Changed)
}
