package git_test

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
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
