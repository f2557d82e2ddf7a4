package marker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCarryOfSettings(t *testing.T) {
	for text, want := range map[string]Carry{
		"":                                   DefaultCarry(),
		"notes: ref\n":                       {OnRef: true, Remote: "origin", Ref: "refs/blue/notes"},
		"notes: ref # here\nsync: session\n": {OnRef: true, Session: true, Remote: "origin", Ref: "refs/blue/notes"},
		"remote: up.stream\nref: refs/heads/blue-notes\nnotes: worktree\nsync: manual\n": {Remote: "up.stream", Ref: "refs/heads/blue-notes"},
	} {
		if s, line, problem := parseSettings(text); problem != "" || s.Carry != want {
			t.Errorf("%q: %+v, %d %s", text, s.Carry, line, problem)
		}
	}
	for _, text := range []string{"notes: both", "sync: always", "remote: ../evil", "remote: --upload-pack=x", "remote: https://x", "ref: refs/tags/x", "ref: refs/heads/../x",
		"ref: main", "ref: refs/blue/", "ref: refs/heads/a..b", "ref: refs/blue/x.lock", "ref: refs/blue/remotes/x", "ref: refs/heads/-x", "ref: refs/heads/a b"} {
		if _, _, problem := parseSettings(text); problem == "" {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestSetCarry(t *testing.T) {
	root := t.TempDir()
	file := func(name string) string {
		data, _ := os.ReadFile(filepath.Join(root, Name, name))
		return string(data)
	}
	if err := os.Mkdir(filepath.Join(root, Name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, Name, projectFile), []byte("format: 1\nnotes: worktree # for now\nother:\n  notes: x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ key, value, project, ignore string }{
		{"notes", "ref", "format: 1\nnotes: ref\nother:\n  notes: x", ignoreText + ignoredNotes},
		{"notes", "ref", "format: 1\nnotes: ref\nother:\n  notes: x", ignoreText + ignoredNotes},
		{"ref", "refs/heads/n", "format: 1\nnotes: ref\nother:\n  notes: x\nref: refs/heads/n\n", ignoreText + ignoredNotes},
		{"notes", "worktree", "format: 1\nnotes: worktree\nother:\n  notes: x\nref: refs/heads/n\n", ignoreText},
	} {
		if err := SetCarry(root, step.key, step.value); err != nil {
			t.Fatal(err)
		}
		if file(projectFile) != step.project || file(ignoreFile) != step.ignore {
			t.Errorf("%v: %q, %q", step, file(projectFile), file(ignoreFile))
		}
	}
	if err := SetCarry(root, "notes", "ref"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(root, Name, ignoreFile)); err != nil {
		t.Fatal(err)
	}
	if err := WriteIgnoreFile(root); err != nil || !strings.HasSuffix(file(ignoreFile), "\n"+ignoredNotes) {
		t.Errorf("%v %q", err, file(ignoreFile))
	}
}
