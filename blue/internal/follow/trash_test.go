package follow_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"blue/blue/internal/follow"
	"blue/blue/internal/index"
	"blue/blue/internal/store"
)

// countedTrash is a trash that counts what is asked of it.
type countedTrash struct {
	notes    []store.Trashed // the newest first
	lists    int
	readings []string
}

func (c *countedTrash) Removed(most int) ([]store.Trashed, error) {
	c.lists++
	return slices.Clone(c.notes[:min(most, len(c.notes))]), nil
}

func (c *countedTrash) RemovedTexts(files []string) (map[string][]byte, error) {
	texts := map[string][]byte{}
	for _, file := range files {
		texts[file] = []byte(file)
	}
	c.readings = append(c.readings, files...)
	return texts, nil
}

func (c *countedTrash) remove(name string, at time.Time) {
	t := store.Trashed{Name: "notes/" + name + ".md", File: fmt.Sprintf("trash/%s-%d.md", name, at.UnixNano()), Time: at, Size: 10}
	c.notes = slices.Insert(c.notes, 0, t)
}

// G013: a large trash is read once, in part, and neither read nor listed again while nothing
// has changed it, also by the next process; then only what is new is read.
func TestG013LargeTrash(t *testing.T) {
	trash, dir, now := &countedTrash{}, t.TempDir(), time.Now()
	for i := range 10_000 {
		trash.remove(fmt.Sprintf("n%05d", i), now.Add(time.Duration(i)))
	}
	trash.remove("n09999", now.Add(time.Hour)) // again
	look := func(what string, x *index.Index, state int64, lists, readings int) {
		t.Helper()
		trash.lists, trash.readings = 0, nil
		err := follow.Removed(x, trash, index.Stamp{ModTime: state}, func(name string, data []byte) (index.Document, error) {
			return index.Document{Row: index.Row{ID: name, Title: name}, Body: string(data)}, nil
		})
		if err != nil || trash.lists != lists || len(trash.readings) != readings {
			t.Errorf("%s: %d lists, %d notes read, %v", what, trash.lists, len(trash.readings), err)
		}
	}
	x := index.Open(dir)
	look("first", x, 1, 1, 499)
	look("again", x, 1, 0, 0)
	x = index.Open(dir) // the process before was ended
	look("another process", x, 1, 0, 0)
	trash.remove("newest", now.Add(2*time.Hour))
	look("one more", x, 2, 1, 1)
	x = index.Open(dir)
	defer x.Close()
	look("a third process", x, 2, 0, 0)
	if row, ok := x.Row(trash.notes[0].File); !ok || !row.Superseded || row.ID != "notes/newest.md" || !row.Time.Equal(trash.notes[0].Time) {
		t.Errorf("%+v", row)
	}
	trash.notes = nil
	look("emptied", x, 0, 1, 0)
	if x.Len() != 1 {
		t.Errorf("%d left", x.Len())
	}
}
