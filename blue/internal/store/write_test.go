package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blue/blue/internal/store"
	"blue/errors"
)

// Whatever is refused leaves every byte and every name as it was.
func TestRefusedWritesChangeNothing(t *testing.T) {
	t.Parallel()
	big := make([]byte, store.Limit+1)
	for _, row := range []struct {
		name string
		kind errors.Kind
		do   func(h *store.Held) error
	}{
		{"create over a note", errors.Exists, func(h *store.Held) error { _, err := h.Create("notes/x.md", nil); return err }},
		{"create over a directory", errors.Exists, func(h *store.Held) error { _, err := h.Create("notes/dir.md", nil); return err }},
		{"create too large", errors.TooLarge, func(h *store.Held) error { _, err := h.Create("notes/y.md", big); return err }},
		{"replace too large", errors.TooLarge, func(h *store.Held) error { _, err := h.Replace("notes/x.md", "", big); return err }},
		{"replace what is not there", errors.NotFound, func(h *store.Held) error { _, err := h.Replace("notes/y.md", "", nil); return err }},
		{"replace a directory", errors.Invalid, func(h *store.Held) error { _, err := h.Replace("notes/dir.md", "", nil); return err }},
		{"replace a file over the limit", errors.TooLarge, func(h *store.Held) error { _, err := h.Replace("notes/big.md", "", nil); return err }},
		{"replace with a stale revision", errors.Conflict, func(h *store.Held) error { _, err := h.Replace("notes/x.md", "0123456789abcdef", nil); return err }},
		{"remove with a stale revision", errors.Conflict, func(h *store.Held) error { _, _, err := h.Remove("notes/x.md", "0123456789abcdef"); return err }},
		{"remove what is not there", errors.NotFound, func(h *store.Held) error { _, _, err := h.Remove("private/x.md", ""); return err }},
		{"bring back over a note", errors.Exists, func(h *store.Held) error { _, err := h.Untrash("notes/x.md"); return err }},
		{"bring back what is not there", errors.NotFound, func(h *store.Held) error { _, err := h.Untrash("notes/y.md"); return err }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			root, s := project(t)
			write(t, root, "notes/x.md", "x")
			write(t, root, "notes/dir.md/z", "z")
			write(t, root, "notes/big.md", string(big))
			write(t, root, "trash/x-"+time.Now().UTC().Format("20060102T150405.000000000Z")+".md", "trashed")
			h := lock(t, s)
			before := tree(t, root)
			isKind(t, row.do(h), row.kind)
			if after := tree(t, root); after != before {
				t.Fatalf("before\n%s\nafter\n%s", before, after)
			}
		})
	}
}

func TestConflictNamesTheCurrentRevision(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	write(t, root, "notes/x.md", "now")
	_, err := lock(t, s).Replace("notes/x.md", store.Revision([]byte("then")), []byte("new"))
	isKind(t, err, errors.Conflict)
	detail := fmt.Sprint(errors.Of(err).Detail)
	if !strings.Contains(detail, store.Revision([]byte("now"))) {
		t.Errorf("detail %s", detail)
	}
}

func TestEqualBytesAreNoConflict(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	write(t, root, "notes/x.md", "same")
	before := tree(t, root)
	saved, err := lock(t, s).Replace("notes/x.md", "0123456789abcdef", []byte("same"))
	must(t, err)
	if !saved.Unchanged || saved.Revision != store.Revision([]byte("same")) || tree(t, root) != before {
		t.Fatalf("%+v\n%s", saved, tree(t, root))
	}
}

func TestWritingNeedsTheLock(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	h := lock(t, s)
	must(t, h.Unlock())
	must(t, h.Unlock())
	before := tree(t, root)
	if _, err := h.Create("notes/x.md", nil); err == nil {
		t.Fatal("written without the lock")
	}
	if tree(t, root) != before {
		t.Fatal(tree(t, root))
	}
}

// A note with several hard links is replaced: what the other name leads to stays.
func TestHardLinksAreNotWrittenThrough(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.Link(write(t, root, "notes/x.md", "before"), outside); err != nil {
		t.Skipf("SKIPPED: no hard links here: %v", err)
	}
	_, err := lock(t, s).Replace("notes/x.md", "", []byte("after"))
	must(t, err)
	if data, _ := os.ReadFile(outside); string(data) != "before" || content(t, s, "notes/x.md") != "after" {
		t.Fatalf("outside %q", data)
	}
}

// A copy in the history does not change with an editor that writes in place.
func TestHistoryIsACopy(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	path := write(t, root, "notes/x.md", "one")
	h := lock(t, s)
	_, err := h.Replace("notes/x.md", "", []byte("two"))
	must(t, err)
	must(t, os.WriteFile(path, []byte("by hand"), 0o644))
	for _, text := range []string{"three", "one", "two"} {
		_, err = h.Replace("notes/x.md", "", []byte(text))
		must(t, err)
	}
	for _, text := range []string{"one", "by hand", "three"} {
		if data, err := s.ReadPast("notes/x.md", store.Revision([]byte(text))); err != nil || string(data) != text {
			t.Errorf("%q: %q, %v", text, data, err)
		}
	}
}

// Notes of one id in both directories share neither history nor trash.
func TestPublicAndPrivateDoNotMix(t *testing.T) {
	t.Parallel()
	_, s := project(t)
	h := lock(t, s)
	for _, id := range []string{"x", "private"} {
		for _, dir := range []string{"notes/", "private/"} {
			name := dir + id + ".md"
			_, err := h.Create(name, []byte(name+" one"))
			must(t, err)
			_, err = h.Replace(name, "", []byte(name+" two"))
			must(t, err)
			_, _, err = h.Remove(name, "")
			must(t, err)
		}
	}
	for _, name := range []string{"notes/x.md", "private/x.md", "notes/private.md", "private/private.md"} {
		past, err := s.Revisions(name)
		must(t, err)
		if len(past) != 1 || past[0].Revision != store.Revision([]byte(name+" one")) {
			t.Errorf("history of %s: %+v", name, past)
		}
		_, err = h.Untrash(name)
		must(t, err)
		if content(t, s, name) != name+" two" {
			t.Errorf("%s came back as %q", name, content(t, s, name))
		}
	}
}

func TestUntrashTakesTheNewest(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	h := lock(t, s)
	for i := range 5 {
		_, err := h.Create("notes/x.md", fmt.Append(nil, i))
		must(t, err)
		_, _, err = h.Remove("notes/x.md", "")
		must(t, err)
	}
	for i := 4; i >= 0; i-- {
		_, err := h.Untrash("notes/x.md")
		must(t, err)
		if content(t, s, "notes/x.md") != fmt.Sprint(i) {
			t.Fatalf("%d came back as %s", i, content(t, s, "notes/x.md"))
		}
		must(t, os.Remove(filepath.Join(root, ".blue", "notes", "x.md")))
	}
}
