// Package ref keeps the notes of a project on a ref of its own in a repository, with the
// plumbing of the user's git: objects and refs in and out. It touches neither a working
// tree nor an index, and knows nothing of what stands in a note.
//
// Git asks nothing: there is no prompt, no editor and no pager, and SSH runs in batch
// mode. Credentials, hooks and proxies are the user's own. What comes from a remote is
// checked and bounded ([Notebook.ReadTree]) before anything else sees it.
package ref

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"blue/blue/internal/commits"
	"blue/errors"
)

const (
	localTime  = 60 * time.Second       // for a git command that asks nobody
	remoteTime = 120 * time.Second      // for one that asks a remote
	waitDelay  = 300 * time.Millisecond // for the pipes of a git that was told to end
)

// The oldest git that knows all that is asked of it.
const oldestMajor, oldestMinor = 2, 31

// Repo is a repository of the user's.
type Repo struct {
	dir    string
	ssh    string // what git is to run for SSH, empty for its own choice
	sha256 bool   // of the objects' names
	shared string // the directory of git that all worktrees share
	below  string // where the directory lies in its worktree

	settings map[string]string // of git's configuration: how SSH is run, and the remotes
}

// Open looks at the repository that a directory lies in. env gives variables of the
// environment.
func Open(ctx context.Context, dir string, env func(string) string) (*Repo, error) {
	r := &Repo{dir: dir}
	out, err := r.run(ctx, localTime, nil, "rev-parse", "--show-object-format", "--git-common-dir", "--show-prefix")
	if err != nil {
		return nil, errors.Join(r.CheckVersion(ctx), errors.NoRepository(dir, errors.Of(err).Message))
	}
	lines := append(strings.Split(out, "\n"), "", "", "")
	r.sha256, r.shared, r.below = lines[0] == "sha256", lines[1], filepath.FromSlash(lines[2])
	if !filepath.IsAbs(r.shared) {
		r.shared = filepath.Join(dir, r.shared)
	}
	r.settings = map[string]string{}
	out, _ = r.run(ctx, localTime, nil, "config", "-z", "--get-regexp", `^(core\.sshcommand|remote\..*\.(url|pushurl))$`) // fails when there is none
	for entry := range strings.SplitSeq(out, "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		r.settings[key] = value
	}
	r.ssh = env("GIT_SSH_COMMAND")
	if r.ssh == "" && env("GIT_SSH") == "" {
		r.ssh = cmp.Or(strings.TrimSpace(r.settings["core.sshcommand"]), "ssh")
	}
	if first, _, _ := strings.Cut(r.ssh, " "); strings.TrimSuffix(filepath.Base(first), ".exe") == "ssh" {
		r.ssh += " -o BatchMode=yes"
	}
	return r, nil
}

// CheckVersion refuses a git that does not know all that is asked of it, and says when
// there is none.
func (r *Repo) CheckVersion(ctx context.Context) error {
	version, err := r.run(ctx, localTime, nil, "version")
	if errors.Is(err, exec.ErrNotFound) {
		return errors.NoGit()
	}
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
func (r *Repo) HasRemote(remote string) bool { return r.settings["remote."+remote+".url"] != "" }

// outerVariables are what a git that runs this process as its hook has set for itself.
var outerVariables = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_NAMESPACE", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_EDITOR", "GIT_PAGER", "GIT_REFLOG_ACTION", "GIT_LITERAL_PATHSPECS"}

// command is a git command that has not been started.
func (r *Repo) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "git", append([]string{"--no-pager", "-c", "core.fsmonitor=false", "-c", "maintenance.auto=false", "-c", "gc.auto=0", "-c", "core.askPass=", "-c", "color.ui=false", "-c", "core.quotePath=false"}, args...)...)
	c.Dir, c.WaitDelay = r.dir, waitDelay
	c.Cancel = func() error { // git takes its locks away when it is asked to end
		if c.Process.Signal(syscall.SIGTERM) == nil {
			return nil
		}
		return c.Process.Kill()
	}
	c.Env = slices.DeleteFunc(c.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(outerVariables, name)
	})
	c.Env = append(c.Env, "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "GIT_EDITOR=true", "LC_ALL=C")
	if r.ssh != "" {
		c.Env = append(c.Env, "GIT_SSH_COMMAND="+r.ssh)
	}
	return c
}

func (r *Repo) run(ctx context.Context, limit time.Duration, in io.Reader, args ...string) (string, error) {
	var out strings.Builder
	err := r.stream(ctx, limit, in, func(from io.Reader) error { _, err := io.Copy(&out, from); return err }, args...)
	return out.String(), err
}

// stream runs a git command and gives what it prints to a function as it comes. The error
// is that of the function, else that of git with its complaint.
func (r *Repo) stream(ctx context.Context, limit time.Duration, in io.Reader, read func(io.Reader) error, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := r.command(ctx, args...)
	c.Stdin = in
	said, failed, err := commits.Pipe(c, cancel, read)
	switch {
	case failed != nil && ctx.Err() == nil, failed != nil && err == nil:
		return failed
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errors.GitSlow(args[0])
	case failed != nil:
		return failed
	case err != nil:
		return errors.GitFailed(args[0], tellingLine(said, err))
	}
	return nil
}

// unread is said of each remote that cannot be reached; what SSH has said stands before it.
const unread = "Could not read from remote repository."

// tellingLine is the line of a complaint that says most: what a server has said, an error, or
// the first one.
func tellingLine(said string, err error) string {
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
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
