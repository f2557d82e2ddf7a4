package notesync

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"blue/blue/result"
)

// watchedContext calls asked when somebody asks for its error.
type watchedContext struct {
	context.Context
	asked func()
}

func (c watchedContext) Err() error { c.asked(); return c.Context.Err() }

// TestParallelSyncs: the second of two syncs waits for the first, and says so.
func TestParallelSyncs(t *testing.T) {
	r := New(Config{StateFile: filepath.Join(t.TempDir(), "state", "x.json")})
	first, waited, err := r.lockSyncs(t.Context())
	if err != nil || waited {
		t.Fatalf("the first has waited: %v, %v", waited, err)
	}
	second, waited, err := r.lockSyncs(watchedContext{t.Context(), sync.OnceFunc(first)})
	if err != nil || !waited {
		t.Fatalf("the second has not waited: %v, %v", waited, err)
	}
	second()
	said := result.Synced{Remote: "origin", Synced: true, Waited: waited}
	if text := said.Text(); !strings.HasPrefix(text, "Synced with origin: nothing to carry\nWaited: another sync of this notebook ran first") {
		t.Error(text)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	held, _, err := r.lockSyncs(t.Context())
	must(t, err)
	defer held()
	if _, _, err := r.lockSyncs(stopped); err != context.Canceled {
		t.Errorf("a sync that is interrupted while it waits: %v", err)
	}
}
