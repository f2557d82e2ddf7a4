// Package git runs the user's git and reads its files. It is the only package that does.
//
// A repository may have come from anywhere, with a configuration, attributes and hooks of
// its own. Package git starts git without a shell and so that it runs no program which the
// repository names: it overrides the settings that name one, and gives git no working tree,
// so that git cannot hash or write files, which would run filters. Git never prompts.
//
// Each git process is bounded in time and ends with its children. Before it starts one, the
// package looks for files that git would wait for without end, such as named pipes, and names
// them in the error.
//
// What a repository says most often, its working tree, branch and HEAD ([FindCheckout]), is
// read without git.
package git

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"blue/errors"
)

// Limits.
const (
	patience        = 3500 * time.Millisecond // for which a git may print nothing
	waitDelay       = 300 * time.Millisecond  // for a git that was told to end
	branchPatience  = time.Second             // for all that git is asked about one branch
	changedPatience = 150 * time.Millisecond  // for all that it is asked about changed files
	touchedPatience = 3 * time.Second         // for the history of files
	searchTime      = 500 * time.Millisecond  // to find the file that a silent git waits for

	complaintMax    = 8 << 10   // bytes of git's standard error that are kept
	hashLimit       = 16 << 20  // bytes of a file that is hashed
	comparedLimit   = 1 << 20   // bytes of a file that is compared by its content
	configLimit     = 256 << 10 // bytes of a configuration file
	configDepth     = 5         // configuration files that include one another
	configFiles     = 50        // configuration files in all
	includeDepth    = 10        // the same, where git would wait for one
	includeMost     = 1000      // readings of included files, which git makes as often as they are named
	headLimit       = 4 << 10   // bytes of a file that holds a reference
	packedLimit     = 16 << 20  // bytes of the file of packed references
	tablesLimit     = 64 << 10  // bytes of the list of reference tables
	mostRefs        = 5         // references that name one another
	mostLevels      = 20        // directories that are searched for .git
	messageLimit    = 64 << 10  // bytes of a commit message
	nameLimit       = 4 << 10   // bytes of any other field of a commit
	fileLimit       = 1000      // files that a commit names
	touchedLimit    = 5000      // commits that are searched for changes of files
	changedLimit    = 2000      // files of a branch that notes are looked for
	renamesFollowed = 8         // renames of one file
)

// Command is a git command. It must not need the files of the working tree.
type Command struct {
	Dir     string        // a directory of the working tree; git is started in the topmost
	Args    []string      // the command and its arguments
	In      io.Reader     // its standard input, nil for none
	Silence time.Duration // for which it may print nothing, 0 for 3.5 s; of one with a remote its standard error counts too
	Remote  *Remote       // what it uses to talk to a remote, nil when it must not
}

// overrides are the settings of a repository that would make git run a program, or read a
// file that it does not need, each with a value that does not. A fetch of more than a few
// objects goes through index-pack, which says how far it is; unpack-objects does not.
var overrides = []string{
	"core.fsmonitor=false", "core.hooksPath=" + os.DevNull, "core.attributesFile=" + os.DevNull, "core.askPass=", "core.editor=true", "core.alternateRefsCommand=true",
	"protocol.ext.allow=never", "gpg.program=false", "gpg.ssh.program=false", "gpg.x509.program=false", "commit.gpgSign=false", "push.gpgSign=false", "log.showSignature=false",
	"log.mailmap=false", "gc.auto=0", "maintenance.auto=false", "submodule.recurse=false", "fetch.unpackLimit=20",
	"color.ui=false", "core.quotePath=false", "diff.relative=false", "log.diffMerges=off",
}

// passed are the variables of git that also reach a command which talks to no remote.
var passed = []string{"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL=", "GIT_CONFIG_SYSTEM=", "GIT_CONFIG_NOSYSTEM="}

// Output runs a command that reads, and returns what it prints.
func Output(ctx context.Context, dir string, args ...string) (string, error) {
	return Command{Dir: dir, Args: args}.Output(ctx)
}

// Output runs the command and returns what it prints.
func (c Command) Output(ctx context.Context) (string, error) {
	var out strings.Builder
	err := c.Stream(ctx, func(from io.Reader) error { _, err := io.Copy(&out, from); return err })
	return out.String(), err
}

// Stream runs the command and gives what it prints to a function as it comes; when that
// fails the command is ended. The error is that of the function, or says why git failed,
// or which file it waited for.
func (c Command) Stream(ctx context.Context, read func(io.Reader) error) error {
	at := FindDirectories(c.Dir)
	if at.Private == "" && at.Silent == "" {
		return errors.NoRepository(c.Dir, "there is no directory .git in it or above it")
	}
	if file := stuckFile(at); file != "" {
		return gitStuck(c.Args[0], file)
	}
	if c.Remote != nil {
		if file := c.Remote.silent(at.Top, c.Args[1:]); file != "" {
			return gitStuck(c.Args[0], file)
		}
	}
	said, err := c.run(ctx, at, read)
	switch {
	case errors.Is(err, errSilent) && c.Remote != nil:
		return errors.GitSlow(c.Args[0])
	case errors.Is(err, errSilent):
		return gitStuck(c.Args[0], suspect(at))
	case errors.Is(err, exec.ErrNotFound):
		return errors.E(errors.NotFound, "git is not installed, or not in PATH").
			Hint("", "", "install git, or carry the notes another way: blue export")
	}
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		return errors.GitFailed(c.Args[0], tellingLine(said, err))
	}
	return err
}

