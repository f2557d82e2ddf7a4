// Package ref keeps the notes of a project on a ref of its own in a repository, with the
// plumbing of the user's git: objects and refs in and out. It touches neither a working
// tree nor an index, and knows nothing of what stands in a note.
//
// What comes from a remote is checked and bounded ([Notebook.ReadTree]) before anything
// else sees it.
package ref

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"blue/blue/internal/git"
	"blue/errors"
)

const (
	localTime    = 60 * time.Second  // for a git command without a remote
	remoteTime   = 120 * time.Second // for one that asks a remote, without a sign of progress
	transferTime = 30 * time.Minute  // for one that brings objects to a remote or from it
)

// The oldest git that knows all that is asked of it.
const oldestMajor, oldestMinor = 2, 31

// Repo is a repository of the user's.
type Repo struct {
	dir    string
	sha256 bool   // of the objects' names
	shared string // the directory of git that all worktrees share
	below  string // where the directory lies in its worktree
	remote *git.Remote

	remoteTime time.Duration
}

// Open looks at the repository that a directory lies in. env gives variables of the
// environment.
func Open(ctx context.Context, dir string, env func(string) string) (*Repo, error) {
	at := git.FindDirectories(dir)
	r := &Repo{dir: dir, shared: at.Shared, remoteTime: remoteTime}
	if at.Private == "" && at.Silent == "" {
		return nil, errors.NoRepository(dir, "there is no directory .git in it or above it")
	}
	if err := git.CheckAll(at); err != nil {
		return nil, err
	}
	out, err := git.Output(ctx, dir, "rev-parse", "--show-object-format")
	if err == nil {
		r.below, err = filepath.Rel(at.Top, dir)
	}
	if err == nil {
		r.sha256 = strings.TrimSpace(out) == "sha256"
		r.remote, err = git.ReadRemotes(ctx, dir, env)
	}
	if err == nil || errors.Is(err, errors.Timeout) {
		return r, err
	}
	if old := r.CheckVersion(ctx); old != nil {
		return nil, old
	}
	return nil, errors.NoRepository(dir, errors.Of(err).Message)
}

// CheckVersion refuses a git that does not know all that is asked of it, and says when
// there is none.
func (r *Repo) CheckVersion(ctx context.Context) error {
	version, err := git.Output(ctx, r.dir, "version")
	if err != nil {
		return err
	}
	var major, minor int
	_, _ = fmt.Sscanf(version, "git version %d.%d", &major, &minor)
	if major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		return errors.OldGit(strings.TrimSpace(version), fmt.Sprintf("%d.%d", oldestMajor, oldestMinor))
	}
	return nil
}

// HasRemote reports whether the repository knows a remote of that name.
func (r *Repo) HasRemote(remote string) bool { return r.remote.Has(remote) }

// ask runs a git command that talks to a remote.
func (r *Repo) ask(ctx context.Context, args ...string) (string, error) {
	limit := r.remoteTime
	if args[0] != "ls-remote" { // it says how far it is
		limit = transferTime
	}
	var out strings.Builder
	err := bounded(ctx, limit, git.Command{Dir: r.dir, Args: args, Remote: r.remote, Silence: r.remoteTime}, func(from io.Reader) error {
		_, err := io.Copy(&out, from)
		return err
	})
	return out.String(), err
}

func (r *Repo) run(ctx context.Context, in io.Reader, args ...string) (string, error) {
	var out strings.Builder
	err := r.stream(ctx, in, func(from io.Reader) error { _, err := io.Copy(&out, from); return err }, args...)
	return out.String(), err
}

// stream runs a git command and gives what it prints to a function as it comes. The error
// is that of the function, else that of git with its complaint.
func (r *Repo) stream(ctx context.Context, in io.Reader, read func(io.Reader) error, args ...string) error {
	c := git.Command{Dir: r.dir, Args: args, In: in}
	switch args[0] {
	case "fast-import": // its time depends on what it gets
		c.Silence = localTime
		return c.Stream(ctx, read)
	case "diff-tree", "rev-list", "pack-objects": // which may have much to do before they print
		c.Silence = localTime
	}
	return bounded(ctx, localTime, c, read)
}

func bounded(ctx context.Context, limit time.Duration, c git.Command, read func(io.Reader) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.GitSlow(c.Args[0]))
	defer cancel()
	return c.Stream(ctx, read)
}

// CountTracked counts the files of a directory that the code's commits hold.
func (r *Repo) CountTracked(ctx context.Context, dir string) int {
	out, _ := r.run(ctx, nil, "ls-files", "-z", "--", filepath.ToSlash(filepath.Join(r.below, dir))) // where git cannot say, nothing is said
	return strings.Count(out, "\x00")
}
