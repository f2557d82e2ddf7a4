//go:build unix

package notesync

import (
	"crypto/rand"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"blue/blue/internal/note"
	"blue/fixtures"
)

// slowTransport is set where this program is the SSH of git.
const slowTransport = "BLUE_TEST_SLOW_TRANSPORT"

func TestMain(m *testing.M) {
	if flag.Parse(); os.Getenv(slowTransport) == "" {
		os.Exit(fixtures.Main(m))
	}
	if err := carrySlowly(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const (
	slowPiece = 64 << 10
	slowPause = 250 * time.Millisecond // after each piece
)

// carrySlowly runs the command of the other end here, a host and a command.
func carrySlowly(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("%q is no host and command", args) // git asks whether this is OpenSSH
	}
	c := exec.Command("sh", "-c", args[1])
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	copySlowly := func(to io.WriteCloser, from io.Reader) {
		defer to.Close()
		for {
			if n, err := io.CopyN(to, from, slowPiece); err != nil || n == 0 {
				return
			}
			time.Sleep(slowPause)
		}
	}
	go copySlowly(in, os.Stdin)
	copySlowly(os.Stdout, out)
	return c.Wait()
}

// A push and a fetch that take long are not ended as long as git says that they go on.
func TestSlowTransfer(t *testing.T) {
	fixtures.Full(t)
	fixtures.Slow(t) // it sleeps
	t.Parallel()
	const patience, pieces = 10 * time.Second, 50
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "core.compression=0", "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Skipf("SKIPPED: git %s: %v %s", args, err, out)
		}
	}
	program, err := os.Executable()
	must(t, err)
	env := func(name string) string {
		if name == "GIT_SSH_COMMAND" {
			return "env " + slowTransport + "=1 '" + program + "' --"
		}
		return os.Getenv(name)
	}
	run("init", "-q", "--bare", "far.git")
	open := func(name string) *gitBackend {
		run("init", "-q", name)
		run("-C", name, "remote", "add", "origin", "host:"+filepath.Join(dir, "far.git"))
		g, err := openGit(t.Context(), filepath.Join(dir, name), env)
		must(t, err)
		g.remoteTime, g.remoteName, g.remoteRef, g.file = patience, "origin", "refs/blue/notes", filepath.Join(dir, name+".base")
		return g
	}
	one, other := open("one"), open("other")
	notes, texts := newTree(), map[string][]byte{}
	for i := range pieces {
		text := make([]byte, slowPiece)
		_, _ = rand.Read(text)
		notes.Notes[note.DeriveUID(fmt.Sprint(i), time.Time{})] = noteFile{name: fmt.Sprintf("n%d.md", i), blob: one.ID(text)}
		texts[one.ID(text)] = text
	}
	fresh := map[string]bool{}
	for id := range texts {
		fresh[id] = true
	}
	if _, err := one.Heads(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	commit, err := one.Push(t.Context(), heads{}, notes, textSource{fresh: fresh, read: func(id string) ([]byte, error) { return texts[id], nil }}, "Notes")
	if err != nil {
		t.Errorf("a push of %v: %v", time.Since(begun), err)
	}
	pushed := time.Since(begun)
	h, err := other.Heads(t.Context(), true)
	if err != nil || h.remote != commit {
		t.Errorf("a fetch of %v has %v, not %s: %v", time.Since(begun)-pushed, h, commit, err)
	}
	if took := time.Since(begun); min(pushed, took-pushed) < patience {
		t.Errorf("the push took %v and the fetch %v: neither would have been ended", pushed, took-pushed)
	}
}
