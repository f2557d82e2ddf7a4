package transfer_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blue/blue/internal/note"
	"blue/blue/transfer"
)

// identities are those of the notes of a project, by the first word of their text.
func identities(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".blue", "notes", "*.md"))
	must(t, err)
	all, seen := map[string]string{}, map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		must(t, err)
		n := note.ParseText(filepath.ToSlash(file), data)
		if seen[n.Identity()] {
			t.Errorf("%s has the identity of another note: %s", file, data)
		}
		seen[n.Identity()] = true
		all[strings.Fields(n.Body)[0]] = n.Identity()
		if others := strings.Contains(n.Front, "uid: 202603040506\n"); (n.UID == "") != others || others != strings.HasPrefix(n.Body, "Other.") {
			t.Errorf("%s has the uid %q: %s", file, n.UID, data)
		}
	}
	return all
}

// An imported note keeps the uid it comes with, unless another note has it. A key of
// that name that holds something else stays.
func TestImportedIdentity(t *testing.T) {
	u := newUser(t)
	dir, from := u.Project(t), physical(t)
	taken, free := note.NewUID(), note.NewUID()
	put(t, dir, ".blue/notes/there-aaaa.md", "---\ntype: note\ntitle: There\nuid: "+taken+"\n---\n\nThere.\n")
	put(t, from, "free.md", "---\nuid: "+free+"\n---\n\nFree.\n")
	put(t, from, "twin.md", "---\nuid: "+free+"\n---\n\nTwin.\n")
	put(t, from, "taken.md", "---\nuid: "+taken+"\n---\n\nTaken.\n")
	put(t, from, "other.md", "---\nuid: 202603040506\n---\n\nOther.\n")
	put(t, from, "without.md", "Without.\n")
	i := transfer.Importing{Source: "markdown", Path: from}
	if r := imported(t, u.Open(t, dir), i); r.Taken != 5 {
		t.Fatal(r.Text())
	}
	all := identities(t, dir)
	if len(all) != 6 || all["There."] != taken || all["Free."] != free {
		t.Errorf("%s and %s became %v", taken, free, all)
	}
	if again := imported(t, u.Open(t, dir), i); again.Taken != 0 || again.Present != 5 {
		t.Error(again.Text())
	}
	to, empty := filepath.Join(physical(t), "bundle"), u.Project(t)
	exported(t, u.Open(t, dir), transfer.Exporting{Output: to})
	imported(t, u.Open(t, empty), transfer.Importing{Source: "bundle", Path: to})
	if now := identities(t, empty); !maps.Equal(now, all) {
		t.Errorf("exported and imported, %v became %v", all, now)
	}
}
