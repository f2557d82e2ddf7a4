package notebook

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"blue/blue/internal/store"
	"blue/marker"
)

// newProject makes a project of the user alone. The function that it returns opens it for a call.
func newProject(t *testing.T) (open func(Call) *Notebook) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	o := &Options{Home: dir, Cache: filepath.Join(dir, "cache"), State: filepath.Join(dir, "state"), Config: filepath.Join(dir, "config"),
		Env: func(string) string { return "" }, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	root := filepath.Join(dir, "shop")
	must(t, os.Mkdir(root, 0o755))
	rules := marker.NewRules(dir)
	if _, _, err := marker.Create(root, "shop", rules); err != nil {
		t.Fatal(err)
	}
	found, err := marker.Choose(t.Context(), rules, slices.Values([]marker.Candidate{{Source: marker.Argument, Value: root}}))
	must(t, err)
	var h *Handles
	return func(c Call) *Notebook {
		if h == nil {
			if h, err = OpenFiles(o, found); err != nil {
				t.Fatal(err)
			}
		}
		return New(o, found, h, c, true)
	}
}

// An editor that changes a note in the moment between its coming into place and the look
// at it is believed.
func TestFollowAQuickEditor(t *testing.T) {
	const name, first, second = "notes/one-a2b3.md", "# One\n\nfirst", "# One\n\nsecond"
	nb := newProject(t)(Call{})
	defer nb.Close()
	err := nb.Update(t.Context(), "write", func(tx *Tx) error {
		if _, err := tx.held.Create(name, []byte(first)); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{second, first} {
			must(t, os.WriteFile(nb.absolutePath(name), []byte(text), 0o644))
			tx.written()
			if row, _ := nb.index.Row(name); row.Revision != store.Revision([]byte(text)) || row.Stamp.Size != int64(len(text)) || row.Time.IsZero() {
				t.Errorf("%q: %+v", text, row)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
