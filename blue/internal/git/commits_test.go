package git

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"blue/errors"
)

// repository makes one with a home of its own.
type repository struct {
	t   testing.TB
	dir string
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	c := exec.Command("git", args...)
	c.Dir = r.dir
	c.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GIT_") }), "HOME="+r.dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := c.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r repository) write(name, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(r.dir, name)), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func newRepository(t testing.TB) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: there is no git")
	}
	r := repository{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func readLog(t *testing.T, r repository, head string, most int) (all []Commit) {
	t.Helper()
	hashes, err := Ancestors(t.Context(), r.dir, head, most)
	must(t, err)
	must(t, Log(t.Context(), r.dir, hashes, func(c Commit) { all = append(all, c) }))
	return all
}

func TestLog(t *testing.T) {
	r := newRepository(t)
	r.write("a.go", "1")
	r.write("dir/b c.go", "1")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "First subject\n\nThe body,\nof two lines.\n\n--name: x")
	first := r.git("rev-parse", "HEAD")
	r.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
	r.git("checkout", "-q", "-b", "side")
	r.write("c.go", "1")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "Side")
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
	head := r.git("rev-parse", "HEAD")
	all := readLog(t, r, head, 10)
	if len(all) != 4 || !all[0].Merge || all[0].Hash != head || len(all[0].Files) != 0 {
		t.Fatalf("%+v", all)
	}
	last := all[3]
	if last.Hash != first || last.Subject != "First subject" || last.Body != "The body,\nof two lines.\n\n--name: x" || last.Author != "Ann" || last.Merge ||
		!slices.Equal(last.Files, []string{"a.go", "dir/b c.go"}) || last.Time.IsZero() {
		t.Errorf("%+v", last)
	}
	side := slices.IndexFunc(all, func(c Commit) bool { return c.Subject == "Side" })
	if side < 0 || !slices.Equal(all[side].Files, []string{"c.go"}) || all[3-side].Subject != "" {
		t.Errorf("%+v", all)
	}
	if newest := readLog(t, r, head, 3); len(newest) != 3 || newest[0].Hash != head {
		t.Errorf("%+v", newest)
	}
	if read, err := ReadCommits(t.Context(), r.dir, []string{first[:9]}); read[first[:9]].Hash != first {
		t.Errorf("%+v, %v", read, err)
	}
	r.git("branch", "beef")
	for _, hash := range []string{"beef", "0000", strings.Repeat("0", 40), "--all", "HEAD"} {
		if read, err := ReadCommits(t.Context(), r.dir, []string{hash}); len(read) > 0 || err != nil {
			t.Errorf("%s: %+v, %v", hash, read, err)
		}
	}
	if _, err := Ancestors(t.Context(), r.dir, "--all", 1); err == nil {
		t.Error("a commit that is no hash")
	}
}

// A message of 1 MB and one that is no UTF-8.
func TestLogIsBounded(t *testing.T) {
	r := newRepository(t)
	r.write("message", "Large\n\n"+strings.Repeat("0123456789\n", 100_000))
	r.git("commit", "-q", "--allow-empty", "-F", "message")
	r.write("message", "caf\xe9 \x1b[31m\n")
	r.git("-c", "i18n.commitEncoding=UTF-8", "commit", "-q", "--allow-empty", "-F", "message")
	all := readLog(t, r, r.git("rev-parse", "HEAD"), 10)
	if len(all) != 2 || !utf8.ValidString(all[0].Subject) || !strings.HasSuffix(all[0].Subject, " \x1b[31m") {
		t.Fatalf("%q", all[0].Subject)
	}
	if n := len(all[1].Body); n > messageLimit || all[1].Cut < 1_000_000 {
		t.Errorf("%d bytes, %d cut", n, all[1].Cut)
	}
}

// Nothing that the configuration of the repository names is run.
func TestLogRunsNothing(t *testing.T) {
	r := newRepository(t)
	r.write("a", "1")
	r.git("add", "a")
	r.git("commit", "-q", "-m", "One")
	head := r.git("rev-parse", "HEAD")
	r.write("evil", "#!/bin/sh\ntouch '"+filepath.Join(r.dir, "ran")+"'\n")
	must(t, os.Chmod(filepath.Join(r.dir, "evil"), 0o755))
	evil := filepath.Join(r.dir, "evil")
	for _, key := range []string{"core.pager", "gpg.program", "core.fsmonitor", "diff.external", "core.sshCommand", "pager.log", "core.editor"} {
		r.git("config", key, evil)
	}
	r.git("config", "log.showSignature", "true")
	t.Setenv("GIT_EXTERNAL_DIFF", evil)
	t.Setenv("GIT_DIR", "/nowhere")
	if all := readLog(t, r, head, 10); len(all) != 1 {
		t.Errorf("%+v", all)
	}
	if _, err := os.Lstat(filepath.Join(r.dir, "ran")); err == nil {
		t.Error("git ran a program of the configuration")
	}
}

// A history that cannot be read is an error that says why.
func TestLogFails(t *testing.T) {
	r := newRepository(t)
	r.git("commit", "-q", "--allow-empty", "-m", "One")
	r.git("commit", "-q", "--allow-empty", "-m", "Two")
	head, first := r.git("rev-parse", "HEAD"), r.git("rev-parse", "HEAD^")
	must(t, os.Remove(filepath.Join(r.dir, ".git", "objects", first[:2], first[2:])))
	_, err := Ancestors(t.Context(), r.dir, head, 10)
	if err == nil || !strings.HasPrefix(err.Error(), "git rev-list: ") {
		t.Errorf("%v", err)
	}
	t.Setenv("PATH", "")
	if err := Log(t.Context(), r.dir, []string{head}, nil); err == nil {
		t.Error("without git")
	}
}

func TestParseRef(t *testing.T) {
	for text, want := range map[string]string{"commit 3f2a9c1": "3f2a9c1", " Commit  ABCD ": "abcd", "commit": "", "commit 3f2": "", "3f2a9c1": "", "commit 3f2a9c1 x": "", "commit --all": ""} {
		if got, _ := ParseRef(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// FuzzParseLog: whatever git prints, what comes out is bounded and valid.
func FuzzParseLog(f *testing.F) {
	hash := strings.Repeat("a1", 20)
	f.Add("\x00" + hash + "\x00\x001700000000\x00Ann\x00Subject\n\nBody\n\x00\x00\na.go\x00b.go\x00")
	f.Add("\x00" + hash + "\x00x y\x001\x00\x00\x00\x00\x00" + hash + "\x00\x00\x00\x00\xff\x00\x00\n")
	f.Add("fatal")
	f.Fuzz(func(t *testing.T, text string) {
		err := parseLog(strings.NewReader(text), func(c Commit) error {
			if !isHash(c.Hash) || len(c.Files) > fileLimit || len(c.Subject)+len(c.Body) > 3*messageLimit || strings.ToValidUTF8(c.Subject+c.Body, "") != c.Subject+c.Body {
				t.Errorf("%+v", c)
			}
			return nil
		})
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !strings.HasPrefix(err.Error(), "git log printed ") {
			t.Error(err)
		}
	})
}
