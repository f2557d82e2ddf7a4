package blue_test

import (
	"context"
	"iter"
	"slices"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/internal/store"
	"blue/errors"
)

// coldNotes are the notes of a database of which this process has no index yet.
type coldNotes struct {
	blue.HostedNotes
	asked []string
	seq   uint64
	at    time.Time
}

func (n *coldNotes) Seq() uint64 { return n.seq }

func (n *coldNotes) Asked() time.Time { return n.at }

func (n *coldNotes) Files(context.Context) iter.Seq2[store.File, error] {
	n.asked = append(n.asked, "files")
	return func(func(store.File, error) bool) {}
}

func (n *coldNotes) CommittedTexts() blue.Texts { return noTexts{} }

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
		p, err := newUser(t).Blue(t).OpenHosted(t.Context(), blue.Hosted{ID: "id", Name: "shop", Index: "served/x", Notes: cold})
		must(t, err)
		if err := change(p); !errors.Is(err, errors.Busy) || !slices.Equal(cold.asked, []string{"files", "lock"}) {
			t.Errorf("%s: asked %v, %v", verb, cold.asked, err)
		}
	}
}

// TestLaterCallOvertakes: an index that another call has brought further is no reason to
// compare it with all notes; one that the database has fallen behind of, since, is.
func TestLaterCallOvertakes(t *testing.T) {
	t.Parallel()
	b := newUser(t).Blue(t)
	now := time.Now()
	for _, call := range []struct {
		seq      uint64
		asked    time.Duration // from now
		compared bool
	}{
		{5, 0, true},             // the first
		{4, -time.Second, false}, // has asked before the first
		{5, time.Hour, false},
		{4, time.Hour, true}, // after a restore
		{4, time.Hour, false},
	} {
		notes := &coldNotes{seq: call.seq, at: now.Add(call.asked)}
		p, err := b.OpenHosted(t.Context(), blue.Hosted{ID: "id", Name: "shop", Index: "served/x", Notes: notes})
		must(t, err)
		_, err = p.Where(t.Context())
		must(t, err)
		if compared := slices.Equal(notes.asked, []string{"files"}); compared != call.compared {
			t.Errorf("%+v: asked %v", call, notes.asked)
		}
	}
}
