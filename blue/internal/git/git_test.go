package git_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blue/blue/internal/git"
	"blue/fixtures"
)

// A git that waits for its reader, on a machine that is slow, is not silent.
func TestASlowReaderIsNoSilence(t *testing.T) {
	fixtures.Slow(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: there is no git")
	}
	dir := t.TempDir()
	var history strings.Builder
	for i := range 3 {
		message := strings.Repeat(fmt.Sprintf("%d ", i), 100<<10) // more than a pipe holds
		fmt.Fprintf(&history, "commit refs/heads/main\ncommitter Ann <a@example.com> %d +0000\ndata %d\n%s\n", 1_700_000_000+i, len(message), message)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"fast-import", "--quiet"}} {
		c := exec.Command("git", args...)
		c.Dir, c.Stdin = dir, strings.NewReader(history.String())
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	const silence = 2 * time.Second
	read := 0
	err := git.Command{Dir: dir, Args: []string{"log", "--format=%B", "main", "--"}, Silence: silence}.Stream(t.Context(), func(out io.Reader) error {
		lines := bufio.NewReader(out)
		if _, err := lines.Peek(1); err != nil {
			return err
		}
		time.Sleep(silence + silence/4) // work
		n, err := io.Copy(io.Discard, lines)
		read = int(n)
		return err
	})
	if err != nil || read < 600<<10 {
		t.Errorf("%d bytes, %v", read, err)
	}
}

// Settings that include one another over and over are named, and not read for ever.
func TestTooManyIncludedFiles(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, ".git", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	put("HEAD", "ref: refs/heads/main\n")
	include := func(name string) string { return "[include]\n\tpath = " + name + "\n" }
	put("config", strings.Repeat(include("0"), 4)+include("config"))
	for i := range 9 {
		put(fmt.Sprint(i), strings.Repeat(include(fmt.Sprint(i+1)), 4)) // 4 to the power of 9 in all
	}
	if err := git.Check(git.FindDirectories(dir)); err == nil || !strings.Contains(err.Error(), "is one of too many included files") {
		t.Errorf("Check says %v", err)
	}
	put("config", include("8"))
	if err := git.Check(git.FindDirectories(dir)); err != nil {
		t.Errorf("of a few: %v", err)
	}
}
