package commits

import (
	"context"
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
		from, err := Output(ctx, dir, "merge-base", "HEAD", main)
		if err != nil {
			continue // no such branch
		}
		out, err := Output(ctx, dir, "diff-index", "-z", "--name-only", "--relative", "--no-renames", "--ignore-submodules", strings.TrimSpace(from), "--", ".", ":(exclude).blue")
		if err != nil {
			return nil
		}
		files := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
		return files[:min(len(files), changedLimit)]
	}
	return nil
}

// Branches are the branches of a repository, here and on its remotes; nil when nobody can
// tell.
func Branches(ctx context.Context, dir string) []string {
	text, err := Output(ctx, dir, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
	remote, missing := Output(ctx, dir, "for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes")
	if err != nil || missing != nil {
		return nil
	}
	return strings.Fields(text + remote)
}
