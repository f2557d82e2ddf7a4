package tree

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const (
	gitPatience  = 150 * time.Millisecond // for all that git is asked
	changedLimit = 2000                   // files of a branch that notes are looked for
)

// Changed are the files below a directory that its git branch has changed, by
// commits or not yet committed, beside where it left the main branch; none without a branch,
// and when git does not say so in time. No hook, file system monitor, external diff or
// transport that the repository's configuration names is run.
func Changed(ctx context.Context, dir, branch string) []string {
	if branch == "" {
		return nil // no repository, or one without a commit
	}
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	for _, main := range []string{"origin/HEAD", "origin/main", "main", "master", "HEAD"} {
		from, err := git(ctx, dir, "merge-base", "HEAD", main)
		if err != nil {
			continue // no such branch
		}
		out, err := git(ctx, dir, "diff-index", "-z", "--name-only", "--relative", "--no-renames", "--ignore-submodules", strings.TrimSpace(from), "--", ".", ":(exclude).blue")
		if err != nil {
			return nil
		}
		files := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
		return files[:min(len(files), changedLimit)]
	}
	return nil
}

// git runs a git command in a directory.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false"}, args...)...)
	c.Dir, c.WaitDelay = dir, gitPatience
	c.Env = slices.DeleteFunc(c.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}, name) // those of a git hook around us
	})
	c.Env = append(c.Env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=") // nothing is fetched, by whatever program the repository names
	out, err := c.Output()
	return string(out), err
}
