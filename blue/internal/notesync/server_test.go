package notesync

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/errors"
)

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]string{
		"https://notes.example.com":                       "https://notes.example.com",
		"https://notes.example.com/":                      "https://notes.example.com",
		"https://notes.example.com:444/mcp/":              "https://notes.example.com:444",
		"https://example.com/notes/mcp?project=elsewhere": "https://example.com/notes",
		"http://127.0.0.1:7865/mcp":                       "http://127.0.0.1:7865",
		"http://[::1]:7865":                               "http://[::1]:7865",
	} {
		if a, err := parseAddress(text, "shop"); err != nil || a.url != want || a.project != "shop" {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
	for _, text := range []string{"http://notes.example.com", "http://10.0.0.1", "http://127.0.0.1.example.com", "ftp://x", "https://", "https:x", "https://u:secret@example.com", "https://x/#y", "https://x\n", "file:///etc"} {
		if _, err := parseAddress(text, "shop"); !errors.Is(err, errors.Invalid) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if a, err := parseAddress("https://x/mcp?project=shop", ""); err != nil || a.project != "shop" {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := parseAddress("https://x", ""); err == nil {
		t.Error("a server without a project")
	}
}

// openAt opens a project on a server that answers as it is told.
func openAt(t *testing.T, answer func(q Request) any) *serverBackend {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q Request
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.Header.Get("Authorization") != "Bearer blue_secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(answer(q))
	}))
	t.Cleanup(server.Close)
	return openServer(address{server.URL, "shop"}, Credential{Text: "blue_secret"}, filepath.Join(t.TempDir(), "base"), false, false)
}

// Nothing that a server says is believed before it was looked at.
func TestHostileServer(t *testing.T) {
	ctx := context.Background()
	fine, fineText := store.Revision([]byte("fine")), []byte("fine")
	s := openAt(t, func(q Request) any {
		if q.Ask == AskTexts {
			return Answer{Project: "p", Stand: "1.1", Notes: []RemoteNote{{Name: "fine.md", Revision: fine, Text: fineText}}}
		}
		return Answer{Project: "p", Stand: "1.1", Notes: []RemoteNote{
			{Name: "fine.md", Revision: fine, Size: 4}, {Name: "../up.md", Revision: fine}, {Name: "a/b.md", Revision: fine}, {Name: "a\x00.md", Revision: fine}, {Name: "x.exe", Revision: fine},
			{Name: "large.md", Revision: fine, Size: store.Limit + 1}, {Name: "odd.md", Revision: "../../etc/passwd"}, {Name: "../gone.md", Revision: fine, Removed: 1},
		}}
	})
	h, err := s.Heads(ctx, true)
	must(t, err)
	read := note.ParseText("fine.md", fineText)
	fineUID := read.Identity()
	tree, err := s.ReadTree(ctx, h.remote)
	if err != nil || len(tree.Notes) != 1 || tree.Notes[fineUID] != (noteFile{"fine.md", fine, fine}) || len(tree.Trash) != 0 || len(tree.Refused) != 7 {
		t.Errorf("%+v, %v", tree, err)
	}
	fineText = []byte("another")
	s.read = newSpool(t.TempDir())
	if err := s.ReadTexts(ctx, []string{fine}, func(string, []byte) error { return nil }); err == nil || !strings.Contains(err.Error(), "not that of its revision") {
		t.Errorf("another text was taken: %v", err)
	}
	for name, answer := range map[string]any{
		"no answer": map[string]int{}, "an array": []int{1}, "endless": Answer{Project: "p", Stand: "1.1", Notes: slices.Repeat([]RemoteNote{{Name: "x.md", Revision: fine}}, mostNotes+1)},
		"huge": Answer{Project: "p", Stand: "1.1", Notes: hugeNotes(fine)},
	} {
		if _, err := openAt(t, func(Request) any { return answer }).Heads(ctx, true); !errors.Is(err, errors.Invalid) || strings.Contains(err.Error(), "blue_secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func hugeNotes(revision string) (all []RemoteNote) {
	for i := range mostBytes/store.Limit + 1 {
		all = append(all, RemoteNote{Name: fmt.Sprintf("n%d.md", i), Revision: revision, Size: store.Limit})
	}
	return all
}

// A server that confirms what it does not keep is not believed.
func TestLyingServer(t *testing.T) {
	ctx := context.Background()
	text := []byte("text")
	wrote := 0
	s := openAt(t, func(q Request) any {
		if q.Ask == AskWrite {
			wrote++
			return Answer{Project: "p", Stand: "2.2"}
		}
		return Answer{Project: "p", Stand: "1.1"}
	})
	if _, err := s.Heads(ctx, true); err != nil {
		t.Fatal(err)
	}
	next := newTree()
	next.Notes["x"] = noteFile{name: "x.md", blob: s.ID(text)}
	texts := textSource{map[string]bool{s.ID(text): true}, func(string) ([]byte, error) { return text, nil }, func(string, string) bool { return false }}
	_, err := s.Push(ctx, heads{}, next, texts, "")
	if wrote != 1 || !errors.Is(err, errors.Invalid) || !strings.Contains(err.Error(), "is not what was pushed") {
		t.Errorf("%d writes, %v", wrote, err)
	}
}

// Both changes of a note that has a new name are sent in one transaction.
func TestRenameIsNotSeparated(t *testing.T) {
	s := &serverBackend{}
	source := textSource{fresh: map[string]bool{"large": true}, read: func(string) ([]byte, error) { return make([]byte, 1<<20), nil }}
	change := func(uid, revision string) sentNote {
		return sentNote{RemoteNote: RemoteNote{Name: uid + revision, Revision: revision}, UID: uid}
	}
	var many []sentNote
	for n := range batchEntries - 1 {
		many = append(many, change(fmt.Sprintf("a%03d", n), "small"))
	}
	many = append(many, change("renamed", "small"), change("renamed", ""))
	for name, test := range map[string]struct {
		changes []sentNote
		want    int
	}{
		"at the most changes": {many, batchEntries - 1},
		"all of them":         {many[1:], batchEntries},
		"at the most text":    {[]sentNote{change("a", "large"), change("b", "large"), change("b", "large")}, 1},
		"one note alone":      {[]sentNote{change("b", "large"), change("b", "large"), change("b", "large")}, 1},
	} {
		if batch, err := s.withTexts(test.changes, source); err != nil || len(batch) != test.want {
			t.Errorf("%s: %d of %d, %v", name, len(batch), len(test.changes), err)
		}
	}
}
