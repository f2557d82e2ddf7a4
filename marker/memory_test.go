package marker

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A source that led to a project and leads to the one above it, or elsewhere, loses the former.
// A new project below the former one only warns.
func TestMemory(t *testing.T) {
	t.Parallel()
	mark := func(dir string) {
		must(t, os.MkdirAll(filepath.Join(dir, Name), 0o755))
	}
	unmark := func(dir string) {
		must(t, os.Remove(filepath.Join(dir, Name)))
	}
	for _, source := range append(Sources(), Known) {
		base := realPath(t.TempDir())
		outer, pkg, src, link := filepath.Join(base, "outer"), filepath.Join(base, "outer", "pkg"), filepath.Join(base, "outer", "pkg", "src"), filepath.Join(base, "link")
		rules, home := NewRules(base+"/home"), new(Memory)
		rules.Memory = home
		choose := func(dir string) Found {
			t.Helper()
			found, err := Choose(context.Background(), rules, slices.Values([]Candidate{{Source: source, Value: dir}}))
			if err != nil {
				t.Fatalf("%s %s: %v", source, dir, err)
			}
			return found
		}
		check := func(f Found, root, lost, warning string) {
			t.Helper()
			if f.Root != root || f.Lost != lost || !strings.Contains(strings.Join(f.Warnings, "\n"), warning) || warning == "" && len(f.Warnings) > 0 {
				t.Errorf("%s: root %s, lost %q, warnings %q", source, f.Root, f.Lost, f.Warnings)
			}
		}
		for _, dir := range []string{outer, pkg, pkg + "/src"} {
			mark(dir)
		}
		unmark(pkg + "/src")
		check(choose(pkg), pkg, "", "")
		unmark(pkg)
		for range 2 { // what was told once with a warning is not the project of the session after it
			check(choose(pkg), outer, pkg, "this session worked in the project at "+pkg+" before; "+string(source)+" leads to this one now")
			check(choose(src), outer, pkg, "before")
		}
		check(choose(outer), outer, "", "")
		mark(pkg)
		check(choose(pkg), pkg, "", "")
		mark(pkg + "/src")
		check(choose(src), src, "", "")

		if err := os.Symlink(outer, link); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
		check(choose(link), outer, "", "")
		if os.Remove(link) != nil || os.Symlink(src, link) != nil {
			t.Fatal("the link is not changed")
		}
		check(choose(link), src, "", "this project is new: "+string(source)+" led to the one at "+outer)
		if os.Remove(link) != nil || os.Symlink(pkg, link) != nil {
			t.Fatal("the link is not changed")
		}
		found := choose(link)
		check(found, pkg, src, "before")
		home.Accept(found)
		check(choose(link), pkg, "", "")
	}
}

// A memory of several clients does not take the silence of one for another's.
func TestSharedMemory(t *testing.T) {
	t.Parallel()
	base := realPath(t.TempDir())
	for _, dir := range []string{"/a", "/b"} {
		must(t, os.MkdirAll(base+dir+"/"+Name, 0o755))
	}
	for _, shared := range []bool{false, true} {
		rules := NewRules(base + "/home")
		rules.Memory = &Memory{Shared: shared}
		choose := func(all ...Candidate) Found {
			found, err := Choose(context.Background(), rules, slices.Values(all))
			must(t, err)
			return found
		}
		choose(Candidate{Source: Roots, Value: base + "/a"})
		found := choose(Candidate{Source: Roots, Outcome: Empty}, Candidate{Source: Env, Value: base + "/b"})
		if lost := found.Lost == filepath.Join(base, "a"); lost == shared {
			t.Errorf("shared %v: lost %q", shared, found.Lost)
		}
	}
}

// A project that is found at another root with the same id, as in a linked worktree, is the same
// project.
func TestMemoryKnowsTheID(t *testing.T) {
	t.Parallel()
	var m Memory
	at := func(root, id string) Found {
		return Found{Address: Address{Root: root, ID: id}, Source: Argument, Value: "/shop/work"}
	}
	m.Accept(at("/shop/work", "abc"))
	for _, row := range []struct {
		f    Found
		same bool
	}{{at("/shop", "abc"), true}, {at("/shop", "/shop"), false}, {at("/shop", "def"), false}, {at("/shop/work", "def"), true}} {
		if same := m.former(Candidate{Source: Argument, Value: "/shop/work"}).is(row.f); same != row.same {
			t.Errorf("%s %s: the same project: %v", row.f.Root, row.f.ID, same)
		}
	}
}
