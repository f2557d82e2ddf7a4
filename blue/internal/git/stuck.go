package git

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blue/errors"
	"blue/marker"
)

// privateFiles and sharedFiles are the files that git opens for every command, relative to its
// directory of the working tree and of the repository.
var (
	privateFiles = []string{"HEAD", "commondir", "gitdir", "config.worktree", "index"}
	sharedFiles  = []string{"config", "packed-refs", "shallow", "info/attributes", "info/exclude", "info/grafts", "objects/info/alternates",
		"objects/info/commit-graph", "objects/info/commit-graphs/commit-graph-chain", "objects/pack/multi-pack-index", "refs/heads", "refs/remotes", "refs/tags", "refs/blue", "logs", "worktrees"}
)

// search looks for files that git would block on.
type search struct {
	at     Checkout
	stuck  string // the first such file, with a description
	opened int    // configuration files read
}

// stuckFile returns the first file of a repository that git would block on forever, with a
// description, or "". It does not touch file systems that do not answer.
func stuckFile(at Checkout) string {
	s := search{at: at}
	s.lookAtKnown()
	return s.stuck
}

// Check returns an error that names a file of the repository that git would block on, or nil.
func Check(at Checkout) error {
	if file := stuckFile(at); file != "" {
		return gitStuck("status", file)
	}
	return nil
}

// CheckAll is like [Check] but also looks at every reference and object. It is for commands that
// may be silent for long, and so cannot be ended soon.
func CheckAll(at Checkout) error {
	s := search{at: at}
	s.lookAtKnown()
	for _, dir := range []string{filepath.Join(at.Private, "refs"), filepath.Join(at.Shared, "refs"), filepath.Join(at.Shared, "objects")} {
		s.lookBelow(dir)
	}
	for _, dir := range []string{filepath.Join(at.Shared, "refs", "blue"), filepath.Join(at.Private, "refs", "worktree")} {
		s.walk(dir, func(name string, d fs.DirEntry) {
			if d.Type()&fs.ModeSymlink != 0 { // git would write to its target
				s.found(name, "a link")
			}
		})
	}
	if s.stuck != "" {
		return gitStuck("status", s.stuck)
	}
	return nil
}

// suspect names the file that a git that did not answer most likely blocked on.
func suspect(at Checkout) string {
	found := make(chan string, 1)
	go func() {
		s := search{at: at}
		s.lookAtKnown()
		if s.stuck == "" {
			s.lookBelow(at.Shared)
		}
		found <- cmp.Or(s.stuck, s.name(at.Private)+" did not answer in time")
	}()
	select {
	case text := <-found:
		return text
	case <-time.After(searchTime):
		return at.Private + " did not answer in time"
	}
}

// lookAtKnown looks at the files that git opens for every command.
func (s *search) lookAtKnown() {
	if s.at.Silent != "" {
		s.found(s.at.Silent, "on a file system that does not answer")
	}
	if s.at.Private == "" {
		return
	}
	s.look(s.at.Private)
	s.look(filepath.Join(s.at.Top, ".gitattributes")) // for the content of renamed files
	for _, name := range privateFiles {
		s.look(filepath.Join(s.at.Private, name))
	}
	for _, name := range sharedFiles {
		s.look(filepath.Join(s.at.Shared, filepath.FromSlash(name)))
	}
	for line := range strings.Lines(s.read(filepath.Join(s.at.Shared, "objects", "info", "alternates"))) {
		if dir := strings.TrimSpace(line); dir != "" && !strings.HasPrefix(dir, "#") {
			s.look(filepath.Join(beside(filepath.Join(s.at.Shared, "objects"), dir), "info", "alternates"))
		}
	}
	s.followIncludes(filepath.Join(s.at.Shared, "config"), 0)
	s.followIncludes(filepath.Join(s.at.Private, "config.worktree"), 0)
}

// look reports whether a file is regular. It records a file that git would block on, unless one is
// already recorded.
func (s *search) look(file string) (ok bool) {
	if err := marker.CheckMount(file); err != nil {
		s.found(file, "on a file system that does not answer")
		return false
	}
	info, err := os.Stat(file)
	if err != nil {
		return false
	}
	if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(info, null) {
		return false
	}
	what := ""
	switch mode := info.Mode(); {
	case mode.IsRegular() || mode.IsDir():
		return mode.IsRegular()
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	default:
		what = "not a regular file"
	}
	s.found(file, what)
	return false
}

// found records a file with its description, unless another one is already recorded.
func (s *search) found(file, what string) {
	if s.stuck == "" {
		s.stuck = s.name(file) + " is " + what
	}
}

// lookBelow looks at the files below a directory until it finds one that git would block on.
func (s *search) lookBelow(dir string) {
	s.walk(dir, func(name string, d fs.DirEntry) {
		if !d.IsDir() && !d.Type().IsRegular() {
			s.look(name)
		}
	})
}

// walk calls look for the files below a directory until one that git would block on is found. It
// does not enter a directory on a file system that does not answer.
func (s *search) walk(dir string, look func(name string, d fs.DirEntry)) {
	if s.stuck == "" {
		s.look(dir)
	}
	if s.stuck != "" {
		return
	}
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			look(name, d)
		}
		if s.stuck != "" {
			return fs.SkipAll
		}
		return nil
	})
}

// name returns a file name for display: relative to the working tree if the file is in it.
func (s *search) name(file string) string {
	if name, err := filepath.Rel(s.at.Top, file); err == nil && filepath.IsLocal(name) {
		return filepath.ToSlash(name)
	}
	return file
}

// read returns the content of a regular file, or "" if it is not regular or too large.
func (s *search) read(file string) string {
	if !s.look(file) {
		return ""
	}
	text, _ := ReadFile(filepath.Dir(file), filepath.Base(file), configLimit)
	return string(text)
}

// followIncludes looks at the files that a configuration file includes, regardless of conditions.
func (s *search) followIncludes(file string, depth int) {
	if depth > includeDepth || s.stuck != "" {
		return
	}
	if s.opened++; s.opened > includeMost {
		s.stuck = s.name(file) + " is one of too many included files"
		return
	}
	home, _ := os.UserHomeDir()
	for _, set := range parseConfig(s.read(file)) {
		if strings.HasPrefix(set.key, "include") && strings.HasSuffix(set.key, ".path") {
			s.followIncludes(beside(filepath.Dir(file), set.path(home)), depth+1)
		}
	}
}

// beside returns a path that a file in dir names, relative to dir unless it is absolute.
func beside(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// gitStuck returns the error that git was not run, or was ended, because it would block on a file.
func gitStuck(command, file string) *errors.Error {
	return errors.E(errors.Timeout, "git %s cannot be run: %s", command, errors.Reason(file)).
		Hint("", "", "put a regular file in its place, or remove it; where it is on a mount, check that")
}
