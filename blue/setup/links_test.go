package setup_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blue/blue/internal/clients"
	"blue/blue/setup"
	"blue/errors"
	"blue/fixtures"
)

// state is everything below the directories: names, modes, texts, targets of links.
func state(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			all[path] = d.Type().String()
			switch {
			case d.Type()&fs.ModeSymlink != 0:
				target, err := os.Readlink(path)
				all[path] += " " + target
				return err
			case d.Type().IsRegular():
				text, err := os.ReadFile(path)
				info, _ := d.Info()
				all[path] += info.Mode().String() + " " + string(text)
				return err
			}
			return nil
		})
		must(t, err)
	}
	return all
}

// differing names the paths that two states do not share.
func differing(a, b map[string]string) (paths []string) {
	for path, text := range a {
		if other, there := b[path]; !there || other != text {
			paths = append(paths, path+" was "+text+", is "+other)
		}
	}
	for path, text := range b {
		if _, there := a[path]; !there {
			paths = append(paths, path+" is new: "+text)
		}
	}
	return paths
}

func needLinks(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on this system")
	}
}

func (m *machine) link(target, path string) {
	m.t.Helper()
	must(m.t, os.MkdirAll(filepath.Dir(path), 0o755))
	if err := os.Symlink(target, path); err != nil {
		m.t.Skipf("SKIPPED: no symbolic links here: %v", err)
	}
}

// names are the paths below the project that lead to a file and are not there.
func (m *machine) names(file string) (all []string) {
	for path := file; strings.HasPrefix(path, m.project); path = filepath.Dir(path) {
		if _, err := os.Lstat(path); err != nil {
			all = append(all, path)
		}
	}
	return all
}

// A file of a project, or a directory above it, that is a link out of the
// project is refused by name, for each client and each way of writing; nothing is written
// inside or outside. The link may be absolute or relative, and lead to something or nothing.
func TestLinksOut(t *testing.T) {
	fixtures.Slow(t)
	needLinks(t)
	for _, c := range clients.All() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			for _, agents := range []bool{false, true} {
				r := setup.Registration{Client: c.Name, AgentsMD: agents}
				planned, err := m.setup(setup.Registration{Client: c.Name, AgentsMD: agents, DryRun: true})
				must(t, err)
				for _, f := range planned.Files {
					for _, at := range m.names(f.Path) {
						m.linkOut(r, at, at == f.Path)
					}
				}
			}
		})
	}
}

// linkOut puts links to the outside in the place of a file, or of a directory above it.
func (m *machine) linkOut(r setup.Registration, at string, file bool) {
	m.t.Helper()
	outside := filepath.Join(m.root, "outside")
	target := filepath.Join(outside, "directory")
	m.write(filepath.Join(target, "x"), "", 0o644)
	if file {
		target = filepath.Join(outside, "file")
		m.write(target, "", 0o644)
	}
	relative, err := filepath.Rel(filepath.Dir(at), target)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, target := range []string{target, relative, filepath.Join(outside, "nothing"), filepath.Join(outside, "nothing", "below")} {
		m.link(target, at)
		before := state(m.t, m.project, outside)
		for _, how := range []setup.Registration{{}, {DryRun: true}, {Remove: true}, {Allow: true}} {
			how.Client, how.AgentsMD = r.Client, r.AgentsMD
			_, err := m.setup(how)
			if !errors.Is(err, errors.Invalid) && !errors.Is(err, errors.Untouched) || !strings.Contains(err.Error(), at) {
				m.t.Errorf("%s -> %s, %+v: %v", at, target, how, err)
			}
			if left := differing(before, state(m.t, m.project, outside)); len(left) > 0 {
				m.t.Fatalf("%s -> %s, %+v: %v", at, target, how, left)
			}
		}
		for gone := at; os.Remove(gone) == nil; gone = filepath.Dir(gone) { // up to what is not empty
		}
	}
}

