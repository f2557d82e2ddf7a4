package commits

import (
	"context"
	"path/filepath"
	"strings"
)

// renamesFollowed is how often a file is followed to another name.
const renamesFollowed = 8

// Renamed returns the name that a file below a directory has now, whose former name is
// gone: by the newest commit that took that away, or by what is staged. It is empty when
// git knows none, or does not say so before the context ends.
func Renamed(ctx context.Context, dir, file string, isMissing func(name string) bool) string {
	for range renamesFollowed {
		next := renamedByIndex(ctx, dir, file)
		if next == "" {
			next = renamedByCommit(ctx, dir, file)
		}
		if file = next; file == "" || !filepath.IsLocal(filepath.FromSlash(file)) {
			return ""
		}
		if !isMissing(file) {
			return file
		}
	}
	return ""
}

// renameFlags make git name the renames below the directory in which it is started.
var renameFlags = [...]string{"-z", "-M", "--name-status", "--diff-filter=R", "--relative", "--no-ext-diff", "--no-textconv", "--ignore-submodules"}

func renamedByIndex(ctx context.Context, dir, file string) string {
	out, err := Output(ctx, dir, append(append([]string{"diff-index", "--cached"}, renameFlags[:]...), "HEAD", "--")...)
	if err != nil {
		return ""
	}
	return renamedTo(out, file)
}

func renamedByCommit(ctx context.Context, dir, file string) string {
	hash, err := Output(ctx, dir, "--literal-pathspecs", "log", "--no-show-signature", "--no-color", "--no-decorate", "--no-notes", "--no-renames",
		"--max-count=1", "--diff-filter=D", "--format=%H", "HEAD", "--", file)
	if hash = strings.TrimSpace(hash); err != nil || !isHash(hash) {
		return ""
	}
	out, err := Output(ctx, dir, append(append([]string{"diff-tree", "-r", "--no-commit-id"}, renameFlags[:]...), hash, "--")...)
	if err != nil {
		return ""
	}
	return renamedTo(out, file)
}

// renamedTo reads what git prints of each rename: its likeness, the former and the new name.
func renamedTo(out, file string) string {
	fields := strings.Split(out, "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		if fields[i+1] == file {
			return fields[i+2]
		}
	}
	return ""
}
