package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"blue/blue/internal/git"
	"blue/marker"
)

// tree returns where the documents of the shelf are. The caller holds the lock.
func (s *documentShelf) tree(c git.Checkout, globs []string) workTree {
	t := workTree{Root: s.root, Globs: globs, Mark: marker.Name}
	if c.Private == "" {
		return t
	}
	near := git.IsNear(c) // else a file of the repository may not answer
	if !near {
		s.looked = nil
	}
	if now := stateOf(os.Stat, s.looked...); s.looked == nil || now != s.settings {
		s.excludes, s.looked = c.ExcludesFile(s.home, s.git)
		s.settings = stateOf(os.Stat, s.looked...)
	}
	t.Top, t.Rules = c.Top, []string{s.excludes}
	if near {
		t.Rules = append(t.Rules, filepath.Join(c.Shared, "info", "exclude"))
	}
	return t
}

func stateOf(stat func(file string) (os.FileInfo, error), files ...string) (state string) {
	for _, file := range files {
		if info, err := stat(file); err == nil {
			state += fmt.Sprint(file, " ", info.Size(), info.ModTime().UnixNano(), "\n")
		}
	}
	return state
}

// inLine reports whether no file can have changed since the last listing.
func (s *documentShelf) inLine(tree workTree) bool {
	var ignores []string // which git does not follow where they are links
	for dir := tree.Root; tree.Top != "" && len(dir) > len(tree.Top); {
		dir = filepath.Dir(dir)
		ignores = append(ignores, filepath.Join(dir, ".gitignore"))
	}
	rules := strings.Join(tree.Globs, " ") + stateOf(os.Stat, tree.Rules...) + stateOf(os.Lstat, ignores...)
	same := rules == s.rules
	s.rules = rules
	if s.found.Dirs == nil || len(s.found.Dirs) > watchedDirs {
		return false
	}
	touched, all := s.index.Changes(!same, tree.Root, s.found.Dirs...)
	return same && !all && len(touched) == 0
}
