package setup_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"blue/blue/internal/clients"
	"blue/blue/setup"
	"blue/errors"
	"blue/fixtures"
)

// before is a state in which setup may find a file.
type before struct {
	name string
	text func(seed string) string // nil for a file that does not exist
	mode os.FileMode
	link bool // the file is a link to one with the text
}

var befores = []before{
	{name: "absent"},
	{name: "empty", text: func(string) string { return "" }},
	{name: "usual", text: func(seed string) string { return seed }},
	{name: "read-only", text: func(seed string) string { return seed }, mode: 0o444},
	{name: "crlf", text: func(seed string) string { return strings.ReplaceAll(seed, "\n", "\r\n") }},
	{name: "byte order mark", text: func(seed string) string { return "\xef\xbb\xbf" + seed }},
	{name: "no line end", text: func(seed string) string { return strings.TrimRight(seed, "\n") }},
	{name: "cut off", text: func(seed string) string { return seed[:len(seed)/2] }},
	{name: "malformed", text: func(seed string) string { return seed + "\n}{]: <!-- blue:end -->\n" }},
	{name: "duplicate keys", text: func(seed string) string { return strings.Replace(seed, "{", `{"a": 1, "a": 2, `, 1) }},
	{name: "link", text: func(seed string) string { return seed }, link: true},
	{name: "link to nothing in it", text: func(string) string { return "" }, link: true},
}

// runs are what may have happened before the last removal.
var runs = [][]setup.Registration{
	{{}},
	{{}, {NoNudge: true}, {Allow: true}},
	{{Only: "mcp"}, {}, {Only: "hooks", Remove: true}},
}

// Whatever the files of a client were before, they are so to the byte after
// setup and its removal, with their modes, links and directories, and no copy is left. What
// setup refuses stays as it was.
func TestRemove(t *testing.T) {
	fixtures.Slow(t)
	for _, c := range clients.All() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			m, written, n := newMachine(t), 0, 0
			for _, state := range befores {
				for _, scope := range c.Scopes() {
					for _, run := range runs {
						if n++; n%fixtures.Size(13, 5, 5) != 0 {
							continue // 13 and 5 meet each state, scope and run in turn
						}
						if m.setUpAndRemove(c, string(scope), state, run) {
							written++
						}
					}
				}
			}
			if written == 0 {
				t.Errorf("no run wrote anything")
			}
		})
	}
}

// setUpAndRemove reports whether setup wrote anything.
func (m *machine) setUpAndRemove(c clients.Client, scope string, state before, run []setup.Registration) (wrote bool) {
	t := m.t
	t.Helper()
	if state.link {
		needLinks(t)
	}
	planned, err := m.setup(setup.Registration{Client: c.Name, Scope: scope, DryRun: true})
	must(t, err)
	for _, f := range planned.Files {
		m.prepare(f.Path, c.Name, state)
	}
	was := m.files()
	about := func() string { return c.Name + ", " + scope + ", " + state.name }
	// a file that is refused holds up the removal of all, and not that of another part
	removal := []setup.Registration{{Remove: true}, {Remove: true, Only: "mcp"}, {Remove: true, Only: "hooks"}}
	for _, r := range slices.Concat(run, removal) {
		r.Client, r.Scope = c.Name, scope
		now := m.files()
		_, err := m.setup(r)
		if err == nil {
			wrote = true
			continue
		}
		if left := differing(now, m.files()); !errors.Is(err, errors.Untouched) && !errors.Is(err, errors.Invalid) && !errors.Is(err, errors.Exists) || len(left) > 0 {
			t.Errorf("%s, %+v: %v, %q", about(), r, err, left)
		}
	}
	if left := differing(was, m.files()); len(left) > 0 {
		t.Fatalf("%s, %+v: %.500q", about(), run, left)
	}
	for _, f := range planned.Files {
		_ = os.RemoveAll(f.Path) // which may not be there
	}
	return wrote
}

// prepare gives a file of the client its state.
func (m *machine) prepare(path, client string, state before) {
	m.t.Helper()
	if state.text == nil {
		return
	}
	mode := state.mode
	if mode == 0 {
		mode = 0o640
	}
	file := path
	if state.link {
		file = filepath.Join(m.home, "dotfiles", filepath.Base(path))
		if strings.HasPrefix(path, m.project) {
			file = filepath.Join(m.project, "shared", filepath.Base(path))
		}
		m.link(file, path)
	}
	m.write(file, state.text(seed(m.t, client, path)), mode)
}

// seed is a text for a file, with what a person may keep there.
func seed(t *testing.T, client, path string) string {
	t.Helper()
	switch filepath.Ext(path) {
	case ".md":
		return "# Rules\n\nBe brief.\n"
	case ".js":
		return "// theirs\n"
	}
	if strings.Contains(path, "hooks") || strings.HasPrefix(filepath.Base(path), "settings") {
		return "{\n  \"theme\": \"dark\"\n}\n"
	}
	archive, err := txtar.ParseFile(filepath.Join("..", "internal", "clients", "testdata", client+".txtar"))
	must(t, err)
	return string(bytes.Clone(archive.Files[0].Data))
}

// files is the state of the project and the home without Blue's own directories.
func (m *machine) files() map[string]string {
	all := state(m.t, m.project, m.home)
	for path := range all {
		for _, own := range []string{"config", "state", "cache"} {
			if strings.HasPrefix(path, m.in(own)) {
				delete(all, path)
			}
		}
	}
	return all
}
