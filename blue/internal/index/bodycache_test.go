package index

import (
	"fmt"
	"strings"
	"testing"
)

// A text is read once, and again when its document has another revision; one whose
// revision is not that of the document is not kept for it.
func TestBodies(t *testing.T) {
	var b bodyCache
	reads := 0
	file := "first"
	read := func(Row) (body, revision string) { reads++; return "text " + file, file }
	for i, step := range []struct {
		file, asked, want string
		reads             int
	}{
		{"first", "first", "text first", 1},
		{"first", "first", "text first", 1},
		{"second", "first", "text first", 1}, // as it was found
		{"second", "second", "text second", 2},
		{"third", "fourth", "text third", 3}, // written since it was found
		{"fourth", "fourth", "text fourth", 4},
		{"fourth", "third", "text third", 4},
	} {
		file = step.file
		if got := b.bodyOf(Row{Revision: step.asked}, read); got != step.want || reads != step.reads {
			t.Errorf("step %d: %q after %d reads", i, got, reads)
		}
	}
	b.clear()
	if b.bodyOf(Row{Revision: "fourth"}, read); reads != 5 {
		t.Error("nothing was given back")
	}
	if b.bodyOf(Row{Revision: "gone"}, func(Row) (string, string) { return "", "" }); b.known["gone"] != "" || len(b.known) != 1 {
		t.Error("what cannot be read was kept")
	}
}

func TestBodiesKept(t *testing.T) {
	var b bodyCache
	often := 0
	for i := range 5000 {
		size := i % 4000
		if i%100 == 0 {
			size = bodiesKept
		}
		b.bodyOf(Row{Revision: fmt.Sprint(i)}, func(r Row) (string, string) { return strings.Repeat("x", size), r.Revision })
		b.bodyOf(Row{Revision: "often"}, func(r Row) (string, string) { often++; return "o", r.Revision })
		kept := 0
		for _, body := range b.known {
			kept += len(body)
		}
		if kept > bodiesKept {
			t.Fatalf("%d bytes after %d", kept, i)
		}
	}
	if often > 100 { // which make room is chance
		t.Errorf("read %d times what is always asked for", often)
	}
}
