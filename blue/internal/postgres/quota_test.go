package postgres_test

import (
	"strings"
	"testing"

	"blue/blue/internal/postgres"
	"blue/errors"
)

// A project that has used its quota takes no more text, whoever writes it and in whose private
// notes; others go on, and so does this one when it may have more. Removals are always possible.
func TestQuota(t *testing.T) {
	d, o, _, project := open(t)
	other, err := o.AddProject(t.Context(), "bank", "")
	must(t, err)
	must(t, o.SetQuota(t.Context(), "shop", 1_000_000))
	text := []byte(strings.Repeat("text ", 80_000)) // 400 kB
	write := func(project, name string) error {
		return change(as(d, project, "ann"), func(h *postgres.Held) error { _, err := h.Create(name, text); return err })
	}
	for _, name := range []string{"notes/a.md", "private/b.md"} {
		must(t, write(project, name))
	}
	for _, name := range []string{"notes/c.md", "private/c.md"} {
		if err := write(project, name); !errors.Is(err, errors.TooLarge) || !strings.Contains(err.Error(), "quota of 1 MB") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 3 {
		if err := write(other, "notes/"+strings.Repeat("x", len(names(t, as(d, other, "ann")))+1)+".md"); err != nil {
			t.Error(err)
		}
	}
	if err := change(as(d, project, "ann"), func(h *postgres.Held) error { _, _, err := h.Remove("notes/a.md", ""); return err }); err != nil {
		t.Errorf("a removal: %v", err)
	}
	must(t, o.SetQuota(t.Context(), "shop", 0))
	if err := write(project, "notes/c.md"); err != nil {
		t.Error(err)
	}
}
