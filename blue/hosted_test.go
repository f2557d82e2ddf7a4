package blue_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"blue/blue"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// coldNotes are the notes of a database of which this process has no index yet.
type coldNotes struct {
	blue.HostedNotes
	asked []string
	mark  store.Mark
	at    time.Time
	lost  bool // the database does not know the last change of the index
}

func (n *coldNotes) Last() (store.Mark, time.Time) { return n.mark, n.at }

func (n *coldNotes) Changes(store.Mark) ([]blue.HostedChange, bool, error) {
	n.asked = append(n.asked, "changes")
	return nil, !n.lost, nil
}

func (n *coldNotes) Files(context.Context) iter.Seq2[store.File, error] {
	n.asked = append(n.asked, "files")
	return func(func(store.File, error) bool) {}
}

func (n *coldNotes) Committed() blue.Notes { return noNotes{} }

type noNotes struct{ blue.Notes }

func (noNotes) Texts() blue.Texts { return noTexts{} }

type noTexts struct{}

func (noTexts) Read(name string, _ uint64) ([]byte, error) { return nil, errors.NoNote(name) }
func (noTexts) Close()                                     {}

func (n *coldNotes) Lock(context.Context, string) (blue.Writer, error) {
	n.asked = append(n.asked, "lock")
	return nil, errors.Locked(0)
}

// TestColdIndexHoldsNobodyUp: the index of a hosted project is built before a write makes
// others wait.
func TestColdIndexHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	for verb, change := range map[string]func(p *blue.Project) error{
		"write": func(p *blue.Project) error {
			_, err := p.Write(t.Context(), blue.Draft{Title: "Plan", Body: "A plan."})
			return err
		},
		"remove": func(p *blue.Project) error {
			_, err := p.Remove(t.Context(), blue.Removal{ID: "plan"})
			return err
		},
	} {
		cold := &coldNotes{}
		p, err := newUser(t).Blue(t).OpenHosted(t.Context(), blue.Hosted{Project: marker.Found{Address: marker.Address{ID: "id", Name: "shop"}}, Index: "served/x", Notes: cold})
		must(t, err)
		if err := change(p); !errors.Is(err, errors.Busy) || !slices.Equal(cold.asked, []string{"files", "lock"}) {
			t.Errorf("%s: asked %v, %v", verb, cold.asked, err)
		}
	}
}

// TestLaterCallOvertakes: an index that another call has brought further is no reason to
// compare it with all notes; one that the database has fallen behind of, since, is, and so is
// one of a last change that the database has not had, whatever its number is now.
func TestLaterCallOvertakes(t *testing.T) {
	t.Parallel()
	b := newUser(t).Blue(t)
	now := time.Now()
	for i, call := range []struct {
		seq   uint64
		entry int64
		asked time.Duration // from now
		lost  bool
		want  string
	}{
		{5, 1, 0, false, "files"},       // the first
		{4, 1, -time.Second, false, ""}, // has asked before the first
		{5, 2, -time.Second, false, ""}, // of a time before the loss
		{6, 1, -time.Second, false, "changes"},
		{6, 1, time.Hour, false, ""},
		{4, 1, 2 * time.Hour, false, "files"}, // after a restore
		{4, 1, 2 * time.Hour, false, ""},
		{4, 2, 3 * time.Hour, false, "files"}, // after another one, the number is used again
		{7, 3, 4 * time.Hour, true, "changes files"},
		{8, 4, 5 * time.Hour, false, "changes"},
	} {
		notes := &coldNotes{mark: store.Mark{Seq: call.seq, Entry: call.entry}, at: now.Add(call.asked), lost: call.lost}
		p, err := b.OpenHosted(t.Context(), blue.Hosted{Project: marker.Found{Address: marker.Address{ID: "id", Name: "shop"}}, Index: "served/x", Notes: notes})
		must(t, err)
		_, err = p.Where(t.Context())
		must(t, err)
		if asked := strings.Join(notes.asked, " "); asked != call.want {
			t.Errorf("call %d, %+v: asked %q", i, call, asked)
		}
	}
}

// slowNotes are those of a database that lists them when it may.
type slowNotes struct {
	coldNotes
	may chan struct{}
}

func (n *slowNotes) Files(context.Context) iter.Seq2[store.File, error] {
	return func(func(store.File, error) bool) { <-n.may }
}

// place is the one of a call among those that run.
type place struct{ steps []string }

func (p *place) Leave()                      { p.steps = append(p.steps, "leave") }
func (p *place) Enter(context.Context) error { p.steps = append(p.steps, "enter"); return nil }

// A call that waits for an index gives up its place meanwhile, and in the end says
// that it has waited. The build goes on for the next call, which waits for nothing.
func TestPatience(t *testing.T) {
	home := newUser(t)
	synctest.Test(t, func(t *testing.T) {
		b := home.Blue(t)
		defer b.Close()
		notes, at := &slowNotes{may: make(chan struct{})}, &place{}
		ctx := blue.WithPlace(t.Context(), at)
		p, err := b.OpenHosted(ctx, blue.Hosted{Project: marker.Found{Address: marker.Address{ID: "id", Name: "shop"}}, Index: "served/slow", Notes: notes, Client: "test"})
		must(t, err)
		for range 2 {
			begun := time.Now()
			_, err = p.List(ctx, blue.Filter{})
			if !errors.Is(err, errors.Busy) || !strings.HasPrefix(errors.Of(err).Message, "waiting for ") || time.Since(begun) > 29*time.Second {
				t.Errorf("after %v: %v", time.Since(begun), err)
			}
		}
		close(notes.may)
		synctest.Wait()
		_, err = p.List(ctx, blue.Filter{})
		must(t, err)
		if want := []string{"leave", "enter", "leave", "enter"}; !slices.Equal(at.steps, want) {
			t.Errorf("%v", at.steps)
		}
	})
}

// brokenNotes are those of a database at whose listing the program panics.
type brokenNotes struct{ coldNotes }

func (brokenNotes) Files(context.Context) iter.Seq2[store.File, error] { panic("injected") }

// A panic in a build is that of the calls that wait for it, and keeps no other build waiting.
func TestPanic(t *testing.T) {
	t.Parallel()
	b := newUser(t).Blue(t)
	list := func(index string, notes blue.HostedNotes) (panicked bool) {
		defer func() { panicked = recover() != nil }()
		p, err := b.OpenHosted(t.Context(), blue.Hosted{Project: marker.Found{Address: marker.Address{ID: "id", Name: "shop"}}, Index: index, Notes: notes})
		must(t, err)
		_, err = p.List(t.Context(), blue.Filter{})
		must(t, err)
		return false
	}
	for range 20 {
		if !list("served/broken", &brokenNotes{}) {
			t.Fatal("the call knows nothing of the panic")
		}
	}
	if list("served/whole", &coldNotes{}) {
		t.Error("another project panics")
	}
}
