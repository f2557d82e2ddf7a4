package marker

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCarryOfSettings(t *testing.T) {
	for text, want := range map[string]Sync{
		"": DefaultSync(),
		"notes: notebook # here\nsync: session\n":                       {Mode: Notebook, Session: true, Remote: "origin", Ref: "refs/blue/notes"},
		"remote: up.stream\nref: refs/heads/blue-notes\nsync: manual\n": {Remote: "up.stream", Ref: "refs/heads/blue-notes"},
	} {
		if s, problem := parseSettings(text); problem != "" || s.Sync != want {
			t.Errorf("%q: %+v, %s", text, s.Sync, problem)
		}
	}
	for _, text := range []string{"notes: both", "notes: ref", "notes: worktree", "sync: always", "remote: ../evil", "remote: --upload-pack=x", "remote: https://x", "ref: refs/tags/x", "ref: refs/heads/../x",
		"ref: main", "ref: refs/blue/", "ref: refs/heads/a..b", "ref: refs/blue/x.lock", "ref: refs/blue/remotes/x", "ref: refs/heads/-x", "ref: refs/heads/a b"} {
		if _, problem := parseSettings(text); problem == "" {
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
	must(t, os.Mkdir(filepath.Join(root, Name), 0o755))
	must(t, os.WriteFile(filepath.Join(root, Name, projectFile), []byte("format: 1\nnotes: notebook # for now\nother:\n  notes: x"), 0o644))
	for _, step := range []struct{ key, value, project, ignore string }{
		{"notes", "notebook", "format: 1\nnotes: notebook\nother:\n  notes: x", ignoreText},
		{"notes", "notebook", "format: 1\nnotes: notebook\nother:\n  notes: x", ignoreText},
		{"ref", "refs/heads/n", "format: 1\nnotes: notebook\nother:\n  notes: x\nref: refs/heads/n\n", ignoreText},
		{"notes", "", "format: 1\nother:\n  notes: x\nref: refs/heads/n\n", ignoreText},
		{"notes", "notebook", "format: 1\nother:\n  notes: x\nref: refs/heads/n\nnotes: notebook\n", ignoreText},
	} {
		must(t, SetSyncKey(root, step.key, step.value))
		if file(projectFile) != step.project || file(ignoreFile) != step.ignore {
			t.Errorf("%v: %q, %q", step, file(projectFile), file(ignoreFile))
		}
	}
	must(t, os.WriteFile(filepath.Join(root, Name, ignoreFile), []byte("private/\nmine"), 0o644))
	if err := SetSyncKey(root, "notes", "notebook"); err != nil || file(ignoreFile) != "private/\nmine\nnotebook/\n" {
		t.Errorf("%v %q", err, file(ignoreFile))
	}
}
