package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// arrows says for each room which rooms of ours it may know.
var arrows = map[string][]string{
	".":                     {"blue/blue/program"},
	"blue/program":          {"blue/marker", "blue/blue", "blue/blue/cli", "blue/blue/page", "blue/blue/server", "blue/mcp"},
	"errors":                {},
	"marker":                {"blue/errors"},
	"blue/internal/store":   {"blue/errors", "blue/blue/internal/atomicfile"},
	"blue/internal/index":   {"blue/errors", "blue/blue/internal/words", "blue/blue/internal/segment", "blue/blue/internal/snippet"},
	"blue/internal/segment": {"blue/errors", "blue/blue/internal/words"},
	"blue/internal/snippet": {"blue/blue/internal/words"},
	"blue/internal/words":   {"blue/errors"},
	"blue/internal/screen":  {"blue/errors"},
	"blue/internal/note":    {"blue/errors"},
	"blue/internal/trust":   {"blue/marker", "blue/errors", "blue/blue/internal/atomicfile"},
	"blue/internal/clients": {"blue/errors", "blue/blue/internal/atomicfile"},
	"blue/result":           {"blue/errors", "blue/marker", "blue/blue/internal/note"},
	"blue/internal/git":     {"blue/marker", "blue/errors"},
	"blue/internal/corpus": {"blue/errors", "blue/marker", "blue/blue/internal/anchor", "blue/blue/internal/git", "blue/blue/internal/index", "blue/blue/internal/note", "blue/blue/internal/snippet",
		"blue/blue/result", "blue/blue/internal/screen", "blue/blue/internal/store"},
	"blue/internal/sessions": {"blue/errors", "blue/marker", "blue/blue/internal/atomicfile", "blue/blue/internal/index", "blue/blue/internal/note", "blue/blue/result", "blue/blue/internal/screen"},
	"blue/internal/notebook": {"blue/blue/internal/anchor", "blue/blue/internal/deliveries", "blue/blue/internal/git", "blue/blue/internal/index", "blue/blue/internal/note", "blue/blue/internal/notesync", "blue/blue/result", "blue/blue/internal/screen", "blue/blue/internal/corpus", "blue/blue/internal/store", "blue/errors", "blue/marker"},
	"blue":                   {"blue/blue/internal/atomicfile", "blue/blue/internal/git", "blue/blue/internal/index", "blue/blue/internal/sessions", "blue/blue/internal/note", "blue/blue/internal/notebook", "blue/blue/internal/notesync", "blue/blue/result", "blue/blue/internal/screen", "blue/blue/internal/corpus", "blue/blue/internal/store", "blue/blue/internal/trust", "blue/errors", "blue/marker"},
	"blue/setup":             {"blue/marker", "blue/blue", "blue/errors", "blue/blue/internal/clients", "blue/blue/result"},
	"blue/transfer":          {"blue/marker", "blue/blue", "blue/errors", "blue/blue/internal/note", "blue/blue/result"},
	"blue/markdown":          {"blue/blue", "blue/blue/internal/note", "blue/blue/result"},
	"blue/hook":              {"blue/marker", "blue/blue", "blue/errors", "blue/blue/internal/atomicfile", "blue/blue/internal/deliveries", "blue/blue/result"},
	"blue/cli":               {"blue/marker", "blue/blue/server", "blue/blue", "blue/blue/hook", "blue/blue/markdown", "blue/blue/setup", "blue/blue/transfer", "blue/mcp", "blue/errors", "blue/blue/result"},
	"blue/page":              {"blue/blue", "blue/blue/server", "blue/blue/markdown", "blue/marker", "blue/errors", "blue/blue/result"},
	"mcp":                    {"blue/blue", "blue/marker", "blue/errors", "blue/mcp/internal/transport", "blue/blue/result"},

	"mcp/internal/transport": {"blue/errors"},

	"fixtures":             {},
	"fixtures/executable":  {"blue/blue/program", "blue/fixtures"},
	"fixtures/user":        {"blue/fixtures", "blue/blue", "blue/marker", "blue/errors"},
	"fixtures/process":     {},
	"fixtures/lives":       {"blue/fixtures", "blue/fixtures/executable"},
	"fixtures/bench/talks": {},
	"fixtures/agents":      {},
	"fixtures/bench":       {"blue/fixtures/executable", "blue/fixtures/bench/talks"},

	"blue/internal/notesync": {"blue/blue/internal/atomicfile", "blue/blue/internal/git", "blue/blue/internal/index", "blue/blue/internal/note", "blue/blue/result", "blue/blue/internal/screen", "blue/blue/internal/store", "blue/errors", "blue/marker"},
	"blue/internal/anchor":   {"blue/blue/internal/note", "blue/blue/internal/words"},

	"blue/internal/atomicfile": {"blue/errors"},
	"blue/internal/deliveries": {"blue/errors", "blue/blue/internal/atomicfile", "blue/blue/result"},
	"blue/internal/oidc":       {"blue/errors"},
	"blue/internal/postgres":   {"blue/errors", "blue/blue/internal/store"},
	"blue/server":              {"blue/blue", "blue/blue/internal/notebook", "blue/blue/internal/notesync", "blue/blue/internal/oidc", "blue/blue/internal/postgres", "blue/blue/internal/store", "blue/errors", "blue/marker", "blue/blue/result"},
	"fixtures/database":        {},
	"fixtures/issuer":          {},
	"fixtures/served":          {},
}

