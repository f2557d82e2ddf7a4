package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCompletionWritesNothing: a press of the key leaves no file behind, changes
// none, and says nothing but words.
func TestCompletionWritesNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"n-aaaa": "# Title\n", "broken": "---\ntitle: [\n---\n", "bytes": "\xff\xfe\x00"})
	if out, code := p.run("edit", "n-aaaa", "--append", "x"); code != 0 {
		t.Fatal(out)
	}
	for _, dir := range []string{"cache", "state", "config"} {
		must(t, os.RemoveAll(filepath.Join(p.dir, "..", dir)))
	}
	before := tree(t, filepath.Dir(p.dir))
	for _, words := range [][]string{{""}, {"read", ""}, {"restore", "n-aaaa", ""}, {"restore", "n-", ""}, {"remove", "--restore", ""}, {"history", ""}, {"read", "--cwd", "..", ""}, {"write", "--supersedes", ""}, {"doctor", ""}, {"list", "--tags", ""}, {"--"}, {"read", "--=", "="}} {
		out, code := p.run(append([]string{"__complete", "zsh"}, words...)...)
		if code != 0 || p.err.Len() > 0 || !strings.HasPrefix(out, "words\n") {
			t.Errorf("%q: exit %d: %s", words, code, out)
		}
	}
	if after := tree(t, filepath.Dir(p.dir)); !slices.Equal(before, after) {
		t.Errorf("%v\nhas become\n%v", before, after)
	}
}

// tree is every file below a directory, with its size and time.
func tree(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		all = append(all, strings.Join([]string{path, info.ModTime().String(), info.Mode().String()}, " "))
		return err
	})
	must(t, err)
	return all
}

// TestEveryFlagThatIsCompletedIsThere keeps the words for values with the flags.
func TestEveryFlagThatIsCompletedIsThere(t *testing.T) {
	t.Parallel()
	commands := (&door{}).commands()
	for i := 0; i < len(commands); i++ {
		commands = append(commands, commands[i].Subcommands...)
	}
	for key := range flagValues {
		of, name, one := strings.Cut(key, " ")
		if !one {
			of, name = "", key
		}
		found := false
		for _, c := range commands {
			f, _, _ := flagOf(c, "--"+name)
			found = found || f != nil && takesValue(f) && (of == "" || c.Name == of)
		}
		if !found {
			t.Errorf("no command has the flag of %q", key)
		}
	}
}

// Every command and flag but --help stands in the manual, and how the project is found.
func TestManual(t *testing.T) {
	t.Parallel()
	app := (&door{}).app()
	page, err := manual(app)
	must(t, err)
	page = strings.ReplaceAll(page, `\-`, "-")
	for _, c := range app.VisibleCommands() {
		_, section, found := strings.Cut(page, "\n.SH "+strings.Join(c.Names(), ", ")+"\n")
		section, _, _ = strings.Cut(section, "\n.SH ")
		for _, f := range c.Flags {
			name := f.Names()[0]
			found = found && (name == "help" || strings.Contains(section, "--"+name))
		}
		if !found {
			t.Errorf("blue %s is not in the page as it is", c.Name)
		}
	}
	for _, part := range []string{".SH HOW THE PROJECT IS FOUND", "BLUE_PROJECT", "stop rule"} {
		if !strings.Contains(page, part) {
			t.Errorf("there is no %s", part)
		}
	}
}
