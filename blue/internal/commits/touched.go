package commits

import (
	"context"
	"strconv"
	"strings"
	"time"
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
// in time.
func Touched(ctx context.Context, dir string) (all []Touch) {
	ctx, cancel := context.WithTimeout(ctx, touchedPatience)
	defer cancel()
	out, err := Output(ctx, dir, "log", "--no-show-signature", "--no-color", "--no-decorate", "--no-notes", "--no-renames", "--no-merges", "--name-status", "--relative", "-z",
		"--no-ext-diff", "--no-textconv", "--ignore-submodules", "--max-count="+strconv.Itoa(touchedLimit), "--format=%x01%at %an", "HEAD", "--", ".")
	if err != nil {
		return nil
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
	return all
}