// outside says which packages from elsewhere belong to one room alone.
var outside = map[string][]string{
	"github.com/urfave/cli/v2":                       {"blue/cli"},
	"github.com/adrg/xdg":                            {"blue/program"},
	"github.com/modelcontextprotocol/go-sdk/mcp":     {"blue/cli", "mcp", "mcp/internal/transport", "fixtures/bench"},
	"github.com/modelcontextprotocol/go-sdk/jsonrpc": {"mcp", "mcp/internal/transport"},
	"github.com/modelcontextprotocol/go-sdk/auth":    {"mcp/internal/transport"},
	"github.com/google/jsonschema-go/jsonschema":     {"mcp"},
	"go.yaml.in/yaml/v3":                             {"marker", "blue/internal/note", "blue/internal/clients"},
	"github.com/pelletier/go-toml/v2":                {"blue/internal/clients"},
	"github.com/tailscale/hujson":                    {"blue/internal/clients"},
	"github.com/yuin/goldmark":                       {"blue/markdown"},
	"testing":                                        {"fixtures", "fixtures/user", "fixtures/database", "fixtures/issuer", "fixtures/lives", "fixtures/bench/talks"},
	"errors":                                         {"errors"},
	"golang.org/x/term":                              {"blue/program"},
	"github.com/go-jose/go-jose/v4":                  {"blue/internal/oidc"},
	"github.com/go-jose/go-jose/v4/jwt":              {"blue/internal/oidc"},
	"github.com/jackc/pgx/v5":                        {"blue/internal/postgres", "fixtures/database"},
	"github.com/jackc/pgx/v5/pgxpool":                {"blue/internal/postgres"},
}

// parsed are the files of a room.
type parsed struct {
	fset  *token.FileSet
	files map[string]*ast.File
}

// rooms returns the files of each room, parsed once.
func rooms(t *testing.T) map[string]parsed {
	t.Helper()
	all, err := parseTree()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var parseTree = sync.OnceValues(func() (map[string]parsed, error) {
	all := map[string]parsed{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata" || name == filepath.Join("fixtures", "bench", "sqlite")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		room := filepath.ToSlash(filepath.Dir(name))
		if _, ok := all[room]; !ok {
			all[room] = parsed{token.NewFileSet(), map[string]*ast.File{}}
		}
		f, err := parser.ParseFile(all[room].fset, name, nil, parser.ParseComments)
		all[room].files[filepath.ToSlash(name)] = f
		return err
	})
	return all, err
})

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

func imports(f *ast.File) (paths []string) {
	for _, spec := range f.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		paths = append(paths, name)
	}
	return paths
}