// errSilent ends a git that has printed nothing for too long.
var errSilent = errors.New("git is silent")

// run starts git, and returns the beginning of what it complains of, and why it was ended,
// or how it ended.
func (c Command) run(ctx context.Context, at Checkout, read func(io.Reader) error) (said string, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := cmp.Or(c.Silence, patience)
	silent := time.AfterFunc(limit, func() { cancel(errSilent) })
	defer silent.Stop()
	started, complained := c.prepare(at), &complaint{}
	if started.Stderr = complained; c.Remote != nil {
		complained.heard = func() { silent.Reset(limit) }
	}
	out, err := started.StdoutPipe()
	if err == nil {
		err = started.Start()
	}
	if err != nil {
		return "", err
	}
	defer context.AfterFunc(ctx, func() { // an unread pipe would not end where git hangs
		terminate(started.Process)
		_ = out.Close()
	})()
	failed := read(heard{out, silent, limit})
	silent.Reset(limit) // to end
	if failed != nil {
		cancel(failed)
	}
	ended := make(chan error, 1)
	go func() { ended <- started.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case err = <-ended:
		case <-time.After(waitDelay):
		}
		kill(started.Process) // also the children of a git that has ended
	}
	if cause := context.Cause(ctx); cause != nil {
		return complained.String(), cause
	}
	return complained.String(), err
}

// prepare is the command as a process that has not been started.
func (c Command) prepare(at Checkout) *exec.Cmd {
	args := []string{"--no-pager"}
	for _, setting := range overrides {
		args = append(args, "-c", setting)
	}
	args = append(args, c.Args[0])
	if ends := transports[c.Args[0]]; ends != "" {
		args = append(args, ends)
	}
	p := exec.Command("git", append(args, c.Args[1:]...)...)
	p.Dir, p.Stdin, p.WaitDelay = at.Top, c.In, waitDelay
	p.SysProcAttr = ownGroup()
	p.Env = slices.DeleteFunc(p.Environ(), func(entry string) bool {
		if name, _, _ := strings.Cut(entry, "="); c.Remote != nil {
			return slices.Contains(outer, name)
		}
		return strings.HasPrefix(entry, "GIT_") && !slices.ContainsFunc(passed, func(name string) bool { return strings.HasPrefix(entry, name) })
	})
	p.Env = append(p.Env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "GIT_NO_LAZY_FETCH=1", "GIT_EDITOR=true", "LC_ALL=C",
		"GIT_WORK_TREE="+filepath.Join(at.Private, "HEAD")) // a file: a command that needs a working tree fails
	if c.Remote == nil {
		p.Env = append(p.Env, "GIT_ALLOW_PROTOCOL=none")
	} else {
		p.Env = append(p.Env, c.Remote.env...)
	}
	return p
}

// heard is what git prints. Its silence counts while it is waited for, and not while what it
// has printed is worked on.
type heard struct {
	io.Reader
	silent *time.Timer
	limit  time.Duration
}

// Read reads a part.
func (h heard) Read(p []byte) (int, error) {
	h.silent.Reset(h.limit)
	defer h.silent.Stop()
	return h.Reader.Read(p)
}

// complaint keeps the beginning of what git prints on its standard error, but for how far it
// is. It may be read while a git that was given up still prints.
type complaint struct {
	heard func() // called when something was printed, if not nil

	mu       sync.Mutex
	text     bytes.Buffer
	line     int  // where the last line begins
	returned bool // it ends with a carriage return: what follows is printed over it
}

// Write keeps what has room, and drops the rest.
func (c *complaint) Write(text []byte) (int, error) {
	if c.heard != nil {
		c.heard()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range text {
		if c.returned && b != '\n' {
			c.text.Truncate(c.line)
		}
		if c.returned = b == '\r'; c.text.Len() < complaintMax {
			c.text.WriteByte(b)
		}
		if b == '\n' {
			if progress.Match(c.text.Bytes()[c.line:]) {
				c.text.Truncate(c.line)
			}
			c.line = c.text.Len()
		}
	}
	return len(text), nil
}

// progress are the lines in which git says how far it is, or how far the other end is.
var progress = regexp.MustCompile(`^(remote: )?(Total \d|Delta compression|.*: +\d+(% \(|, done\.))`)

// String returns what was kept.
func (c *complaint) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// unread is said of each remote that cannot be reached; what SSH has said stands before it.
const unread = "Could not read from remote repository."

// hereWords are in the lines by which git says that a file of this machine failed it: for its
// disk, or a lock that a git that was killed has left.
var hereWords = regexp.MustCompile(`No space left on device|Disk quota exceeded|Read-only file system|Input/output error|(?:couldn't|unable to|failed to) write|file '.*' write error|\.lock': File exists`)

// FailedHere reports whether git failed for a file of this machine.
func FailedHere(err error) bool { return hereWords.MatchString(errors.Of(err).Message) }

// tellingLine is the line of a complaint that says most: of a file of this machine, what a
// server has said, an error, or the first one.
func tellingLine(said string, err error) string {
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "remote: ") && hereWords.MatchString(line) {
			return strings.TrimPrefix(strings.TrimPrefix(line, "fatal: "), "error: ")
		}
	}
	for _, start := range []string{"remote: ", "fatal: ", "error: "} {
		for _, line := range lines {
			if text, ok := strings.CutPrefix(line, start); ok && strings.TrimSpace(text) != "" && text != unread {
				return strings.TrimSpace(text)
			}
		}
	}
	if len(lines) > 0 {
		return lines[0]
	}
	return err.Error()
}
