package blue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"blue/blue"
	"blue/errors"
	"blue/fixtures"
)

// A key sent again with the text that it was sent with means the note that it made,
// whatever has become of that note since, as long as it is there or lies in the trash.
func TestKeyMeansOneNote(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	edits := func(t *testing.T, p *blue.Project, id string, count int) {
		for i := range count {
			text := fmt.Sprintf("text %d", i)
			_, err := p.Edit(t.Context(), blue.Change{ID: id, Body: &text})
			for tries := 0; errors.Is(err, errors.Busy) && tries < 100; tries++ { // in a bubble the wait for a lock takes no time
				_, err = p.Edit(t.Context(), blue.Change{ID: id, Body: &text})
			}
			must(t, err)
		}
	}
	for name, change := range map[string]func(t *testing.T, p *blue.Project, dir, id string){
		"130 edits": func(t *testing.T, p *blue.Project, _, id string) { edits(t, p, id, 130) },
		"edits with the clock set back": func(t *testing.T, p *blue.Project, _, id string) {
			edits(t, p, id, 110)
			synctest.Test(t, func(t *testing.T) { edits(t, p, id, 30) })
		},
		"a title, a type and tags": func(t *testing.T, p *blue.Project, _, id string) {
			title, kind, tags := "Another", "decision", []string{"x"}
			_, err := p.Edit(t.Context(), blue.Change{ID: id, Title: &title, Type: &kind, Tags: &tags})
			must(t, err)
		},
		"an editor": func(t *testing.T, p *blue.Project, dir, id string) {
			path := filepath.Join(dir, ".blue", "notes", id+".md")
			data, err := os.ReadFile(path)
			must(t, err)
			must(t, os.WriteFile(path, append(data, "by hand\n"...), 0o644))
			edits(t, p, id, 1)
		},
		"a history that is lost": func(t *testing.T, p *blue.Project, dir, id string) {
			edits(t, p, id, 2)
			must(t, os.RemoveAll(filepath.Join(dir, ".blue", "history")))
		},
		"another name": func(t *testing.T, p *blue.Project, dir, id string) {
			notes := filepath.Join(dir, ".blue", "notes")
			must(t, os.Rename(filepath.Join(notes, id+".md"), filepath.Join(notes, "renamed.md")))
		},
	} {
		for _, trashed := range []bool{false, true} {
			if trashed && name == "another name" {
				continue // no id leads to it
			}
			t.Run(fmt.Sprintf("%s, in the trash %v", name, trashed), func(t *testing.T) {
				t.Parallel()
				u := newUser(t)
				dir := u.Project(t)
				p := u.Open(t, dir)
				d := blue.Draft{Title: "A title", Body: "The text", Key: "key 1"}
				w, err := p.Write(t.Context(), d)
				must(t, err)
				change(t, p, dir, w.ID)
				if trashed {
					_, err = p.Remove(t.Context(), blue.Removal{ID: w.ID})
					must(t, err)
				}
				for range 2 {
					again, err := u.Open(t, dir).Write(t.Context(), d)
					must(t, err)
					if again.Created || again.Trashed != trashed || again.ID != w.ID && name != "another name" {
						t.Fatalf("sent again: %+v", again)
					}
				}
			})
		}
	}
}
