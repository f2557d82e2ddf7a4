package corpus

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/fixtures"
)

// A call waits for commits that are being read as long as it has patience, and says how
// far the reading is.
func TestCommitsBeingRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &commitIndex{reading: reading{Reading: index.Reading{Process: t.Context()}, what: Commits}}
		read(&s.reading, 12_000, 50_000, nil)
		began := time.Now()
		ended := s.refresh(context.Background(), git.Checkout{}, serverPatience)
		if waited := time.Since(began); waited != serverPatience || ended {
			t.Errorf("waited %v", waited)
		}
		if _, got := s.describe(ended); got != "reading commits: 12,000 of 50,000, ask again" {
			t.Error(got)
		}
	})
}

// read begins a reading that ends with the channel, or with the process.
func read(r *reading, done, total int64, end <-chan struct{}) {
	r.Lock()
	defer r.Unlock()
	r.start(func(ctx context.Context) error {
		select {
		case <-end:
		case <-ctx.Done():
		}
		return nil
	})
	r.Done.Store(done)
	r.Total.Store(total)
}

// A call of a server waits for documents that are being read as long as it has patience, and
// says how far the reading is; one that begins later looks again.
func TestDocumentsBeingRead(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "otters.md"), []byte("# Otters\n"), 0o644))
	x := index.Open(t.TempDir())
	defer x.Close()
	s := &documentIndex{reading: reading{Reading: index.Reading{Process: t.Context()}, what: Documents}, of: Corpus{Tree: dir, Now: time.Now}, index: x}
	goOn := make(chan struct{})
	read(&s.reading, 1_200, 20_000, goOn)
	_, ended := s.refresh(t.Context(), git.Checkout{}, nil, time.Millisecond)
	if _, got := s.describe(ended); ended || got != "reading documents: 1,200 of 20,000, ask again" {
		t.Errorf("%v, %s", ended, got)
	}
	close(goOn)
	x, ended = s.refresh(t.Context(), git.Checkout{}, nil, terminalPatience)
	if trouble, progress := s.describe(ended); !ended || trouble+progress != "" {
		t.Errorf("%v, %s, %s", ended, trouble, progress)
	} else if row, ok := x.Row("otters.md"); !ok || row.Title != "Otters" {
		t.Errorf("%+v", row)
	}
}

// While a shelf is being read, searches are answered at once with what is ready, and say
// how far the reading is; none of them begins it anew, and when it has ended all is found.
func TestSearchWhileReading(t *testing.T) {
	fixtures.Slow(t)
	dir := t.TempDir()
	for _, name := range []string{"otters.md", "beavers.md", "minks.md"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("# Rivers\n\nOtters and beavers live there.\n"), 0o644))
	}
	opened := &Indexes{}
	defer opened.Close()
	s := Corpus{
		Root: dir, Tree: dir, Cache: t.TempDir(), Server: true, Now: time.Now, Log: slog.New(slog.DiscardHandler), Indexes: opened,
		Superseded: func() map[string]index.Row { return nil },
	}
	of := &s.open().documents
	ready, goOn, runs := make(chan struct{}), make(chan struct{}), atomic.Int64{}
	of.Lock()
	of.start(func(ctx context.Context) error {
		runs.Add(1)
		return of.InSteps(ctx, of.index, func(u *index.Step) error {
			u.Files = 688
			if u.Takes(1 << 30); u.Takes(1) {
				t.Error("everything was read in one step")
			}
			if runs.Load() == 1 && u.Files == 688 {
				if of.index.Len() > 0 {
					close(ready)
					<-goOn
					return context.Canceled
				}
				of.load(u.Update, "otters.md", index.Stamp{})
				of.load(u.Update, "beavers.md", index.Stamp{})
			}
			return nil
		})
	})
	of.Unlock()
	<-ready
	ask := func() Results {
		began := time.Now()
		found := s.Search(t.Context(), []string{Documents}, index.Query{Text: "otters beavers", Limit: 10})
		if took := time.Since(began); took > 20*time.Second { // of 30 that a client waits
			t.Errorf("answered after %v", took)
		}
		return found
	}
	for range 3 {
		found := ask()
		if len(found.Reading) != 1 || found.Reading[0] != "reading documents: 687 of 688, ask again" || len(found.Hits) != 2 || runs.Load() != 1 {
			t.Errorf("%d runs: %+v", runs.Load(), found)
		}
	}
	close(goOn)
	of.Wait()
	if found := ask(); len(found.Reading) > 0 || len(found.Hits) != 3 {
		t.Errorf("%+v", found)
	}
}

// The lines of a secret are left out, in the subject and the body.
func TestScreenCommit(t *testing.T) {
	secret := "AKIA" + "Q3EGRI7SLJ5XTZ2M"
	left := "(line left out: it looks like a secret, aws-access-key-id)"
	for _, tt := range []struct{ subject, body, wantSubject, wantBody string }{
		{"Plain", "text\nmore", "Plain", "text\nmore"},
		{"Use " + secret, "text", left, "text"},
		{"Rotate", "before\nkey " + secret + "\nafter", "Rotate", "before\n" + left + "\nafter"},
	} {
		subject, body := screenCommit(git.Commit{Subject: tt.subject, Body: tt.body})
		if subject != tt.wantSubject || body != tt.wantBody {
			t.Errorf("%q, %q", subject, body)
		}
	}
}

