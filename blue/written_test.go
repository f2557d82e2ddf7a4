package blue_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"blue/blue"
)

// What a process puts into its index while it writes is what a new index takes from the
// files, whoever wrote them last.
func TestWrittenAsRead(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, ".blue/notes/plain-a2b3.md", "# No front matter\n\nIt says nothing of its time.\n")
	p := u.Open(t, dir)
	first, err := p.Write(t.Context(), blue.Draft{Title: "Signing keys", Body: "Rotate them. See [[plain-a2b3]].", Tags: []string{"ops"}})
	must(t, err)
	_, err = p.Write(t.Context(), blue.Draft{Title: "Newer signing keys", Body: "Rotate them twice.", Supersedes: []string{first.ID}})
	must(t, err)
	more := "and a further line"
	_, err = p.Edit(t.Context(), blue.Change{ID: "plain-a2b3", Append: &more})
	must(t, err)
	written, err := p.Write(t.Context(), blue.Draft{Title: "Replaced at once", Body: "keys of the first writer"})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, written.Path), []byte("# Replaced at once\n\nkeys of an editor, who was quick"), 0o644))

	answers := func(p *blue.Project) (all string) {
		for _, query := range []string{"keys", "rotate", "editor", "writer", "further line", "Signing keys"} {
			hits, err := p.Search(t.Context(), blue.Query{Text: query, Explain: true})
			must(t, err)
			data, err := json.Marshal(hits.Hits)
			must(t, err)
			all += fmt.Sprintf("%s: %s\n", query, data)
		}
		list, err := p.List(t.Context(), blue.Filter{})
		must(t, err)
		data, err := json.Marshal(list.Notes)
		must(t, err)
		return all + string(data)
	}
	got := answers(p)
	must(t, os.RemoveAll(filepath.Join(u.Home, "cache")))
	if want := answers(u.Open(t, dir)); got != want {
		t.Errorf("the writer answers\n%s\na new index\n%s", got, want)
	}
}
