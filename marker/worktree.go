package marker

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"blue/errors"
)

const maxLink = 4 << 10 // bytes of a file by which git points elsewhere

// tree is what the .git entry of a directory says.
type tree struct {
	git    bool   // there is one
	linked bool   // it makes the directory the top of a linked worktree
	main   string // physical main working tree of a linked worktree, empty for a bare repository
}

// readTree looks at the .git entry of dir without help from git. A file that
// points elsewhere is believed only when the place it names points back, and is
// kept where git keeps it: anyone can put a .git file, and all that it names,
// into an archive. The error says what is inconsistent.
func readTree(dir string) (tree, error) {
	link := filepath.Join(dir, ".git")
	info, err := os.Lstat(link)
	if err != nil {
		return tree{}, nil
	}
	t := tree{git: true}
	if !info.Mode().IsRegular() {
		return t, nil
	}
	admin, err := pointer(link, "gitdir:")
	if err != nil {
		return t, err
	}
	if _, err := os.Lstat(filepath.Join(admin, "commondir")); err != nil {
		return t, nil // a submodule, or a repository kept elsewhere
	}
	common, err := pointer(filepath.Join(admin, "commondir"), "")
	if err != nil {
		return t, err
	}
	if filepath.Dir(admin) != filepath.Join(common, "worktrees") {
		return t, fmt.Errorf("%s does not keep %s", common, admin)
	}
	if err := backlink(filepath.Join(admin, "gitdir"), info); err != nil {
		return t, err
	}
	t.linked = true
	if filepath.Base(common) == ".git" {
		t.main = filepath.Dir(common)
	}
	return t, nil
}

// pointer reads the path in a file and returns the physical path of what it
// names. A relative one starts at the directory of the file.
func pointer(file, prefix string) (string, error) {
	path, err := target(file, prefix)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

func target(file, prefix string) (string, error) {
	text, err := readSmall(file, maxLink)
	if err != nil {
		return "", fmt.Errorf("reading %s: %s", file, why(err))
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	path = strings.TrimLeft(path, " ")
	if !ok || path == "" || network(path) {
		return "", fmt.Errorf("%s names no directory", file)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return path, nil
}

// backlink checks that file names the .git file with the given info.
func backlink(file string, link os.FileInfo) error {
	path, err := target(file, "")
	if err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil || !os.SameFile(info, link) {
		return errors.New(file + " does not point back")
	}
	return nil
}
