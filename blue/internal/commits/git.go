// Package commits reads the history of a repository, and what a branch has changed, with
// the user's git. It knows git's output, not notes: commits in, texts out.
//
// The repository may have come from anywhere, with a configuration of its own. Git is
// started without a shell, by arguments that nobody else writes, in such a way that it
// runs nothing which that configuration names, fetches nothing, writes nothing and asks
// nothing.
package commits

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// waitDelay is how long the pipes of a git that was told to end are waited for.
const waitDelay = 150 * time.Millisecond

// Output runs a git command in a directory and returns what it prints.
func Output(ctx context.Context, dir string, args ...string) (string, error) {
	c := command(ctx, dir, args...)
	out, err := c.Output()
	return string(out), err
}

// command is a git command that has not been started.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "git", append([]string{"--no-pager", "-c", "core.fsmonitor=false", "-c", "diff.relative=false", "-c", "log.diffMerges=off"}, args...)...)
	c.Dir, c.WaitDelay = dir, waitDelay
	c.Env = slices.DeleteFunc(c.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") // those of a git hook around us
	})
	c.Env = append(c.Env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "LC_ALL=C")
	return c
}

// complaint keeps the beginning of what git prints on its standard error.
type complaint struct{ bytes.Buffer }

// complaintLimit is how many bytes of it are kept.
const complaintLimit = 8 << 10

// Write keeps what has room and takes the rest without a word.
func (c *complaint) Write(text []byte) (int, error) {
	c.Buffer.Write(text[:min(len(text), max(complaintLimit-c.Len(), 0))])
	return len(text), nil
}

// stream runs a git command and gives what it prints to a function as it comes. The error
// is that of the function, else that of git, with the first line of its complaint.
func stream(ctx context.Context, dir string, read func(io.Reader) error, args ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	said, failed, err := Pipe(command(ctx, dir, args...), cancel, read)
	if failed != nil || err == nil {
		return failed
	}
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return fmt.Errorf("git: %s", strings.TrimSpace(line+" ("+err.Error()+")"))
}

// Pipe runs a git command and gives what it prints to a function as it comes; when that fails
// the command is cancelled. It returns the beginning of what git complains of, why the command
// was not started or the function failed, and how the command ended.
func Pipe(c *exec.Cmd, cancel func(), read func(io.Reader) error) (said string, failed, err error) {
	complained := &complaint{}
	c.Stderr = complained
	out, failed := c.StdoutPipe()
	if failed == nil {
		failed = c.Start()
	}
	if failed != nil {
		return "", failed, nil
	}
	if failed = read(out); failed != nil {
		cancel()
	}
	err = c.Wait()
	return complained.String(), failed, err
}
