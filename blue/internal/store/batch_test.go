package store_test

import (
	"fmt"
	"testing"

	"blue/blue/internal/store"
	"blue/errors"
)

func TestCreateAll(t *testing.T) {
	root, s := project(t)
	h := lock(t, s)
	write(t, root, "notes/there.md", "There\n")
	all := []store.New{{Name: "notes/bad?.md"}, {Name: "notes/there.md", Data: []byte("Other\n")}, {Name: "private/x.md", Data: []byte("Apart\n")}}
	for i := range 100 {
		all = append(all, store.New{Name: fmt.Sprintf("notes/n%d.md", i), Data: fmt.Appendf(nil, "Note %d\n", i)})
	}
	failed := h.CreateAll(all)
	if !errors.Is(failed[0], errors.Invalid) || !errors.Is(failed[1], errors.Exists) || failed[2] == nil {
		t.Errorf("%v", failed[:3])
	}
	for i, one := range all[3:] {
		if got := content(t, s, one.Name); failed[i+3] != nil || got != string(one.Data) {
			t.Errorf("%s: %v, %q", one.Name, failed[i+3], got)
		}
	}
	if got := content(t, s, "notes/there.md"); got != "There\n" {
		t.Errorf("%q", got)
	}
	noTemps(t, root)
	must(t, h.Unlock())
	if failed := h.CreateAll(all[3:4]); failed[0] == nil {
		t.Error("without the lock")
	}
}

// What another machine has made of a note is kept as if an edit had replaced it.
func TestKeep(t *testing.T) {
	root, s := project(t)
	h := lock(t, s)
	write(t, root, "notes/x.md", "Ours\n")
	must(t, h.Keep("notes/x.md", []byte("Theirs\n")))
	must(t, h.Unlock())
	past, err := s.ReadPast("notes/x.md", store.Revision([]byte("Theirs\n")))
	must(t, err)
	if string(past) != "Theirs\n" || content(t, s, "notes/x.md") != "Ours\n" {
		t.Errorf("%q", past)
	}
}
