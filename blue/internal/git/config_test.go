package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blue/fixtures"
)

// The file of core.excludesFile is the one that git finds.
func TestIgnoreFiles(t *testing.T) {
	home, top := t.TempDir(), t.TempDir()
	exclude := filepath.Join(top, ".git", "info", "exclude")
	drive := filepath.VolumeName(fixtures.Abs("/"))
	global, local := filepath.Join(home, ".gitconfig"), filepath.Join(top, ".git", "config")
	must(t, os.Mkdir(filepath.Join(top, ".git"), 0o755))
	c := Checkout{Top: top, Private: filepath.Dir(local), Shared: filepath.Dir(local)}
	write := func(name, text string) {
		t.Helper()
		must(t, os.WriteFile(name, []byte(text), 0o644))
	}
	write(filepath.Join(home, "more"), "[core]\n\texcludesFile = ~/included\n")
	for _, tt := range []struct{ global, local, want string }{
		{"", "", "default"},
		{"[user]\n\tname = Ann\n[core]\n\tExcludesFile = ~/mine # comment\n", "", home + "/mine"},
		{"[core] excludesfile = \"" + drive + "/a b;c\" ; comment\n", "", drive + "/a b;c"},
		{"[core]\nexcludesfile = /one\n[core]\nexcludesfile = " + drive + "/two\n[remote \"x\"]\nexcludesfile = /other\n", "", drive + "/two"},
		{"[core]\nexcludesfile = /one\n", "[core]\n\texcludesfile = rules.txt\n", top + "/rules.txt"},
		{"[core]\nexcludesfile = " + drive + "/on\\\ne\\\\x\n", "", drive + `/one\x`},
		{"[core]\nexcludesfile =\n", "", ""},
		{"[include]\npath = more\n", "", home + "/included"},
		{"[include]\npath = .gitconfig\npath = ~/none\n", "", "default"},
		{"# excludesfile = /x\n;[core]\nexcludesfile = /x\n", "", "default"},
		{"[core", "", "default"},
	} {
		write(global, tt.global)
		write(local, tt.local)
		want := filepath.FromSlash(tt.want)
		if tt.want == "default" {
			want = filepath.Join(home, "git", "ignore")
		}
		if want != "" {
			want += "\n"
		}
		if got := strings.Join(c.IgnoreFiles(home, filepath.Join(home, "git")), "\n"); got != want+exclude {
			t.Errorf("%q, %q: %q, want %q", tt.global, tt.local, got, want+exclude)
		}
		run := exec.Command("git", "config", "--file", global, "--type=path", "--includes", "core.excludesFile")
		run.Dir, run.Env = top, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		if out, err := run.Output(); err == nil && tt.local == "" && strings.TrimSuffix(string(out), "\n") != tt.want {
			t.Errorf("%q: git says %q", tt.global, out)
		}
	}
}

// The user is the one that git finds, with and without a repository.
func TestUser(t *testing.T) {
	home, top := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	write := func(name, text string) {
		t.Helper()
		must(t, os.WriteFile(name, []byte(text), 0o644))
	}
	check := func(want string) {
		t.Helper()
		if got := User(t.Context(), top, home, filepath.Join(home, ".config", "git")); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check("")
	write(filepath.Join(home, ".gitconfig"), "[user]\n\tname = Ann # me\n[include]\npath = more\n")
	check("Ann")
	write(filepath.Join(home, "more"), "[user]\nname = \"Ann  B.\"\n")
	check("Ann  B.")
	if out, err := exec.Command("git", "init", "-q", top).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: git: %v: %s", err, out)
	}
	check("Ann  B.")
	write(filepath.Join(home, "work"), "[user]\nname = At Work\n")
	write(filepath.Join(home, "more"), "[includeIf \"gitdir:"+filepath.ToSlash(top)+"/\"]\npath = work\n")
	check("At Work")
	write(filepath.Join(home, "more"), "[includeIf \"gitdir:/elsewhere/\"]\npath = work\n")
	check("Ann")
	write(filepath.Join(top, ".git", "config"), "[core]\nrepositoryformatversion = 0\n[user]\nname = Here\n")
	check("Here")
}

func FuzzParseConfig(f *testing.F) {
	f.Add("[core] excludesfile = \"a\\\"b\" # c\n[include \"x\"]\npath=\\\n~/y")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range parseConfig(text) {
			if len(s.value) > len(text) || s.key != strings.ToLower(s.key) {
				t.Errorf("%q", s)
			}
		}
	})
}
