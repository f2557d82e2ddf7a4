package git

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"blue/errors"
	"blue/marker"
)

const (
	changedPatience = 150 * time.Millisecond // for all that git is asked
	changedLimit    = 2000                   // files of a branch that notes are looked for
)

// Changed returns the files below a directory that its branch has changed since it left the
// main branch, by commits, staged or not. It returns none without a branch, and when git does
// not answer in time; the error names a file that git would wait for. Git compares commits
// and its index; Blue compares files with the index, because git would run filters on them.
func Changed(ctx context.Context, dir, branch string) (files []string, err error) {
	if branch == "" { // no repository, one without a commit, or one that cannot be read
		return nil, Check(FindDirectories(dir))
	}
	ctx, cancel := context.WithTimeout(ctx, changedPatience)
	defer cancel()
	from, err := branchedFrom(ctx, dir)
	if from == "" {
		return nil, ifStuck(err)
	}
	out, err := Output(ctx, dir, "diff-index", "--cached", "-z", "--name-only", "--no-renames", "--ignore-submodules", from, "--", spec(dir))
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

// branchedFrom returns the commit at which HEAD has left the main branch, empty when there is
// none.
func branchedFrom(ctx context.Context, dir string) (string, error) {
	names := []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/heads/main", "refs/heads/master"}
	known, err := Output(ctx, dir, append([]string{"for-each-ref", "--format=%(refname)"}, names...)...)
	if err != nil {
		return "", err
	}
	for _, name := range append(names, "HEAD") {
		if name != "HEAD" && !strings.Contains(known, name+"\n") {
			continue
		}
		if from, err := Output(ctx, dir, "merge-base", "HEAD", name); err == nil {
			return strings.TrimSpace(from), nil
		}
	}
	return "", nil
}

// ifStuck returns an error that names a file for which git would wait, and no other.
func ifStuck(err error) error {
	if errors.Is(err, errors.Timeout) {
		return err
	}
	return nil
}

// belowTop returns the slash-separated path from the top of the working tree to a directory.
func belowTop(dir string) string {
	name, err := filepath.Rel(FindDirectories(dir).Top, dir)
	if err != nil {
		return "."
	}
	return filepath.ToSlash(name)
}

// spec returns the path specification that limits git to a directory.
func spec(dir string) string {
	if below := belowTop(dir); below != "." {
		return ":(top,literal)" + below
	}
	return ":/"
}

// relative returns the option by which git names files relative to a directory, and leaves out
// those outside it.
func relative(dir string) []string {
	if below := belowTop(dir); below != "." {
		return []string{"--relative=" + below + "/"}
	}
	return nil
}
