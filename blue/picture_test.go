package blue_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPictures: a picture that a note embeds is no link to a note, and it is read from
// the project alone, but not from what stays on this machine.
func TestPictures(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	writeNote(t, p, "note", "The queue", "![[queue.png]] ![[docs/img/queue.png|200]] ![the queue](docs/img/queue.png)")
	for _, file := range []string{"docs/img/queue.png", ".blue/notes/near.JPG", ".blue/private/mine.png", "text.txt", "../outside.png"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, file), []byte(file), 0o644))
	}
	if err := os.Symlink("../outside.png", filepath.Join(dir, "link.png")); err != nil {
		t.Skipf("SKIPPED: no symbolic links here: %v", err)
	}
	for name, want := range map[string]string{
		"docs/img/queue.png": "docs/img/queue.png", "/docs/img/queue.png": "docs/img/queue.png", "../../docs/img/queue.png": "docs/img/queue.png", "near.JPG": ".blue/notes/near.JPG",
		"../private/mine.png": "", ".blue/private/mine.png": "", ".BLUE/Private/mine.png": "", "text.txt": "", "../outside.png": "", "link.png": "", "none.png": "", "": "",
	} {
		if kind, content := p.Picture(name); string(content) != want || (kind == "") != (want == "") {
			t.Errorf("%q: %q, %q", name, kind, content)
		}
	}
	c, err := p.Check(t.Context())
	must(t, err)
	for _, f := range c.Findings {
		if f.Wrong {
			t.Errorf("found: %+v", f)
		}
	}
}
