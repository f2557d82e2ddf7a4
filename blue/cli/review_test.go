package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// blue review --ask settles notes one by one, with a letter each. Without a terminal it fails and changes nothing.
func TestReviewAsks(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	put := func(name, front string) {
		file := filepath.Join(p.dir, ".blue", "notes", name+".md")
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte("---\ntitle: "+name+"\n"+front+"\n---\n\nThe umbrellas of "+name+" belong to everyone.\n"), 0o644))
	}
	put("a-changed", "created: 2026-01-01\nfiles:\n  - path: pay.go\n    hash: 0123456789abcdef")
	put("b-proposed", "type: decision\nstatus: proposed\ncreated: 2020-01-02")
	put("c-proposed", "type: note\nstatus: proposed\ncreated: 2020-01-03")
	put("d-old", "created: 2019-01-01")
	put("e-old", "created: 2018-01-01")
	must(t, os.WriteFile(filepath.Join(p.dir, "pay.go"), []byte("package pay\n"), 0o644))
	if out, code := p.run("review", "--ask"); code == 0 || !strings.Contains(out, "--ask needs somebody at a terminal") {
		t.Errorf("exit %d\n%s", code, out)
	}
	p.std.Typed, p.std.Watched, p.std.In = true, true, strings.NewReader("y\nn\nToo wide.\ny\n\n")
	out, code := p.run("review", "--ask")
	for _, want := range []string{"Does it still hold? y yes, n no, e edit, Enter later, q quit: ", "Accept it?", "Why not? ", "The umbrellas of a-changed", "Looked through: 2 hold, 1 set aside, 0 edited, 2 left for later\n"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, %q is missing in\n%s", code, want, out)
		}
	}
	for name, want := range map[string]string{"a-changed": "verified: ", "b-proposed": "status: accepted", "c-proposed": "status: rejected\ncreated: 2020-01-03\n---\n\nThe umbrellas of c-proposed belong to everyone.\n\nRejected: Too wide.", "d-old": "created: 2019", "e-old": "created: 2018"} {
		text, err := os.ReadFile(filepath.Join(p.dir, ".blue", "notes", name+".md"))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, %s", name, err, text)
		}
	}
	p.std.In = strings.NewReader("q\n")
	if out, _ := p.run("review", "--ask", "--limit", "1"); !strings.Contains(out, "Looked through: 0 hold, 0 set aside, 0 edited, 0 left for later\n") {
		t.Error(out)
	}
}
