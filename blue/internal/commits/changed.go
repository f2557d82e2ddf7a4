package commits

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"blue/blue/internal/git"
	"blue/errors"
	"blue/marker"
)

const (
	gitPatience  = 150 * time.Millisecond // for all that git is asked
	changedLimit = 2000                   // files of a branch that notes are looked for
)

// Changed are the files below a directory that its git branch has changed, by commits, staged
// or not, beside where it left the main branch; none without a branch, and when git does not
// say so in time. The error names a file that git would wait for. Git compares commits and
// its index; files are compared with the index here, because git would run filters on them.
func Changed(ctx context.Context, dir, branch string) (files []string, err error) {
	if branch == "" { // no repository, one without a commit, or one that cannot be read
		return nil, git.Check(marker.FindDirectories(dir))
	}
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	from, err := branchedFrom(ctx, dir)
	if from == "" {
		return nil, ifStuck(err)
	}
	out, err := git.Output(ctx, dir, "diff-index", "--cached", "-z", "--name-only", "--no-renames", "--ignore-submodules", from, "--", spec(dir))
	if err != nil {
		return nil, ifStuck(err)
	}
	seen, below := map[string]bool{}, strings.TrimSuffix(belowTop(dir)+"/", "./")
	for _, name := range append(strings.Split(strings.TrimSuffix(out, "\x00"), "\x00"), modified(ctx, dir, len(from)/2)...) {
		name, ok := strings.CutPrefix(name, below)
		if ok && name != "" && !seen[name] && !strings.HasPrefix(name, marker.Name+"/") && len(files) < changedLimit {
			seen[name] = true
			files = append(files, name)
		}
	}
	return files, nil
}

// ifStuck is an error that names a file for which git would wait, and no other.
func ifStuck(err error) error {
	if errors.Is(err, errors.Timeout) {
		return err
	}
	return nil
}

// belowTop is the path from the top of the working tree to a directory, with slashes.
func belowTop(dir string) string {
	name, err := filepath.Rel(marker.FindDirectories(dir).Top, dir)
	if err != nil {
		return "."
	}
	return filepath.ToSlash(name)
}

// branchedFrom is the commit at which HEAD has left the main branch, empty when there is none.
func branchedFrom(ctx context.Context, dir string) (string, error) {
	names := []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/heads/main", "refs/heads/master"}
	known, err := git.Output(ctx, dir, append([]string{"for-each-ref", "--format=%(refname)"}, names...)...)
	if err != nil {
		return "", err
	}
	for _, name := range append(names, "HEAD") {
		if name != "HEAD" && !strings.Contains(known, name+"\n") {
			continue
		}
		if from, err := git.Output(ctx, dir, "merge-base", "HEAD", name); err == nil {
			return strings.TrimSpace(from), nil
		}
	}
	return "", nil
}

// Branches are the branches of a repository, here and on its remotes; nil when there is no
// repository.
func Branches(ctx context.Context, dir string) ([]string, error) {
	text, err := git.Output(ctx, dir, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
	if err != nil {
		return nil, ifStuck(err)
	}
	branches := []string{}
	for name := range strings.FieldsSeq(text) {
		if local, ok := strings.CutPrefix(name, "refs/heads/"); ok {
			branches = append(branches, local)
		} else if _, remote, ok := strings.Cut(strings.TrimPrefix(name, "refs/remotes/"), "/"); ok {
			branches = append(branches, remote)
		}
	}
	return branches, nil
}

// spec makes git look at a directory alone.
func spec(dir string) string {
	if below := belowTop(dir); below != "." {
		return ":(top,literal)" + below
	}
	return ":/"
}

// relative makes git name files relative to a directory, and leave out those outside it.
func relative(dir string) []string {
	if below := belowTop(dir); below != "." {
		return []string{"--relative=" + below + "/"}
	}
	return nil
}
