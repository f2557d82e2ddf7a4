// Package git runs the user's git and reads its files. It is the only package that does.
//
// A repository may have come from anywhere, with its own configuration, attributes and hooks. This
// package runs git without a shell and so that git runs no program named by the repository: it
// overrides the settings that name programs, and gives git no working tree, so that git cannot hash
// or write files, which would run filters. Git never prompts.
//
// Each git process has a time limit and is ended together with its children.
//
// The most frequently used data of a repository, its working tree, branch and HEAD
// ([FindCheckout]), is read without git.
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
	patience        = 3500 * time.Millisecond // without output, after which git is ended
	waitDelay       = 300 * time.Millisecond  // for a git that was asked to end
	changedPatience = 150 * time.Millisecond  // for all questions about changed files

	complaintMax    = 8 << 10   // bytes of git's standard error that are kept
	hashLimit       = 16 << 20  // bytes of a file that is hashed
	comparedLimit   = 1 << 20   // bytes of a file that is compared by content
	configLimit     = 256 << 10 // bytes of a configuration file
	configDepth     = 5         // nesting of included configuration files
	configFiles     = 50        // configuration files in total
	headLimit       = 4 << 10   // bytes of a reference file
	packedLimit     = 16 << 20  // bytes of packed-refs
	tablesLimit     = 64 << 10  // bytes of the list of reference tables
	mostRefs        = 5         // chained symbolic references
	mostLevels      = 20        // directories searched for .git
	messageLimit    = 64 << 10  // bytes of a commit message
	nameLimit       = 4 << 10   // bytes of any other field of a commit
	fileLimit       = 1000      // files of a commit that are read
	changedLimit    = 2000      // changed files of a branch for which notes are looked up
	renamesFollowed = 8         // successive renames of one file
)

// Command is a git command. It must not need the files of the working tree.
type Command struct {
	Dir     string        // a directory of the working tree; git runs in its top
	Args    []string      // the command and its arguments
	In      io.Reader     // its standard input, nil for none
	Silence time.Duration // maximum time without output, 0 for 3.5 s; with a remote, standard error counts as output
	Remote  *Remote       // how to talk to a remote; nil if the command must not
}

// overrides are settings that replace those of a repository which would make git run a program, or
// read an unnecessary file. A fetch of more than a few objects uses index-pack, which prints its
// progress; unpack-objects does not.
var overrides = []string{
	"core.fsmonitor=false", "core.hooksPath=" + os.DevNull, "core.attributesFile=" + os.DevNull, "core.askPass=", "core.editor=true", "core.alternateRefsCommand=true",
	"protocol.ext.allow=never", "gpg.program=false", "gpg.ssh.program=false", "gpg.x509.program=false", "commit.gpgSign=false", "push.gpgSign=false", "log.showSignature=false",
	"log.mailmap=false", "gc.auto=0", "maintenance.auto=false", "submodule.recurse=false", "fetch.unpackLimit=20",
	"color.ui=false", "core.quotePath=false", "diff.relative=false", "log.diffMerges=off",
}

// passed are the git variables that are also passed to commands that talk to no remote.
var passed = []string{"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL=", "GIT_CONFIG_SYSTEM=", "GIT_CONFIG_NOSYSTEM="}

// Output runs a read-only command and returns its output.
func Output(ctx context.Context, dir string, args ...string) (string, error) {
	return Command{Dir: dir, Args: args}.Output(ctx)
}

// Output runs the command and returns its output.
func (c Command) Output(ctx context.Context) (string, error) {
	var out strings.Builder
	err := c.Stream(ctx, func(from io.Reader) error { _, err := io.Copy(&out, from); return err })
	return out.String(), err
}

// Stream runs the command and passes its output to a function as it arrives. If the function fails,
// the command is ended. The error is that of the function, or says why git failed.
func (c Command) Stream(ctx context.Context, read func(io.Reader) error) error {
	at := FindDirectories(c.Dir)
	if at.Private == "" {
		return errors.NoRepository(c.Dir, "there is no directory .git in it or above it")
	}
	said, err := c.run(ctx, at, read)
	switch {
	case errors.Is(err, errSilent) && c.Remote != nil:
		return errors.GitSlow(c.Args[0])
	case errors.Is(err, errSilent):
		return errors.E(errors.Timeout, "git %s did not answer in time", c.Args[0]).
			Hint("", "", "check the disk or mount that the repository is on")
	case errors.Is(err, exec.ErrNotFound):
		return errors.E(errors.NotFound, "git is not installed, or not in PATH").
			Hint("", "", "install git, or carry the notes another way: blue export")
	}
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		return errors.GitFailed(c.Args[0], tellingLine(said, err))
	}
	return err
}

// errSilent is the cause for ending a git that has printed nothing for too long.
var errSilent = errors.New("git is silent")

// run runs git. It returns the beginning of its standard error, and the cause for ending it or its
// exit error.
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
	defer context.AfterFunc(ctx, func() { // a read from the pipe would not return while git hangs
		terminate(started.Process)
		_ = out.Close()
	})()
	failed := read(heard{out, silent, limit})
	silent.Reset(limit) // the same limit for exiting
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
		kill(started.Process) // also kills the children of a git that has exited
	}
	if cause := context.Cause(ctx); cause != nil {
		return complained.String(), cause
	}
	if errors.Is(err, exec.ErrWaitDelay) { // git ended well, but a process that it started still holds its standard error
		err = nil
	}
	return complained.String(), err
}

// prepare returns the command as a process that has not been started.
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

// heard is git's standard output. The silence timer runs during reads, but not while the output is
// processed.
type heard struct {
	io.Reader
	silent *time.Timer
	limit  time.Duration
}

// Read reads some of the output.
func (h heard) Read(p []byte) (int, error) {
	h.silent.Reset(h.limit)
	defer h.silent.Stop()
	return h.Reader.Read(p)
}

// complaint records the beginning of git's standard error, without progress messages. It may be
// read while a git that was given up still writes to it.
type complaint struct {
	heard func() // called on each write, if not nil

	mu       sync.Mutex
	text     bytes.Buffer
	line     int  // start of the last line
	returned bool // the text ends with a carriage return, so the next line replaces the last one
}

// Write records what fits and drops the rest.
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

// progress matches the lines in which git reports its progress or that of the other end.
var progress = regexp.MustCompile(`^(remote: )?(Total \d|Delta compression|.*: +\d+(% \(|, done\.))`)

// String returns the recorded text.
func (c *complaint) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// unread is printed for each remote that cannot be reached; SSH's own message precedes it.
const unread = "Could not read from remote repository."

// hereWords matches lines in which git says that it failed because of a file on this machine:
// because of the disk, or a lock left by a git that was killed.
var hereWords = regexp.MustCompile(`No space left on device|Disk quota exceeded|Read-only file system|Input/output error|(?:couldn't|unable to|failed to) write|unable to create directory|file '.*' write error|\.lock': File exists`)

// FailedHere reports whether git failed because of a file on this machine.
func FailedHere(err error) bool { return hereWords.MatchString(errors.Of(err).Message) }

// tellingLine returns the most informative line of git's standard error: one about a file on this
// machine, a message of the server, an error, or the first line.
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
