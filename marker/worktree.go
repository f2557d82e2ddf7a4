package marker

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"blue/errors"
)

// gitEntry describes the .git entry of a directory.
type gitEntry struct {
	git    bool   // it exists
	linked bool   // it makes the directory the top of a linked worktree
	main   string // physical main working tree of a linked worktree, "" if its repository lies elsewhere
	common string // for a linked worktree, the directory of the repository
}

// readGitEntry examines the .git entry of dir without running git. A file that points elsewhere is
// trusted only if its target points back and is where git would store it, because anyone can put a
// .git file, with everything that it names, into an archive. The error describes an inconsistency.
func readGitEntry(dir string) (gitEntry, error) {
	link := filepath.Join(dir, ".git")
	info, err := os.Lstat(link)
	if err != nil {
		return gitEntry{}, nil
	}
	t := gitEntry{git: true}
	if !info.Mode().IsRegular() {
		return t, nil
	}
	admin, err := ReadPointer(link, "gitdir:")
	if err != nil {
		return t, err
	}
	if _, err := os.Lstat(filepath.Join(admin, "commondir")); err != nil {
		return t, nil // a submodule, or a repository kept elsewhere
	}
	common, err := ReadPointer(filepath.Join(admin, "commondir"), "")
	if err != nil {
		return t, err
	}
	if filepath.Dir(admin) != filepath.Join(common, "worktrees") {
		return t, fmt.Errorf("%s does not keep %s", common, admin)
	}
	if err := checkBacklink(filepath.Join(admin, "gitdir"), info); err != nil {
		return t, err
	}
	t.linked, t.common = true, common
	if filepath.Base(common) == ".git" {
		t.main = filepath.Dir(common)
	}
	return t, nil
}

// Home returns the directory by which all working trees of a repository identify the project at
// root: in a linked worktree that of the main tree, or git's directory if there is none, and
// otherwise root.
func Home(root string) string {
	for dir, below := root, ""; ; dir = filepath.Dir(dir) {
		t, err := readGitEntry(dir)
		switch {
		case err == nil && t.linked && t.main != "":
			return filepath.Join(t.main, below)
		case err == nil && t.linked:
			return t.common
		case err != nil || t.git || dir == filepath.Dir(dir):
			return root
		}
		below = filepath.Join(filepath.Base(dir), below)
	}
}

// ReadPointer reads a file with which git points elsewhere and returns the physical path of the
// target. The path follows a prefix; a relative path is relative to the directory of the file.
func ReadPointer(file, prefix string) (string, error) {
	path, err := readTarget(file, prefix)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

func readTarget(file, prefix string) (string, error) {
	text, err := ReadFile(file, maxLink)
	if err != nil {
		return "", fmt.Errorf("reading %s: %s", file, describeDiskError(err))
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	path = strings.TrimLeft(path, " ")
	if !ok || path == "" || isNetworkPath(path) {
		return "", fmt.Errorf("%s names no directory", file)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return path, nil
}

// checkBacklink checks that file points to the .git file with the given info.
func checkBacklink(file string, link os.FileInfo) error {
	path, err := readTarget(file, "")
	if err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil || !os.SameFile(info, link) {
		return errors.New(file + " does not point back")
	}
	return nil
}

// LinkOut detects a path that appears to be inside a project or a git repository but leads out of
// it through a link: root is the top of that tree, real the actual path. Otherwise both are "". The
// last elements of the path need not exist.
func LinkOut(path string) (root, real string) {
	if real = realPath(path); real == "" {
		return "", ""
	}
	for dir := path; ; dir = filepath.Dir(dir) {
		_, noMarker := os.Lstat(filepath.Join(dir, Name))
		_, noGit := os.Lstat(filepath.Join(dir, ".git"))
		if noMarker == nil || noGit == nil {
			rel, err := filepath.Rel(realPath(dir), real)
			if err != nil || !filepath.IsLocal(rel) {
				return dir, real
			}
		}
		if dir == filepath.Dir(dir) {
			return "", ""
		}
	}
}

// realPath resolves the links in the existing part of a path.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return ""
	}
	if parent = realPath(parent); parent == "" {
		return ""
	}
	return filepath.Join(parent, filepath.Base(path))
}