// What is shared by a hard link is not written either.
func TestHardLink(t *testing.T) {
	needLinks(t)
	m := newMachine(t)
	outside := filepath.Join(m.root, "outside")
	agents := filepath.Join(m.project, "AGENTS.md")
	m.write(filepath.Join(outside, "file"), "# Theirs\n", 0o644)
	if err := os.Link(filepath.Join(outside, "file"), agents); err != nil {
		t.Skip(err)
	}
	before := state(t, outside)
	for _, r := range []setup.Registration{{AgentsMD: true}, {AgentsMD: true, Remove: true}} {
		if _, err := m.setup(r); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
		if left := differing(before, state(t, outside)); len(left) > 0 {
			t.Errorf("%+v: %v", r, left)
		}
	}
	if m.read(agents) != "# Theirs\n" {
		t.Errorf("%s", m.read(agents))
	}
}

// TestLinksInside: links that stay in the project are followed, and so are those of a
// person's own files wherever they lead; they are links afterwards.
func TestLinksInside(t *testing.T) {
	needLinks(t)
	m := newMachine(t)
	m.write(filepath.Join(m.project, "shared", "rules.md"), "# Rules\n", 0o644)
	m.write(filepath.Join(m.root, "dotfiles", "cursor", "mcp.json"), "", 0o600)
	m.write(filepath.Join(m.root, "dotfiles", "gemini", "settings.json"), "{\"a\": 1}\n", 0o600)
	m.link(filepath.Join(m.project, "shared", "rules.md"), filepath.Join(m.project, "AGENTS.md"))
	m.link("shared", filepath.Join(m.project, ".codex"))
	m.link(filepath.Join(m.root, "dotfiles", "gemini"), m.in(".gemini"))
	must(t, os.RemoveAll(m.in(".cursor")))
	m.link(filepath.Join(m.root, "dotfiles", "cursor"), m.in(".cursor"))
	places := []string{m.project, m.in(".gemini"), m.in(".cursor"), filepath.Join(m.root, "dotfiles")}
	before := state(t, places...)
	runs := []setup.Registration{{Client: "codex"}, {Client: "gemini", Scope: "user"}, {Client: "cursor", Scope: "user"}}
	for _, r := range runs {
		done, err := m.setup(r)
		if err != nil || done.Files[0].Outcome != "written" {
			t.Fatalf("%+v: %+v, %v", r, done, err)
		}
	}
	for _, file := range []string{"shop/shared/config.toml", "dotfiles/gemini/settings.json", "dotfiles/cursor/mcp.json", "shop/shared/rules.md"} {
		if !strings.Contains(m.read(filepath.Join(m.root, filepath.FromSlash(file))), "blue") {
			t.Errorf("%s was not written", file)
		}
	}
	for _, r := range runs {
		r.Remove = true
		if _, err := m.setup(r); err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
	}
	if left := differing(before, state(t, places...)); len(left) > 0 {
		t.Errorf("%v", left)
	}
}

// Neither the directory of a plugin nor anything in it is a link out of
// a clone.
func TestPluginLinks(t *testing.T) {
	needLinks(t)
	m := newMachine(t)
	outside, clone := filepath.Join(m.root, "outside"), filepath.Join(m.root, "clone")
	m.write(filepath.Join(outside, "directory", "x"), "", 0o644)
	m.write(filepath.Join(clone, ".git", "config"), "", 0o644)
	for _, below := range []string{"", "plugin", filepath.Join("a", "plugin")} {
		for _, target := range []string{"directory", "nothing"} {
			at := filepath.Join(clone, "at")
			m.link(filepath.Join(outside, target), at)
			before := state(t, clone, outside)
			if _, err := m.verbs().Plugin(filepath.Join(at, below)); err == nil || !strings.Contains(err.Error(), at) {
				t.Errorf("%s, %s: %v", target, below, err)
			}
			if left := differing(before, state(t, clone, outside)); len(left) > 0 {
				t.Errorf("%s, %s: %v", target, below, left)
			}
			_ = os.Remove(at)
		}
	}
	dir := filepath.Join(clone, "plugin")
	if _, err := m.verbs().Plugin(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gemini", "hooks", ".mcp.json"} {
		at := filepath.Join(dir, name)
		must(t, os.RemoveAll(at))
		m.link(filepath.Join(outside, "directory"), at)
		if _, err := m.verbs().Plugin(dir); !errors.Is(err, errors.Invalid) || !strings.Contains(err.Error(), at) {
			t.Errorf("%s: %v", name, err)
		}
		if got := state(t, outside); len(got) != 3 {
			t.Errorf("%s: %v", name, got)
		}
		must(t, os.Remove(at))
	}
}
