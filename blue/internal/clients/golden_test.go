package clients_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"blue/blue/internal/clients"
	"blue/blue/setup"
	"blue/errors"
)

var update = flag.Bool("update", false, "accept the output of the edits as golden")

// stdio and http are what the golden tables write.
var (
	stdio = clients.Entry{Command: "/opt/blue/bin/blue"}
	http  = clients.Entry{Command: "/opt/blue/bin/blue", URL: "http://127.0.0.1:7865/mcp", Token: "s3cret"}
)

// place has a project and a home that do not exist.
func place() clients.Environment {
	root := "/nowhere"
	if runtime.GOOS == "windows" {
		root = `C:\nowhere`
	}
	return clients.Environment{Home: filepath.Join(root, "home"), Project: filepath.Join(root, "shop"), OS: "linux"}
}

// writable returns the client's files that setup writes, one a scope.
func writable(t testing.TB, c clients.Client) map[clients.Scope]clients.ConfigFile {
	t.Helper()
	files := map[clients.Scope]clients.ConfigFile{}
	for _, scope := range c.Scopes() {
		f, err := c.Target(place(), scope)
		if err != nil {
			t.Fatalf("%s %s: %v", c.Name, scope, err)
		}
		files[scope] = f
	}
	return files
}

// TestGolden runs each client's table: testdata/NAME.txtar holds the inputs
// "typical" (other servers and comments, no entry of Blue) and "outdated" (an
// old entry among others) and what each edit makes of them.
func TestGolden(t *testing.T) {
	for _, c := range clients.All() {
		t.Run(c.Name, func(t *testing.T) {
			path := filepath.Join("testdata", c.Name+".txtar")
			archive, err := txtar.ParseFile(path)
			must(t, err)
			g := &golden{t: t, archive: archive}
			for _, scope := range c.Scopes() {
				if f := writable(t, c)[scope]; !f.PrintOnly {
					g.run(f)
				}
				g.wired(c, scope)
			}
			if *update {
				must(t, os.WriteFile(path, txtar.Format(archive), 0o644))
			}
		})
	}
}

// wired shows each file that setup makes for a client, where there was none.
func (g *golden) wired(c clients.Client, scope clients.Scope) {
	files, err := c.Targets(place(), scope, parts...)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, f := range files {
		if f.PrintOnly || f.Format == clients.Markdown {
			continue
		}
		text := g.edit(f, nil, stdio)
		g.want("wired."+string(scope)+"."+filepath.Base(f.Path), text)
		if back, err := f.Remove(text); err != nil || back != nil {
			g.t.Errorf("%s: not taken away: %v\n%s", f.Path, err, back)
		}
	}
}

type golden struct {
	t       *testing.T
	archive *txtar.Archive
}

func (g *golden) file(name string) []byte {
	i := slices.IndexFunc(g.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return g.archive.Files[i].Data
}

// want compares data with the file of that name, or makes it that file.
func (g *golden) want(name string, data []byte) {
	g.t.Helper()
	if old := g.file(name); !*update {
		if !bytes.Equal(old, data) {
			g.t.Errorf("%s:\n%s", name, beside(name, old, data))
		}
		return
	}
	i := slices.IndexFunc(g.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		g.archive.Files = append(g.archive.Files, txtar.File{Name: name})
		i = len(g.archive.Files) - 1
	}
	g.archive.Files[i].Data = data
}

func (g *golden) edit(f clients.ConfigFile, before []byte, e clients.Entry) []byte {
	g.t.Helper()
	after, err := f.Edit(before, e)
	if err != nil {
		g.t.Fatalf("%s: %v", f.Path, err)
	}
	if again, err := f.Edit(after, e); err != nil || !bytes.Equal(again, after) {
		g.t.Errorf("%s: a second run changes the file: %v\n%s", f.Path, err, beside(f.Path, after, again))
	}
	return after
}

func (g *golden) run(f clients.ConfigFile) {
	t, scope := g.t, string(f.Scope)
	absent := g.edit(f, nil, stdio)
	g.want("absent."+scope, absent)
	if empty := g.edit(f, []byte{}, stdio); !bytes.Equal(empty, absent) {
		t.Errorf("an empty file becomes %q", empty)
	}
	typical := g.file("typical")
	put := g.edit(f, typical, stdio)
	g.want("typical.put."+scope, put)
	if back, err := f.Remove(put); err != nil || !bytes.Equal(back, typical) {
		t.Errorf("put and removed is not the same: %v\n%s", err, beside(f.Path, typical, back))
	}
	if same, err := f.Remove(typical); err != nil || !bytes.Equal(same, typical) {
		t.Errorf("nothing to remove, and yet: %v\n%s", err, beside(f.Path, typical, same))
	}
	current := g.edit(f, g.file("outdated"), stdio)
	g.want("outdated.put."+scope, current)
	removed, err := f.Remove(current)
	must(t, err)
	g.want("outdated.removed", removed)
	crlf := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }
	if got := g.edit(f, crlf(typical), stdio); !bytes.Equal(got, crlf(put)) {
		t.Errorf("CRLF is not kept: %q", got)
	}
	mark := []byte("\xef\xbb\xbf")
	if got := g.edit(f, append(mark, typical...), stdio); !bytes.Equal(got, append(mark, put...)) {
		t.Errorf("the byte order mark is not kept: %q", got)
	}
	g.http(f, current)
}

// http turns a current stdio entry into one with a URL, where the client can.
func (g *golden) http(f clients.ConfigFile, current []byte) {
	remote, err := f.Edit(current, http)
	if err != nil {
		text := strings.ReplaceAll(err.Error(), errors.Quote(f.Path), `"`+strings.TrimPrefix(filepath.ToSlash(f.Path), filepath.VolumeName(f.Path))+`"`)
		g.want("http."+string(f.Scope)+".error", []byte(text+"\n"))
		return
	}
	g.want("http."+string(f.Scope), g.edit(f, current, http))
	if back := g.edit(f, remote, stdio); bytes.Contains(back, []byte("7865")) {
		g.t.Errorf("the URL stays beside a command:\n%s", back)
	}
}

// The repository holds the plugin as it is made, so that clients can install it from there.
func TestTree(t *testing.T) {
	top := filepath.Join("..", "..", "..")
	names := map[string]bool{}
	for _, f := range clients.Tree(top, setup.Version) {
		names[f.Path] = true
		if *update {
			must(t, os.MkdirAll(filepath.Dir(f.Path), 0o755))
			must(t, os.WriteFile(f.Path, f.Text, 0o644))
		}
		if there, err := os.ReadFile(f.Path); err != nil || string(there) != string(f.Text) {
			t.Errorf("%s is not as it is made (%v): go test ./blue/internal/clients -run TestTree -update", f.Path, err)
		}
	}
	for _, dir := range []string{".plugin", ".claude-plugin"} {
		err := filepath.WalkDir(filepath.Join(top, dir), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && !names[path] {
				t.Errorf("%s is not made by the program", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
