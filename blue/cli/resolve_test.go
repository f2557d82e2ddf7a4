package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// conflicting is a project with a conflict, and an editor as in [editing].
func conflicting(t *testing.T, script string) (p *place, ours string) {
	t.Helper()
	p, ours = editing(t, "---\ntitle: N\n---\n\none\ntwo\n", script)
	theirs := filepath.Join(filepath.Dir(ours), "n-bbbb.md")
	must(t, os.WriteFile(theirs, []byte("---\ntitle: N\nconflict-with: n-aaaa\n---\n\none\n2\n"), 0o644))
	return p, ours
}

// TestResolveInTheEditor: both texts open in the editor with markers, and what is saved
// without them becomes the note. What is not taken stays in its file.
func TestResolveInTheEditor(t *testing.T) {
	t.Parallel()
	p, file := conflicting(t, "grep -v '^[<=>]\\{7\\}' $1 >$1.x; mv $1.x $1")
	if said := p.says(t, "resolve", "n-b"); !strings.HasPrefix(said, "Resolved n-aaaa, revision ") || !strings.Contains(said, "\nMoved to the trash: n-bbbb (.blue/trash/n-bbbb-") {
		t.Error(said)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "---\ntitle: N\n---\n\none\ntwo\n2\n" {
		t.Errorf("%v %q", err, data)
	}
	p.refuses(t, 3, "is in no conflict", "resolve", "n-aaaa")

	p, file = conflicting(t, "echo mine >>$1")
	out, code := p.run("resolve", "n-aaaa")
	_, path, _ := strings.Cut(out, "your text is kept in ")
	path, _, _ = strings.Cut(path, "\n")
	defer os.RemoveAll(filepath.Dir(path))
	const typed = "---\ntitle: N\n---\n\none\n<<<<<<< n-aaaa\ntwo\n=======\n2\n>>>>>>> n-bbbb\nmine\n"
	if data, err := os.ReadFile(path); code != 5 || err != nil || string(data) != typed || !strings.Contains(out, "still has conflict markers, the first on line 6\n") {
		t.Errorf("exit %d, %v: %q\n%s", code, err, data, out)
	}
	if data, err := os.ReadFile(file); err != nil || !strings.HasSuffix(string(data), "one\ntwo\n") || len(p.files(t)) != 2 {
		t.Errorf("%v %q, %v", err, data, p.files(t))
	}
}

// TestResolveWithoutAnEditor: flags say which text stays, and lists, diffs and completion know
// the two notes.
func TestResolveWithoutAnEditor(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{"--ours": "one\ntwo\n", "--theirs": "one\n2\n", "--both": "one\ntwo\n\n## Other text of this note\n\none\n2\n"} {
		p, file := conflicting(t, "exit 1")
		if said := p.says(t, "list"); strings.Count(said, "conflict)") != 2 {
			t.Error(said)
		}
		if said := p.says(t, "diff", "n-aaaa", "n-bbbb"); !strings.Contains(said, "\n-two\n+2\n") || !strings.Contains(said, "\n+++ n-bbbb\t") {
			t.Error(said)
		}
		if said := p.says(t, "__complete", "zsh", "resolve", ""); said != "words\nn-aaaa\tin conflict with n-bbbb\nn-bbbb\tanother machine's text of n-aaaa\n" {
			t.Error(said)
		}
		if said := p.says(t, "__complete", "zsh", "diff", "n-aaaa", ""); !strings.Contains(said, "\nn-bbbb\tN\n") {
			t.Error(said)
		}
		p.says(t, "resolve", "n-aaaa", flag)
		if data, err := os.ReadFile(file); err != nil || !strings.HasSuffix(string(data), "---\n\n"+want) || len(p.files(t)) != 1 {
			t.Errorf("%s: %v %q, %v", flag, err, data, p.files(t))
		}
	}
	p := newPlace(t, map[string]string{"n-aaaa": "one\n", "n-bbbb": "---\nconflict-with: n-aaaa\n---\ntwo\n"})
	p.refuses(t, 2, "give --ours, --theirs or --both", "resolve", "n-aaaa")
	p.refuses(t, 2, "--ours", "resolve", "n-aaaa", "--ours", "--both")
}

// TestSyncWithAConflict: a sync exits with 1 and names the commands while a conflict is open,
// also when there is nothing to carry.
func TestSyncWithAConflict(t *testing.T) {
	t.Parallel()
	p, _ := editing(t, "---\ntitle: N\n---\n\none\n", `awk 'NR == 2 { print "conflict-with: n-aaaa" } 1' $1 >$1.x; mv $1.x $1`)
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.name", "t"}, {"config", "user.email", "t@t"}} {
		if out, err := exec.Command("git", append([]string{"-C", p.dir}, args...)...).CombinedOutput(); err != nil {
			t.Skipf("SKIPPED: git: %s", out)
		}
	}
	p.says(t, "sync", "--on")
	theirs := strings.Fields(p.says(t, "write", "--title", "M", "--body", "two"))[1]
	p.says(t, "edit", theirs)
	for range 2 {
		if said, code := p.run("sync"); code != 1 || !strings.Contains(said, "blue diff n-aaaa "+theirs+", then blue resolve "+theirs+"\n") {
			t.Errorf("exit %d: %s", code, said)
		}
	}
	p.says(t, "resolve", "n-aaaa", "--both")
	p.says(t, "sync")
}
