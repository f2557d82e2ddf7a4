// Package branch tells what the branch that is checked out has changed beside the default
// branch of the remote, and which notes the user has typed before git had them. The branch may
// be somebody else's, checked out to look at it; authors and dates, which anybody can write
// into a commit, are not asked for.
package branch

import (
	"context"
	"os"
	"strings"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/blue/internal/commits"
	"blue/marker"
)

// patience is how long git is asked.
const patience = time.Second

// Files are those below a directory that the commits of its branch have changed, with the
// blob of each: none without a remote, and on its default branch. Git is asked once for each
// pair of commits; what it said is kept in the cache file.
func Files(dir, cache string) (files map[string]string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	head, upstream, err := heads(ctx, dir)
	if err != nil {
		return nil, err
	}
	if upstream == "" || head == "" || upstream == head {
		return nil, nil
	}
	pair := upstream + " " + head
	if text, err := os.ReadFile(cache); err == nil {
		if files, ok := parse(string(text), pair); ok {
			return files, nil
		}
	}
	if files, err = commits.Fork(ctx, dir, upstream, head); err == nil {
		_ = atomicfile.File{Path: cache, Volatile: true}.Replace([]byte(format(files, pair))) // else git is asked again
	}
	return files, err
}

// heads are the commit of the branch, and that of the remote's default branch.
func heads(ctx context.Context, dir string) (head, upstream string, err error) {
	c := marker.FindCheckout(dir)
	if c.Table != "" { // which only git reads
		return commits.Heads(ctx, dir)
	}
	return c.Commit, c.Upstream(), nil
}

func format(files map[string]string, pair string) string {
	var text strings.Builder
	text.WriteString(pair)
	for file, blob := range files {
		text.WriteString("\x00" + file + "\x00" + blob)
	}
	return text.String()
}

// parse reads what format writes, if it is of the pair of commits.
func parse(text, pair string) (files map[string]string, ok bool) {
	fields := strings.Split(text, "\x00")
	files = map[string]string{}
	for i := 1; i+1 < len(fields); i += 2 {
		files[fields[i]] = fields[i+1]
	}
	return files, fields[0] == pair
}

// Holds reports whether a file is one of those, or lies in a submodule that is.
func Holds(files map[string]string, file string) bool {
	for file = commits.Fold(file); files[file] == ""; {
		end := strings.LastIndexByte(file, '/')
		if end < 0 {
			return false
		}
		file = file[:end]
	}
	return true
}
