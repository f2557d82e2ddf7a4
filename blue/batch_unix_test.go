//go:build unix

package blue_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blue/blue"
	"blue/fixtures"
)

// countGit puts a git first in PATH that counts how often it is started.
func countGit(t *testing.T) (count func() int) {
	t.Helper()
	git, err := exec.LookPath("git")
	must(t, err)
	dir := t.TempDir()
	starts := filepath.Join(dir, "starts")
	must(t, os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\necho >>'"+starts+"'\nexec '"+git+"' \"$@\"\n"), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() int {
		text, _ := os.ReadFile(starts)
		_ = os.Remove(starts)
		return bytes.Count(text, []byte("\n"))
	}
}

// How often git is started to read and to check does not depend on how many commits
// are linked, files cited and notes superseded.
func TestOneGitForAll(t *testing.T) {
	fixtures.Slow(t)
	u := newUser(t)
	dir, _ := recorded(t, u)
	gitIn(t, dir, "checkout", "-q", "-b", "side")
	gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "Of the side")
	side := strings.TrimSpace(string(gitOutput(t, dir, "rev-parse", "HEAD")))
	gitIn(t, dir, "checkout", "-q", "-")
	count := countGit(t)
	measure := func(size int) (starts [2]int) {
		fill(t, dir, side, size)
		p := u.Open(t, dir)
		_, err := p.Search(t.Context(), blue.Query{Text: "queues"}) // everything is read before
		must(t, err)
		count()
		began := time.Now()
		page, err := p.Read(t.Context(), blue.Reading{ID: "links", Whole: true})
		must(t, err)
		starts[0] = count()
		read := time.Since(began)
		if links := page.Notes[0].Links; len(links) < 11 || links[0].Title != "Of the side" || links[1].Missing != (size <= 1000) {
			t.Errorf("%+v", links)
		}
		began = time.Now()
		checked, err := p.Check(t.Context())
		must(t, err)
		starts[1] = count()
		t.Logf("%d links to commits, cited files and superseded notes: read %v, check %v, git started %v times", size, read, time.Since(began), starts)
		if size <= 1000 && checked.Wrong < size {
			t.Errorf("%d findings", checked.Wrong)
		}
		return starts
	}
	few := measure(10)
	if many := measure(fixtures.Size(1000, 50_000, 50_000)); many[0] > few[0] || many[1] > few[1] || few[0] > 4 || few[1] > 8 {
		t.Errorf("git was started %v times for few, %v for many", few, many)
	}
}

// fill writes a note that links to many commits, which are not there but for the last, and
// notes that cite as many files, which are gone, and supersede as many notes.
func fill(t *testing.T, dir, commit string, size int) {
	t.Helper()
	var links strings.Builder
	for i := range size {
		fmt.Fprintf(&links, "[[commit %08x]]\n", uint32(i)*2654435761) // each another
	}
	put(t, dir, ".blue/notes/links.md", "# Links\n\n[[commit "+commit+"]]\n"+links.String())
	for i := range min(size, 10_000) / 10 {
		var files, ids strings.Builder
		for j := range 10 {
			fmt.Fprintf(&files, "  - path: gone/%d-%d.go\n    hash: 0123456789abcdef\n", i, j)
			fmt.Fprintf(&ids, "  - older-%d-%d\n", i, j)
		}
		put(t, dir, fmt.Sprintf(".blue/notes/cites-%d.md", i), "---\nfiles:\n"+files.String()+"supersedes:\n"+ids.String()+"---\n# Cites\n")
	}
}

func gitOutput(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	out, err := c.Output()
	must(t, err)
	return out
}
