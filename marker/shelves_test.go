package marker

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// K008: what the key sources may say, and the warning that names the line otherwise.
func TestShelves(t *testing.T) {
	for value, want := range map[string]struct {
		shown, globs, fault string
	}{
		"":                                  {"documents, commits", "", ""},
		"documents, commits":                {"documents, commits", "", ""},
		"commits,documents # both":          {"documents, commits", "", ""},
		"none":                              {"none", "", ""},
		`"commits"`:                         {"commits", "", ""},
		"documents(docs/**/*.md README.md)": {"documents", "docs/**/*.md README.md", ""},
		"commits, documents(a/*.md, b.md)":  {"documents, commits", "a/*.md b.md", ""},
		"wiki":                              {"documents, commits", "", `unknown source "wiki"`},
		"documents, none":                   {"documents, commits", "", "none stands beside other sources"},
		"documents(docs/[*.md)":             {"documents, commits", "", `bad glob "docs/[*.md"`},
		"documents(../*.md)":                {"documents, commits", "", `bad glob "../*.md"`},
		"documents(/etc/*.md)":              {"documents, commits", "", `bad glob "/etc/*.md"`},
		"documents()":                       {"documents, commits", "", "documents has 0 globs, give 1 to 100"},
		"documents(a.md":                    {"documents, commits", "", "the globs of documents lack a closing parenthesis"},
		"commits(a.md)":                     {"documents, commits", "", `"commits" takes nothing in parentheses`},
		"[documents]":                       {"documents, commits", "", "the value of sources is not a list on one line"},
		"documents,":                        {"documents, commits", "", `unknown source ""`},
	} {
		s, _, problem := parseSettings("format: 1\nid: shop\nsources: " + value + "\n")
		if problem != "" || s.ID != "shop" {
			t.Errorf("%q: the file counts as empty: %s", value, problem)
		}
		if got := s.Shelves.String(); got != want.shown || strings.Join(s.Shelves.Globs, " ") != want.globs {
			t.Errorf("%q: %s with globs %q, want %s with %s", value, got, s.Shelves.Globs, want.shown, want.globs)
		}
		warning := ""
		if want.fault != "" {
			warning = "3: " + want.fault + "; sources counts as documents, commits"
		}
		if s.warning != warning {
			t.Errorf("%q: warning %q, want %q", value, s.warning, warning)
		}
	}
}

// runGit runs git with a home of its own.
func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GIT_") }), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Skipf("SKIPPED: git %s: %v %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// T010: the default branch of a remote is found wherever the reference is kept.
func TestT010Upstream(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "one")
	head := runGit(t, dir, "rev-parse", "HEAD")
	if got := FindCheckout(dir).Upstream(); got != "" {
		t.Errorf("without a remote: %q", got)
	}
	runGit(t, dir, "update-ref", "refs/remotes/upstream/main", head)
	if got := FindCheckout(dir).Upstream(); got != head {
		t.Errorf("loose: %q", got)
	}
	runGit(t, dir, "pack-refs", "--all", "--prune")
	_ = os.RemoveAll(filepath.Join(dir, ".git", "refs", "remotes", "upstream")) // as git gc does
	if got := FindCheckout(dir).Upstream(); got != head {
		t.Errorf("packed: %q", got)
	}
}

// K003, K004: HEAD is read as git says it stands, wherever the reference is kept.
func TestFindCheckout(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if c := FindCheckout(dir); c.Top != "" || c.State() != "" {
		t.Errorf("outside a working tree: %+v", c)
	}
	runGit(t, dir, "init", "-q", "-b", "main")
	if c := FindCheckout(dir); c.Top != dir || c.Commit != "" || c.Shallow {
		t.Errorf("before the first commit: %+v", c)
	}
	runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "one")
	same := func(what, dir string) {
		t.Helper()
		if c, want := FindCheckout(dir), runGit(t, dir, "rev-parse", "HEAD"); c.Commit != want {
			t.Errorf("%s: %+v, want %s", what, c, want)
		}
	}
	same("loose", dir)
	runGit(t, dir, "branch", "other/branch")
	runGit(t, dir, "pack-refs", "--all")
	same("packed", dir)
	runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "two")
	same("loose above packed", dir)
	linked := filepath.Join(filepath.Dir(dir), "linked")
	runGit(t, dir, "worktree", "add", "-q", linked, "other/branch")
	same("linked worktree", linked)
	if branch := Branch(linked); branch != "other/branch" {
		t.Errorf("branch %q", branch)
	}
	runGit(t, linked, "checkout", "-q", "--detach")
	same("detached", linked)
	bare := filepath.Join(filepath.Dir(dir), "bare.git")
	runGit(t, filepath.Dir(dir), "clone", "-q", "--bare", dir, bare)
	runGit(t, bare, "worktree", "add", "-q", filepath.Join(filepath.Dir(dir), "of-bare"), "main")
	same("worktree of a bare repository", filepath.Join(filepath.Dir(dir), "of-bare"))
	shallow := filepath.Join(filepath.Dir(dir), "shallow")
	runGit(t, filepath.Dir(dir), "clone", "-q", "--depth", "1", "file://"+dir, shallow)
	if c := FindCheckout(shallow); !c.Shallow {
		t.Errorf("shallow: %+v", c)
	}
	same("shallow", shallow)
	if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/../../../etc/passwd\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if c := FindCheckout(dir); c.Commit != "" {
		t.Errorf("a reference out of the directory: %+v", c)
	}
}
