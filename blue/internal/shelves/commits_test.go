package shelves

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"blue/blue/internal/commits"
	"blue/marker"
)

// A call waits for commits that are being read as long as it has patience, and says how
// far the reading is.
func TestCommitsBeingRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &commitShelf{running: make(chan struct{})}
		began := time.Now()
		s.refresh(context.Background(), marker.Checkout{}, shelfPatience)
		if waited := time.Since(began); waited != shelfPatience {
			t.Errorf("waited %v", waited)
		}
		if got := s.describe(); got != "commits are being read" {
			t.Error(got)
		}
		s.read.Store(12_000)
		s.total.Store(50_000)
		if got := s.describe(); got != "commits are being read: 12,000 of 50,000" {
			t.Error(got)
		}
	})
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