func TestArrows(t *testing.T) {
	all := rooms(t)
	for room, p := range all {
		allowed, ok := arrows[room]
		if !ok {
			t.Errorf("room %s is not on the plan", room)
			continue
		}
		for name, f := range p.files {
			for _, imported := range imports(f) {
				if isTest(name) {
					if imported == "errors" {
						t.Errorf("%s imports the standard errors; use blue/errors", name)
					}
					continue
				}
				if strings.HasPrefix(imported, "blue/") && !slices.Contains(allowed, imported) {
					t.Errorf("%s imports %s, which %s must not know", name, imported, room)
				}
				if only, bound := outside[imported]; bound && !slices.Contains(only, room) {
					t.Errorf("%s imports %s, which belongs to %v", name, imported, only)
				}
			}
		}
	}
	for _, room := range slices.Sorted(maps.Keys(arrows)) {
		if _, ok := all[room]; !ok {
			t.Errorf("the plan has a room %s that is not there", room)
		}
	}
}

// top is what may lie at the top of the repository beside files whose names begin with
// a dot. Of tests that is the scripts and this file: those that drive the program
// are in fixtures/process, the others beside what they test.
var top = []string{
	"go.mod", "go.sum", "main.go", "main_test.go", "house_test.go", "blue", "mcp", "marker", "errors", "fixtures", "docs",
	"CHANGELOG.md", "README.md", "LICENSE", "CONTRIBUTING.md", "SECURITY.md", "Dockerfile", "compose.yaml", "server.json",
	"bin", "dist", // which git ignores
}

func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		ignored := slices.Contains([]string{".test", ".out"}, path.Ext(e.Name())) // by git
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(top, e.Name()) && !ignored {
			t.Errorf("%s lies at the top of the repository", e.Name())
		}
	}
}

// TestProcessIsMainsAlone keeps the process's own things in main.go and blue/program.
func TestProcessIsMainsAlone(t *testing.T) {
	banned := []string{"os.Stdout", "os.Stdin", "os.Stderr", "os.Exit", "os.Getenv", "os.LookupEnv", "os.Environ", "os.Setenv", "os.Unsetenv", "os.Args", "os.Chdir"}
	for _, p := range rooms(t) {
		for name, f := range p.files {
			if name == "main.go" || name == "blue/program/program.go" || isTest(name) || strings.HasPrefix(name, "fixtures/") {
				continue
			}
			for _, used := range selectors(f) {
				if slices.Contains(banned, used) {
					t.Errorf("%s names %s; only blue/program may", name, used)
				}
			}
		}
	}
}

// writers are the files that may open files for writing outside the store, each
// for something that is no note.
var writers = []string{
	"blue/cli/demo.go", "blue/cli/edit.go", "blue/hosted.go", "blue/hook/session.go", "blue/internal/atomicfile/", "blue/internal/clients/disk.go",
	"blue/internal/notesync/", "blue/remote.go", "blue/internal/segment/", "blue/internal/sessions/", "blue/internal/store/exchange.go", "blue/internal/store/backup.go", "blue/init.go", "blue/registry.go",
	"blue/transfer/export.go", "marker/read.go", "mcp/internal/transport/token.go", "mcp/log.go",
}

func TestWritesGoThroughTheStore(t *testing.T) {
	banned := []string{"os.WriteFile", "os.Create", "os.CreateTemp", "os.OpenFile", "os.Rename", "os.Remove", "os.RemoveAll", "os.Mkdir", "os.MkdirAll", "os.Truncate", "os.Link", "os.Symlink"}
	for _, p := range rooms(t) {
		for name, f := range p.files {
			if isTest(name) || strings.HasPrefix(name, "fixtures/") || slices.ContainsFunc(writers, func(w string) bool { return strings.HasPrefix(name, w) }) {
				continue
			}
			for _, used := range selectors(f) {
				if slices.Contains(banned, used) {
					t.Errorf("%s names %s; notes are written by store.Held alone", name, used)
				}
			}
		}
	}
}

func selectors(f *ast.File) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil {
				names = append(names, x.Name+"."+s.Sel.Name)
			}
		}
		return true
	})
	return names
}

