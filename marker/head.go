package marker

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"blue/errors"
	"blue/marker/mount"
)

const (
	maxHead   = 4 << 10  // bytes of a file that holds a reference of git
	maxPacked = 16 << 20 // bytes of the file of packed references
	maxRefs   = 5        // references that name one another
)

// Checkout is the working tree of git around a directory, read from git's files without
// starting a program.
type Checkout struct {
	Top     string // the directory that holds .git, empty outside a working tree
	Private string // git's directory of this working tree
	Shared  string // git's directory of the repository
	Commit  string // that HEAD leads to; empty when there is none, or only a program can tell
	Table   string // what stands for the commit where references are kept as tables
	Shallow bool   // history was cut off when it was cloned
	Silent  string // the file by which git's directories lie on a file system that does not answer
}

// State stands for what HEAD leads to: another one means that it has moved.
func (c Checkout) State() string { return c.Commit + c.Table }

// FindDirectories finds the working tree around a directory, and the directories of git
// without what is in them.
func FindDirectories(dir string) (c Checkout) {
	var err error
	if c.Top, c.Private, err = gitDirectory(dir); errors.Is(err, errors.FSTimeout) {
		c.Silent = filepath.Join(c.Top, ".git")
	}
	if c.Private == "" {
		return c
	}
	c.Shared = c.Private
	common, err := readPointer(filepath.Join(c.Private, "commondir"), "")
	switch {
	case err == nil:
		c.Shared = common
	case errors.Is(err, errors.FSTimeout):
		c.Private, c.Shared, c.Silent = "", "", filepath.Join(c.Private, "commondir")
	}
	return c
}

// FindCheckout finds the working tree around a directory.
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
		if table, err := readSmallFile(filepath.Join(dir, "reftable", "tables.list"), maxConfig); err == nil {
			c.Table += string(table)
		}
	}
	return c
}

// Branch is the branch that the working tree around dir has checked out, as its git
// directory says: a short commit when HEAD is detached, empty outside a working tree.
func Branch(dir string) string {
	_, private, _ := gitDirectory(dir)
	head := readReference(filepath.Join(private, "HEAD"))
	if branch, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return branch
	}
	if !detached.MatchString(head) {
		return "" // not what git writes
	}
	return head[:12]
}

// gitDirectory finds the .git entry at or above a directory, and the directory that it
// is or names.
func gitDirectory(dir string) (top, private string, err error) {
	for range maxLevels {
		entry := filepath.Join(dir, ".git")
		if info, err := os.Lstat(entry); err == nil {
			if info.Mode().IsRegular() {
				entry, err = readPointer(entry, "gitdir:")
			} else if err = mount.Check(entry); err != nil {
				entry = ""
			}
			return dir, entry, err
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	return "", "", nil
}

// detached is what HEAD holds when no branch is checked out, and a reference that holds
// a commit.
var detached = regexp.MustCompile(`^[0-9a-f]{40,64}$`)

// Upstream is the commit of the default branch of the remote, as it was fetched last: empty
// without a remote, and when nothing says which of its branches that is.
func (c Checkout) Upstream() string {
	names, dir := []string{"origin"}, filepath.Join(c.Shared, "refs", "remotes")
	if mount.Check(dir) != nil {
		return ""
	}
	remotes, _ := os.ReadDir(dir)
	for _, r := range remotes {
		names = append(names, r.Name())
	}
	if commit := c.defaultOf(names); commit != "" {
		return commit
	}
	return c.defaultOf(c.packedRemotes())
}

// defaultOf is the commit of the default branch of the first of some remotes that has one.
func (c Checkout) defaultOf(remotes []string) string {
	for _, remote := range remotes {
		for _, branch := range [...]string{"HEAD", "main", "master"} {
			if commit := c.resolve("ref: refs/remotes/" + remote + "/" + branch); commit != "" {
				return commit
			}
		}
	}
	return ""
}

// packedRemotes are the remotes of which git keeps references in one file, for which there
// may be no directory.
func (c Checkout) packedRemotes() (names []string) {
	text, _ := readSmallFile(filepath.Join(c.Shared, "packed-refs"), maxPacked)
	for line := range strings.Lines(string(text)) {
		_, name, _ := strings.Cut(line, " refs/remotes/")
		if name, _, ok := strings.Cut(name, "/"); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func readReference(file string) string {
	text, err := readSmallFile(file, maxHead)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// resolve follows what a reference holds to a commit.
func (c Checkout) resolve(value string) string {
	for range maxRefs {
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
			value = c.packed(name)
		}
	}
	if !detached.MatchString(value) {
		return ""
	}
	return value
}

// packed looks a reference up among those that git keeps in one file.
func (c Checkout) packed(name string) string {
	text, err := readSmallFile(filepath.Join(c.Shared, "packed-refs"), maxPacked)
	if err != nil {
		return ""
	}
	before, _, found := strings.Cut("\n"+strings.TrimRight(string(text), "\n")+"\n", " "+name+"\n")
	if !found {
		return ""
	}
	return before[strings.LastIndexByte(before, '\n')+1:]
}