func TestSplitPiece(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int
	}{{"docs/a.md", 0}, {"docs/a.md", 12}, {"c#.d/a#b.md", 3}, {"c#.md", 0}} {
		if name, n := splitPiece(pieceName(tt.name, tt.n)); name != tt.name || n != tt.n {
			t.Errorf("%s %d: %s %d", tt.name, tt.n, name, n)
		}
	}
}

func TestRecordNumber(t *testing.T) {
	for name, want := range map[string]int{
		"docs/adr/0007-queues.md": 8, "doc/architecture/decisions/0001-record.md": 2, "0012-cache.md": 13, "docs/adr-004-x.md": 5, "rfcs/text/12-a.md": 13, "docs/adr/0000-first.md": 1,
		"keps/sig-node/753-sidecar-containers/README.md": 754,
		"docs/adr/README.md":                             0, "README.md": 0, "docs/2024.md": 0, "docs/12-steps.md": 0, "notes.txt": 0,
	} {
		if got := recordNumber(name); got != want {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// Documents and commits that are read by processes which end while they read, each in
// its second step, are all there in the end: each process goes on where the one before
// was, and says how far it is and finds what has been read.
func TestShelvesGoOn(t *testing.T) {
	fixtures.Slow(t)
	const all = 700
	dir, cache := manyDocumentsAndCommits(t, all), t.TempDir()
	for _, shelf := range []string{Documents, Commits} {
		t.Run(shelf, func(t *testing.T) {
			stalled := stallSecondLog(t)
			gone, hangUp := context.WithCancel(t.Context()) // the first call does not wait
			hangUp()
			known := 0
			for round := 1; ; round++ {
				s := Corpus{
					Root: dir, Tree: dir, Cache: cache, Now: time.Now, Log: slog.New(slog.DiscardHandler), Server: true, Indexes: &Indexes{}, // never closed: the process is killed
					Superseded: func() map[string]index.Row { return nil },
				}
				p := s.open()
				x, r := p.documents.index, &p.documents.reading
				if shelf == Commits {
					x, r = p.commits.index, &p.commits.reading
				}
				if x.Len() < known || round > 1 && known == 0 || round > all/100 {
					t.Fatalf("process %d begins with %d entries, the one before has read %d", round, x.Len(), known)
				}
				reached, killed := make(chan struct{}), make(chan struct{})
				var read atomic.Int64
				p.documents.of.Now = func() time.Time {
					if read.Add(1) == 300 { // in the second step
						close(reached)
						<-killed
					}
					return time.Now()
				}
				query := index.Query{Text: "queues", Limit: 10}
				s.Search(gone, []string{shelf}, query)
				ended := awaitEnd(r, reached, stalled)
				found := s.Search(t.Context(), []string{shelf}, query)
				p.close()
				close(killed)
				r.Wait()
				known = x.Len()
				if ended {
					if round == 1 || len(found.Reading) > 0 || found.Warning != "" || found.Total != all {
						t.Errorf("process %d: %+v", round, found)
					}
					return
				}
				if len(found.Reading) != 1 || len(found.Hits) != 10 || !strings.HasPrefix(found.Reading[0], "reading "+shelf+": ") {
					t.Errorf("process %d: %+v", round, found)
				}
			}
		})
	}
}

// manyDocumentsAndCommits makes a repository of documents and commits that take several steps
// to read.
func manyDocumentsAndCommits(t *testing.T, all int) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("SKIPPED: there is no git, or no shell")
	}
	dir = t.TempDir()
	var history strings.Builder
	for i := range all {
		text := strings.Repeat("The queues are drained before an upgrade.\n", 45) // a document of one piece
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("doc-%04d.md", i)), fmt.Appendf(nil, "# Document %d\n\n%s", i, text), 0o644))
		message := fmt.Sprintf("Drain queues %d\n", i)
		fmt.Fprintf(&history, "commit refs/heads/main\ncommitter Ann <a@example.com> %d +0000\ndata %d\n%s\n", 1_700_000_000+i, len(message), message)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"fast-import", "--quiet"}} {
		c := exec.Command("git", args...)
		c.Dir, c.Stdin = dir, strings.NewReader(history.String())
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	return dir
}

// stallSecondLog lets each second `git log` wait, and returns a function that reports, once,
// whether one does.
func stallSecondLog(t *testing.T) (stalled func() bool) {
	t.Helper()
	git, err := exec.LookPath("git")
	must(t, err)
	bin := t.TempDir()
	first, second := filepath.Join(bin, "first"), filepath.Join(bin, "second")
	script := fmt.Sprintf("#!/bin/sh\ncase \" $* \" in *' log '*)\n  if test -e '%[1]s'; then rm '%[1]s'; : > '%[2]s'; exec sleep 600; fi\n  : > '%[1]s'\nesac\nexec '%[3]s' \"$@\"\n", first, second, git)
	must(t, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return func() bool { return os.Remove(second) == nil }
}

// awaitEnd waits for the end of a reading, or for the moment at which it does not go on.
func awaitEnd(r *reading, reached <-chan struct{}, stalled func() bool) (ended bool) {
	end := make(chan struct{})
	go func() {
		r.Wait()
		close(end)
	}()
	for {
		select {
		case <-end:
			return true
		case <-reached:
			return false
		case <-time.After(10 * time.Millisecond):
			if stalled() {
				return false
			}
		}
	}
}