// TestNoHiddenState finds init functions and package variables that could change.
func TestNoHiddenState(t *testing.T) {
	for _, p := range rooms(t) {
		for name, f := range p.files {
			if isTest(name) {
				continue
			}
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Name.Name == "init" && d.Recv == nil {
						t.Errorf("%s has an init function", name)
					}
				case *ast.GenDecl:
					embedded := d.Doc != nil && strings.Contains(d.Doc.List[len(d.Doc.List)-1].Text, "//go:embed ")
					for _, spec := range d.Specs {
						if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR && !constant(v, embedded) {
							t.Errorf("%s: package variable %s could change", name, v.Names[0].Name)
						}
					}
				}
			}
		}
	}
}

// constant reports whether a package variable is a sentinel, a compiled pattern,
// an embedded file or a table that nothing writes to.
func constant(v *ast.ValueSpec, embedded bool) bool {
	if v.Names[0].Name == "_" {
		return true
	}
	if len(v.Values) == 0 {
		return embedded
	}
	switch value := v.Values[0].(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		switch called := value.Fun.(type) {
		case *ast.SelectorExpr:
			return slices.Contains([]string{"MustCompile", "New", "NewEncoding", "WithPadding", "NewReplacer", "Repeat", "Split", "Fields", "Sum256", "Merge", "Concat", "OnceValue", "OnceValues"}, called.Sel.Name)
		case *ast.Ident, *ast.ArrayType:
			return true // a table made by a function of the same room; a converted constant
		}
	}
	return false
}

// TestDocumented wants a package comment and one on each exported name.
func TestDocumented(t *testing.T) {
	for room, p := range rooms(t) {
		packaged := false
		for name, f := range p.files {
			if isTest(name) {
				continue
			}
			packaged = packaged || f.Doc != nil
			for _, d := range f.Decls {
				for _, missing := range undocumented(d) {
					t.Errorf("%s: %s has no doc comment", name, missing)
				}
			}
		}
		if !packaged {
			t.Errorf("package %s has no package comment", room)
		}
	}
}

func undocumented(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && !plainMethod(d) {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// plainMethod reports whether a method belongs to an unexported type.
func plainMethod(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return false
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	ident, ok := typ.(*ast.Ident)
	return ok && !ident.IsExported()
}

// TestVerbsHaveTheirFiles follows a verb through the house. Those of notes have a tool,
// published in fixtures/tools; blue_use changes a session alone. The command of a verb stands
// in a file of blue/cli with those of its subject.
func TestVerbsHaveTheirFiles(t *testing.T) {
	tools, err := filepath.Glob("fixtures/tools/blue_*.json")
	if err != nil || len(tools) < 8 {
		t.Fatalf("%q, %v", tools, err)
	}
	var files []string
	for _, tool := range tools {
		verb := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(tool), "blue_"), ".json")
		if verb != "use" {
			files = append(files, "blue/internal/notebook/"+verb+".go", "fixtures/scripts/"+verb+".txtar")
		}
	}
	for room, verbs := range map[string][]string{"blue/setup": {"setup", "doctor"}, "blue/transfer": {"import", "export"}} {
		for _, verb := range verbs {
			files = append(files, room+"/"+verb+".go", "fixtures/scripts/"+verb+".txtar")
		}
	}
	commands, _ := filepath.Glob("blue/cli/*.go")
	text := ""
	for _, name := range commands {
		file, _ := os.ReadFile(name)
		text += string(file)
	}
	for _, story := range files {
		verb, isStory := strings.CutSuffix(path.Base(story), ".txtar")
		if isStory && !strings.Contains(text, `Name: "`+verb+`", `) {
			t.Errorf("blue/cli has no command %s", verb)
		}
	}
	for _, name := range files {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("a verb lacks a file: %v", err)
		}
	}
}

// TestSizes keeps functions readable.
func TestSizes(t *testing.T) {
	for _, p := range rooms(t) {
		for name, f := range p.files {
			if isTest(name) {
				continue
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					if n := p.fset.Position(fn.End()).Line - p.fset.Position(fn.Pos()).Line + 1; n > 60 {
						t.Errorf("%s: %s has %d lines", path.Base(name), fn.Name.Name, n)
					}
				}
			}
		}
	}
}

