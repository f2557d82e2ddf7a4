package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"blue/marker"
)

// Checkout is the git working tree around a directory, read from git's files without starting git.
type Checkout struct {
	Top     string // directory that contains .git; "" outside a working tree
	Private string // git's directory of this working tree
	Shared  string // git's directory of the repository
	Commit  string // commit of HEAD; "" if there is none, or if only git can tell
	Table   string // contents of tables.list in repositories with reference tables, which replace Commit
	Shallow bool   // history was cut off when it was cloned
}

// State identifies the commit of HEAD: it changes when HEAD moves.
func (c Checkout) State() string { return c.Commit + c.Table }

// FindDirectories finds the working tree around a directory, and git's directories. It reads no
// references.
func FindDirectories(dir string) (c Checkout) {
	if c.Top, c.Private = findEntry(dir); c.Private == "" {
		return c
	}
	c.Shared = c.Private
	if common, err := marker.ReadPointer(filepath.Join(c.Private, "commondir"), ""); err == nil {
		c.Shared = common
	}
	return c
}

// Worktrees returns the tops of all working trees of the repository, as git's files name them.
func (c Checkout) Worktrees() (tops []string) {
	dir := filepath.Join(c.Shared, "worktrees")
	if c.Shared == "" {
		return nil
	}
	if filepath.Base(c.Shared) == ".git" {
		tops = append(tops, filepath.Dir(c.Shared))
	}
	entries, _ := os.ReadDir(dir) // none if there are no linked ones
	for _, e := range entries {
		if entry, err := marker.ReadFile(filepath.Join(dir, e.Name(), "gitdir"), headLimit); err == nil {
			tops = append(tops, filepath.Dir(strings.TrimSpace(string(entry))))
		}
	}
	return tops
}

// FindCheckout finds the working tree around a directory and the commit of its HEAD.
func FindCheckout(dir string) (c Checkout) {
	if c = FindDirectories(dir); c.Private == "" {
		return c
	}
	_, err := os.Lstat(filepath.Join(c.Shared, "shallow"))
	c.Shallow = err == nil
	c.Commit = c.resolve(readReference(filepath.Join(c.Private, "HEAD")))
	for _, dir := range []string{c.Private, c.Shared} {
		if c.Commit != "" {
			break
		}
		if table, err := marker.ReadFile(filepath.Join(dir, "reftable", "tables.list"), tablesLimit); err == nil {
			c.Table += string(table)
		}
	}
	return c
}

// Head returns the commit of HEAD. It asks git if only git can tell.
func (c Checkout) Head(ctx context.Context) (string, error) {
	if c.Commit != "" {
		return c.Commit, nil
	}
	out, err := Output(ctx, c.Top, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	return strings.TrimSpace(out), err
}

// Branch returns the branch that is checked out around a directory: an abbreviated commit if HEAD
// is detached, "" outside a working tree.
func Branch(dir string) string {
	_, private := findEntry(dir)
	head := readReference(filepath.Join(private, "HEAD"))
	if branch, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return branch
	}
	if !isHash(head) {
		return "" // not written by git
	}
	return head[:12]
}

// findEntry finds the .git entry at or above a directory, and the directory that it is or points
// to.
func findEntry(dir string) (top, private string) {
	for range mostLevels {
		entry := filepath.Join(dir, ".git")
		if info, err := os.Lstat(entry); err == nil {
			if info.Mode().IsRegular() {
				entry, _ = marker.ReadPointer(entry, "gitdir:")
			}
			return dir, entry
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	return "", ""
}

func readReference(file string) string {
	text, err := marker.ReadFile(file, headLimit)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// resolve follows the value of a reference to a commit.
func (c Checkout) resolve(value string) string {
	for range mostRefs {
		name, symbolic := strings.CutPrefix(value, "ref: ")
		if !symbolic {
			break
		}
		if !strings.HasPrefix(name, "refs/") || !filepath.IsLocal(filepath.FromSlash(name)) {
			return ""
		}
		value = ""
		for _, dir := range []string{c.Private, c.Shared} {
			if value == "" {
				value = readReference(filepath.Join(dir, filepath.FromSlash(name)))
			}
		}
		if value == "" {
			before, _, _ := strings.Cut("\n"+c.readPacked(), " "+name+"\n")
			value = before[strings.LastIndexByte(before, '\n')+1:]
		}
	}
	if !isHash(value) {
		return ""
	}
	return value
}

// readPacked returns the contents of packed-refs.
func (c Checkout) readPacked() string {
	text, err := marker.ReadFile(filepath.Join(c.Shared, "packed-refs"), packedLimit)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text), "\n") + "\n"
}
