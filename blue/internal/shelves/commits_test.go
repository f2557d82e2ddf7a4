package shelves

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"blue/blue/internal/commits"
	"blue/blue/internal/index"
	"blue/marker"
)

// A call waits for commits that are being read as long as it has patience, and says how
// far the reading is.
func TestCommitsBeingRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &commitShelf{reading: reading{what: Commits, running: make(chan struct{})}}
		began := time.Now()
		ended := s.refresh(context.Background(), marker.Checkout{}, serverPatience)
		if waited := time.Since(began); waited != serverPatience || ended {
			t.Errorf("waited %v", waited)
		}
		if got := s.describe(ended); got != "commits are being read" {
			t.Error(got)
		}
		s.done.Store(12_000)
		s.total.Store(50_000)
		if got := s.describe(ended); got != "commits are being read: 12,000 of 50,000" {
			t.Error(got)
		}
	})
}

// A call of a server waits for documents that are being read as long as it has patience, and
// says how far the reading is; one that begins later looks again.
func TestDocumentsBeingRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "otters.md"), []byte("# Otters\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	x := index.Open(t.TempDir())
	defer x.Close()
	s := &documentShelf{reading: reading{what: Documents, ctx: t.Context()}, root: dir, index: x, now: time.Now}
	goOn := make(chan struct{})
	s.mu.Lock()
	s.start(func(context.Context) error {
		s.total.Store(20_000)
		s.done.Store(1_200)
		<-goOn
		return nil
	})
	s.mu.Unlock()
	_, ended := s.refresh(t.Context(), marker.Checkout{}, nil, time.Millisecond)
	if got := s.describe(ended); ended || got != "documents are being read: 1,200 of 20,000" {
		t.Errorf("%v, %s", ended, got)
	}
	close(goOn)
	if x, ended := s.refresh(t.Context(), marker.Checkout{}, nil, readingPatience); !ended || s.describe(ended) != "" {
		t.Errorf("%v, %s", ended, s.describe(ended))
	} else if row, ok := x.Row("otters.md"); !ok || row.Title != "Otters" {
		t.Errorf("%+v", row)
	}
}

// K005: the lines of a secret are left out, in the subject and the body.
func TestScreenCommit(t *testing.T) {
	secret := "AKIA" + "Q3EGRI7SLJ5XTZ2M"
	left := "(line left out: it looks like a secret, aws-access-key-id)"
	for _, tt := range []struct{ subject, body, wantSubject, wantBody string }{
		{"Plain", "text\nmore", "Plain", "text\nmore"},
		{"Use " + secret, "text", left, "text"},
		{"Rotate", "before\nkey " + secret + "\nafter", "Rotate", "before\n" + left + "\nafter"},
	} {
		subject, body := screenCommit(commits.Commit{Subject: tt.subject, Body: tt.body})
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