// TestStatistics prints with -v what .ci/run reports: lines by room, how long functions are and
// their names, the imports between packages, and what a house of rooms cut through state has
// many of: fields of function type, and literals that copy fields of the same name.
func TestStatistics(t *testing.T) {
	var sizes []int
	product, tests, letters, packages, arrows, most, functions, mirrored := 0, 0, 0, 0, 0, 0, 0, 0
	all, mostIn := rooms(t), ""
	uses := map[string][]string{}
	for _, room := range slices.Sorted(maps.Keys(all)) {
		p, lines := all[room], 0
		for name, f := range p.files {
			if isTest(name) || strings.HasPrefix(room, "fixtures") {
				tests += p.fset.File(f.Pos()).LineCount()
				continue
			}
			lines += p.fset.File(f.Pos()).LineCount()
			for _, imported := range imports(f) {
				if to, ok := strings.CutPrefix(imported, "blue/"); ok && !slices.Contains(uses[room], to) {
					uses[room] = append(uses[room], to)
				}
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok {
					sizes = append(sizes, p.fset.Position(fn.End()).Line-p.fset.Position(fn.Pos()).Line+1)
					letters += len(fn.Name.Name)
				}
			}
			for typ, n := range functionFields(f) {
				if functions += n; n > most {
					most, mostIn = n, room+"."+typ
				}
			}
			for _, at := range mirrors(f) {
				t.Logf("%s copies fields of the same name", p.fset.Position(at))
				mirrored++
			}
		}
		if lines > 0 {
			t.Logf("%-22s %6d lines", room, lines)
			packages++
			arrows += len(uses[room])
		}
		product += lines
	}
	slices.Sort(sizes)
	n := len(sizes)
	t.Logf("product %d lines, tests %d", product, tests)
	t.Logf("%d functions: p50 %d lines, p90 %d, the longest %d; the mean name has %.1f letters", n, sizes[n/2], sizes[n*9/10], sizes[n-1], float64(letters)/float64(n))
	t.Logf("%d packages, %d imports between them, the longest chain %d", packages, arrows, chain(uses, "."))
	t.Logf("%d struct fields of function type, at most %d in one struct: %s; %d mirrored literals", functions, most, mostIn, mirrored)
}

// chain is the number of rooms on the longest way from a room along its imports.
func chain(uses map[string][]string, room string) (longest int) {
	for _, to := range uses[room] {
		longest = max(longest, chain(uses, to))
	}
	return longest + 1
}

// functionFields counts, by struct, the fields of function type.
func functionFields(f *ast.File) map[string]int {
	counts := map[string]int{}
	ast.Inspect(f, func(n ast.Node) bool {
		typ, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if fields, ok := typ.Type.(*ast.StructType); ok {
			for _, field := range fields.Fields.List {
				if _, ok := field.Type.(*ast.FuncType); ok {
					counts[typ.Name.Name] += max(len(field.Names), 1)
				}
			}
		}
		return true
	})
	return counts
}

// mirrors finds the struct literals that copy three or more fields of the same name from one
// value.
func mirrors(f *ast.File) (at []token.Pos) {
	ast.Inspect(f, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		copied := map[string]int{}
		for _, element := range literal.Elts {
			pair, ok := element.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			key, _ := pair.Key.(*ast.Ident)
			value, _ := pair.Value.(*ast.SelectorExpr)
			if key != nil && value != nil && value.Sel.Name == key.Name {
				if from, ok := value.X.(*ast.Ident); ok {
					copied[from.Name]++
				}
			}
		}
		if slices.ContainsFunc(slices.Collect(maps.Values(copied)), func(n int) bool { return n >= 3 }) {
			at = append(at, literal.Pos())
		}
		return true
	})
	return at
}

// TestCommentsCiteWhatIsHere: a reader can open every page that a comment names.
func TestCommentsCiteWhatIsHere(t *testing.T) {
	page := regexp.MustCompile(`[A-Za-z0-9_./-]*[A-Za-z]\.md\b`)
	for _, p := range rooms(t) {
		for name, f := range p.files {
			for _, group := range f.Comments {
				for _, cited := range page.FindAllString(group.Text(), -1) {
					if !strings.HasPrefix(cited, "docs/") {
						continue // an example of a note
					}
					if _, err := os.Stat(filepath.FromSlash(cited)); err != nil {
						t.Errorf("%s cites %s, which is not here", name, cited)
					}
				}
			}
		}
	}
}
