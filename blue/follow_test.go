package blue

import (
	"os"
	"path/filepath"
	"testing"

	"blue/blue/internal/store"
	"blue/marker"
)

// An editor that changes a note in the moment between its coming into place and the look
// at it is believed, not what was made ready.
func TestFollowAQuickEditor(t *testing.T) {
	const name, first, second = "notes/one-a2b3.md", "# One\n\nfirst", "# One\n\nsecond"
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := New(Options{Home: dir, Cache: filepath.Join(dir, "cache"), State: filepath.Join(dir, "state"), Config: filepath.Join(dir, "config"), Env: func(string) string { return "" }})
	defer b.Close()
	root := filepath.Join(dir, "shop")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Init(t.Context(), NewProject{Dir: root, Name: "shop"}); err != nil {
		t.Fatal(err)
	}
	p, err := b.Open(t.Context(), Call{Cwd: root, From: func(yield func(marker.Candidate) bool) { yield(marker.Candidate{Source: marker.Argument, Value: root}) }})
	if err != nil {
		t.Fatal(err)
	}
	held, err := p.lockNotes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Unlock()
	p.indexWhileWriting(held, name, []byte(first), true, nil)
	named := held.Named
	held.Named = nil
	saved, err := held.Create(name, []byte(first))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{second, first} { // what was made ready still serves afterwards
		if err := os.WriteFile(p.absolutePath(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		named(saved.Revision)
		if row, _ := p.index.Row(name); row.Revision != store.Revision([]byte(text)) || row.Stamp.Size != int64(len(text)) || row.Time.IsZero() {
			t.Errorf("%q: %+v", text, row)
		}
	}
}
