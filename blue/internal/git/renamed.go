package git

import (
	"bufio"
	"context"
	"io"
	"path"
	"path/filepath"
	"strings"
	"time"

	"blue/errors"
)

// Renamed returns the current names of files below a directory whose former names no longer exist,
// according to what is staged or to the newest commit that removed each. It leaves out a file if
// git knows no other name, or does not answer before the context ends. The number of git processes
// does not depend on the number of files. The error says that git did not answer in time.
func Renamed(ctx context.Context, dir string, files []string, isMissing func(name string) bool) (map[string]string, error) {
	now, sought := map[string]string{}, map[string]string{} // by original name; original names by latest name
	for _, file := range files {
		sought[file] = file
	}
	staged, err := renames(ctx, dir, nil, "diff-index", "--cached", "HEAD", "--")
	for range renamesFollowed {
		var left []string
		for file := range sought {
			if staged[file] == "" {
				left = append(left, file)
			}
		}
		if ifStuck(err) != nil {
			return nil, err
		}
		var committed map[string]string
		committed, err = renamedByCommits(ctx, dir, left)
		next := map[string]string{}
		for file, former := range sought {
			to := staged[file]
			if to == "" {
				to = committed[file]
			}
			switch {
			case to == "" || !filepath.IsLocal(filepath.FromSlash(to)):
			case isMissing(to):
				next[to] = former
			default:
				now[former] = to
			}
		}
		if sought = next; len(sought) == 0 {
			break
		}
	}
	return now, ifStuck(err)
}

// renames returns the new names of files by their former ones, from the output of a command that
// compares trees.
func renames(ctx context.Context, dir string, in io.Reader, command ...string) (map[string]string, error) {
	args := append([]string{command[0], "-z", "-M", "--name-status", "--diff-filter=R", "--no-ext-diff", "--no-textconv", "--ignore-submodules"}, relative(dir)...)
	out, err := Command{Dir: dir, Args: append(args, command[1:]...), In: in}.Output(ctx)
	now, fields := map[string]string{}, strings.Split(out, "\x00")
	for i := 0; i+2 < len(fields); i += 3 { // similarity, former and new name
		if now[fields[i+1]] == "" { // the newest commit comes first
			now[fields[i+1]] = fields[i+2]
		}
	}
	return now, err
}

// renamedByCommits finds renames in the newest commits that removed files. It searches for these
// commits for at most half of the remaining time.
func renamedByCommits(ctx context.Context, dir string, files []string) (map[string]string, error) {
	if len(files) == 0 {
		return nil, nil
	}
	searching, cancel := ctx, context.CancelFunc(func() {})
	if end, limited := ctx.Deadline(); limited {
		searching, cancel = context.WithTimeout(ctx, time.Until(end)/2)
	}
	defer cancel()
	var paths strings.Builder
	paths.WriteString("--\n")
	below := belowTop(dir)
	wanted := map[string]bool{}
	for _, file := range files {
		if filepath.IsLocal(filepath.FromSlash(file)) && !strings.ContainsAny(file, "\n") {
			wanted[path.Join(below, file)] = true
			paths.WriteString(":(top,literal)" + path.Join(below, file) + "\n")
		}
	}
	var hashes strings.Builder
	err := Command{Dir: dir, In: strings.NewReader(paths.String()), Args: []string{"log", "--no-color", "--no-decorate", "--no-notes", "--no-renames",
		"-z", "--name-only", "--diff-filter=D", "--format=%x01%H", "--stdin", "HEAD"}}.Stream(searching, func(out io.Reader) error {
		return findRemovals(out, wanted, &hashes)
	})
	if hashes.Len() == 0 || ifStuck(err) != nil {
		return nil, err
	}
	return renames(ctx, dir, strings.NewReader(hashes.String()), "diff-tree", "--stdin", "-r", "--no-commit-id")
}

// errFound ends a search when everything is found.
var errFound = errors.New("found")

// findRemovals reads commits and the files that each removed. For each wanted file it writes the
// hash of the first commit that removed it.
func findRemovals(out io.Reader, wanted map[string]bool, hashes io.StringWriter) error {
	f := fieldReader{in: bufio.NewReader(out)}
	hash, written := "", ""
	for len(wanted) > 0 {
		field, _, err := f.next(nameLimit)
		if err != nil {
			return err
		}
		if commit, ok := strings.CutPrefix(field, "\x01"); ok {
			hash = commit
		} else if name := strings.TrimPrefix(field, "\n"); wanted[name] {
			delete(wanted, name)
			if hash != written {
				_, _ = hashes.WriteString(hash + "\n")
				written = hash
			}
		}
	}
	return errFound
}
