package commits

import (
	"context"
	"strconv"
	"strings"
	"time"

	"blue/blue/internal/git"
)

// Touch is what a commit did to a file.
type Touch struct {
	File   string // below the directory that was asked about, with slashes
	How    byte   // 'A' added, 'M' changed, 'D' deleted
	Time   time.Time
	Author string
}

const (
	touchedLimit    = 5000 // commits that are looked at
	touchedPatience = 3 * time.Second
)

// Touched are the changes that the ancestors of HEAD have made to the files below a
// directory, newest first; none where there is no repository, and when git does not say so
// in time. The error names a file that git would wait for.
func Touched(ctx context.Context, dir string) (all []Touch, err error) {
	ctx, cancel := context.WithTimeout(ctx, touchedPatience)
	defer cancel()
	args := append([]string{"log", "--no-color", "--no-decorate", "--no-notes", "--no-renames", "--no-merges", "--name-status", "-z",
		"--no-ext-diff", "--no-textconv", "--ignore-submodules", "--max-count=" + strconv.Itoa(touchedLimit), "--format=%x01%at %an"}, relative(dir)...)
	out, err := git.Output(ctx, dir, append(args, "HEAD", "--", spec(dir))...)
	if err != nil {
		return nil, ifStuck(err)
	}
	for _, commit := range strings.Split(out, "\x01")[1:] {
		fields := strings.Split(commit, "\x00")
		at, author, _ := strings.Cut(fields[0], " ")
		seconds, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			continue
		}
		for i := 1; i+1 < len(fields); i += 2 {
			if how := strings.TrimSpace(fields[i]); len(how) == 1 {
				all = append(all, Touch{fields[i+1], how[0], time.Unix(seconds, 0).UTC(), author})
			}
		}
	}
	return all, nil
}

// User is whom git has as its user in a directory, empty when it has none.
func User(ctx context.Context, dir string) string {
	name, _ := git.Output(ctx, dir, "config", "--get", "user.name")
	return strings.TrimSpace(name)
}
