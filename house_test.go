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
	"testing"
)

// arrows says for each room which rooms of ours it may know.
var arrows = map[string][]string{
	".":                     {"blue/blue", "blue/blue/cli", "blue/blue/page", "blue/mcp", "blue/errors"},
	"errors":                {},
	"marker":                {"blue/errors"},
	"blue/internal/store":   {"blue/errors"},
	"blue/internal/index":   {"blue/errors"},
	"blue/internal/screen":  {"blue/errors"},
	"blue/internal/note":    {"blue/errors"},
	"blue/internal/trust":   {"blue/errors"},
	"blue/internal/clients": {"blue/errors"},
	"blue/internal/sources": {"blue/errors"},
	"blue/internal/site":    {"blue/errors"},
	"blue": {"blue/errors", "blue/marker", "blue/blue/internal/note", "blue/blue/internal/store", "blue/blue/internal/index",
		"blue/blue/internal/screen", "blue/blue/internal/trust"},
	"blue/setup":       {"blue/blue", "blue/marker", "blue/errors", "blue/blue/internal/clients"},
	"blue/transfer":    {"blue/blue", "blue/marker", "blue/errors", "blue/blue/internal/note", "blue/blue/internal/sources", "blue/blue/internal/site"},
	"blue/cli":         {"blue/blue", "blue/blue/setup", "blue/blue/transfer", "blue/marker", "blue/errors"},
	"blue/page":        {"blue/blue", "blue/blue/transfer", "blue/marker", "blue/errors"},
	"mcp":              {"blue/blue", "blue/marker", "blue/errors"},
	"fixtures":         {},
	"fixtures/user":    {"blue/blue", "blue/marker", "blue/errors"},
	"fixtures/process": {},
}

// outside says which packages from elsewhere belong to one room alone.
var outside = map[string][]string{
	"github.com/urfave/cli/v2":                       {"blue/cli"},
	"github.com/adrg/xdg":                            {"."},
	"github.com/modelcontextprotocol/go-sdk/mcp":     {"mcp"},
	"github.com/modelcontextprotocol/go-sdk/jsonrpc": {"mcp"},
	"github.com/modelcontextprotocol/go-sdk/auth":    {"mcp"},
	"github.com/google/jsonschema-go/jsonschema":     {"mcp"},
	"go.yaml.in/yaml/v3":                             {"blue/internal/note", "blue/internal/clients", "blue/internal/sources"},
	"github.com/pelletier/go-toml/v2/unstable":       {"blue/internal/clients"},
	"github.com/tailscale/hujson":                    {"blue/internal/clients"},
	"github.com/yuin/goldmark":                       {"blue/internal/site", "blue/cli"},
	"testing":                                        {"fixtures", "fixtures/user"},
	"errors":                                         {"errors"},
	"golang.org/x/term":                              {"."},
}

// parsed are the files of a room.
type parsed struct {
	fset  *token.FileSet
	files map[string]*ast.File
}

// rooms parses the tree.
func rooms(t *testing.T) map[string]parsed {
	t.Helper()
	all := map[string]parsed{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata" || name == filepath.Join("fixtures", "eval")) {
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
	if err != nil {
		t.Fatal(err)
	}
	return all
}

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
					if room == "fixtures/process" && strings.HasPrefix(imported, "blue/") && imported != "blue/errors" && imported != "blue/fixtures" {
						t.Errorf("%s imports %s; it drives the built program and knows nothing of its inside", name, imported)
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
// a dot. Of tests that is the scripts and this file: those that drive the built program
// are in fixtures/process, the others beside what they test.
var top = []string{
	"go.mod", "go.sum", "main.go", "main_test.go", "house_test.go", "blue", "mcp", "marker", "errors", "fixtures", "docs",
	"CHANGELOG.md", "README.md", "LICENSE", "CONTRIBUTING.md", "Dockerfile", "compose.yaml", "server.json",
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

// TestProcessIsMainsAlone keeps the process's own things in main.go.
func TestProcessIsMainsAlone(t *testing.T) {
	banned := []string{"os.Stdout", "os.Stdin", "os.Stderr", "os.Exit", "os.Getenv", "os.LookupEnv", "os.Environ", "os.Setenv", "os.Unsetenv", "os.Args", "os.Chdir"}
	for _, p := range rooms(t) {
		for name, f := range p.files {
			if name == "main.go" || isTest(name) || strings.HasPrefix(name, "fixtures/") {
				continue
			}
			for _, used := range selectors(f) {
				if slices.Contains(banned, used) {
					t.Errorf("%s names %s; only main.go may", name, used)
				}
			}
		}
	}
}

// writers are the files that may open files for writing outside the store, each
// for something that is no note.
var writers = []string{
	"blue/cli/editor.go", "blue/cli/demo.go", "mcp/log.go", "mcp/running.go", "marker/small.go", "marker/create.go", "blue/transfer/output.go",
	"blue/internal/trust/", "blue/internal/store/", "blue/internal/clients/", "blue/internal/index/",
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
			return slices.Contains([]string{"MustCompile", "New", "NewEncoding", "WithPadding", "NewReplacer", "Repeat", "Split", "Fields", "Sum256", "Merge", "Concat"}, called.Sel.Name)
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

// TestVerbsHaveTheirFiles follows a verb through the house.
func TestVerbsHaveTheirFiles(t *testing.T) {
	for _, verb := range []string{"where", "write", "read", "search", "list", "edit", "remove"} {
		for _, name := range []string{"blue/" + verb + ".go", "blue/cli/" + verb + ".go", "mcp/" + verb + ".go", "fixtures/scripts/" + verb + ".txtar", "fixtures/tools/blue_" + verb + ".json"} {
			if _, err := os.Stat(name); err != nil {
				t.Errorf("verb %s: %v", verb, err)
			}
		}
	}
	for room, verbs := range map[string][]string{"blue/setup": {"setup", "doctor"}, "blue/transfer": {"import", "export"}} {
		for _, verb := range verbs {
			for _, name := range []string{room + "/" + verb + ".go", "blue/cli/" + verb + ".go", "fixtures/scripts/" + verb + ".txtar"} {
				if _, err := os.Stat(name); err != nil {
					t.Errorf("verb %s: %v", verb, err)
				}
			}
		}
	}
	for _, name := range []string{"mcp/use.go", "fixtures/tools/blue_use.json"} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

// TestSizes keeps functions and files readable.
func TestSizes(t *testing.T) {
	for _, p := range rooms(t) {
		for name, f := range p.files {
			if isTest(name) {
				continue
			}
			if lines := p.fset.Position(f.End()).Line; lines > 350 {
				t.Errorf("%s has %d lines", name, lines)
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
				for _, word := range []string{"detection.md", "http.md", "verbs.md", "reliability.md", "search.md", "house.md", "clients.md", "audit.md"} {
					if at := strings.Index(group.Text(), word); at >= 0 && !strings.HasSuffix(group.Text()[:at], "docs/") {
						t.Errorf("%s cites %s, which is not here; docs/ has the pages for readers", name, word)
					}
				}
			}
		}
	}
}
