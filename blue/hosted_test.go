package blue_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"blue/blue"
	"blue/blue/internal/store"
	"blue/errors"
)

// coldNotes are the notes of a database of which this process has no index yet.
type coldNotes struct {
	blue.HostedNotes
	asked []string
}

func (n *coldNotes) Seq() uint64 { return 1 }

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
