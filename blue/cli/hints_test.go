package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/cli"
	"blue/blue/server"
	"blue/fixtures"
	"blue/mcp"
)

// written is an expression as far as the source says what it is: texts as they are,
// everything else in braces.
func written(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return written(e.X) + written(e.Y)
		}
	case *ast.ParenExpr:
		return written(e.X)
	}
	return "{" + types.ExprString(e) + "}"
}

// hint is one of the product, with where it stands.
type hint struct{ at, verb, args, text string }

// The root of the repository, seen from this package.
const repository = "../.."

// sources are the product's own files.
func sources(t *testing.T) (*token.FileSet, []*ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	must(t, filepath.WalkDir(repository, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != repository || d.Name() == "fixtures") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		files = append(files, f)
		return err
	}))
	return fset, files
}

// hintsOf are the hints of the product: the catalogue, and those that one place gives.
func hintsOf(t *testing.T) (all []hint) {
	t.Helper()
	fset, files := sources(t)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			var parts []ast.Expr // verb, args, text
			switch n := n.(type) {
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Hint" && len(n.Args) == 3 {
					parts = n.Args
				}
			case *ast.CompositeLit:
				if n.Type != nil && strings.TrimPrefix(types.ExprString(n.Type), "errors.") == "Hint" {
					parts = fieldsOf(n, "Verb", "Args", "Text")
				}
			}
			if parts != nil {
				all = append(all, hint{fset.Position(n.Pos()).String(), written(parts[0]), written(parts[1]), written(parts[2])})
			}
			return true
		})
	}
	return all
}

// fieldsOf are the values of fields in a struct, an empty text where none is given.
func fieldsOf(lit *ast.CompositeLit, names ...string) (values []ast.Expr) {
	for _, name := range names {
		var value ast.Expr = &ast.BasicLit{Kind: token.STRING, Value: `""`}
		for _, e := range lit.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok && types.ExprString(pair.Key) == name {
				value = pair.Value
			}
		}
		values = append(values, value)
	}
	return values
}

// stage is a project in which the command of a hint can be run, and what stands for
// the words of a hint there.
type stage struct {
	t       *testing.T
	b       *blue.Blue
	project string
	self    string // the program
	words   *strings.Replacer
}

func newStage(t *testing.T) stage {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	s := stage{t: t, project: filepath.Join(base, "shop"), self: filepath.Join(base, "bin", "blue")}
	for _, dir := range []string{s.project, filepath.Join(base, "home", ".cursor"), filepath.Join(base, "plain"), filepath.Dir(s.self)} {
		must(t, os.MkdirAll(dir, 0o755))
	}
	must(t, os.WriteFile(filepath.Join(base, "plain", "a.md"), []byte("# A\n"), 0o644))
	editor := filepath.Join(base, "editor")
	must(t, os.WriteFile(editor, []byte("#!/bin/sh\necho more >>\"$1\"\n"), 0o755))
	must(t, os.WriteFile(s.self, []byte("#!/bin/sh\n"), 0o755)) // what hooks run
	s.b = blue.New(blue.Options{
		Home: filepath.Join(base, "home"), Cache: filepath.Join(base, "cache"), State: filepath.Join(base, "state"), Config: filepath.Join(base, "config"), Data: filepath.Join(base, "data"),
		Env: func(name string) string {
			return map[string]string{"EDITOR": editor, "PATH": filepath.Dir(s.self)}[name]
		},
		Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() { _ = s.b.Close() })
	_ = exec.Command("git", "init", "-q", s.project).Run() // for the hints that carry notes
	s.runs("init")
	s.runs("write", "--title", "Deploys", "We deploy on Mondays.")
	notes, err := filepath.Glob(filepath.Join(s.project, ".blue", "notes", "*.md"))
	must(t, err)
	id, dir := strings.TrimSuffix(filepath.Base(notes[0]), ".md"), s.project
	s.words = strings.NewReplacer(
		"{id}", id, "{of}", id, "{near[0]}", id, "ID", id,
		"{c.ID}", id, "{f.row.ID}", id,
		"{dir}", dir, "--output DIR", "--output "+filepath.Join(base, "pages"), "DIR", dir,
		"{client}", "cursor", "{s.client.Name}", "cursor", "{near}", "cursor", "{c.Name}", "cursor", "CLIENT", "cursor", "{other}", "user", "{string(other)}", "user",
		"{errors.Argument(h.Addr)}", "127.0.0.1:0", "{errors.Argument(carry.Remote)}", "origin", "{errors.Argument(at.Host)}", "0.0.0.0", "NAME", "notes.example", "URL", "http://127.0.0.1:1/mcp", // nothing listens there
		"{strings.TrimSpace(args)}", "--http 127.0.0.1:0 --allow-root "+dir, "SOURCE PATH", "markdown "+filepath.Join(base, "plain"), "{name} PATH", "markdown "+filepath.Join(base, "plain"),
	)
	return s
}

// noServers starts none.
type noServers struct{}

func (noServers) Page(context.Context, blue.Call, int, bool, <-chan struct{}, func(string)) error {
	return nil
}
func (noServers) MCP(context.Context, mcp.Options, mcp.HTTP, bool) error               { return nil }
func (noServers) Host(context.Context, server.Options, mcp.Options, mcp.Hosting) error { return nil }

func (noServers) TrustAuthorities() {}

// run runs a command line in the project and returns what it says.
func (s stage) run(args ...string) (code int, said string) {
	var out bytes.Buffer
	std := cli.IO{In: strings.NewReader(""), Out: &out, Err: &out, Dir: s.project, Self: s.self}
	code = cli.Run(s.t.Context(), append([]string{"blue"}, args...), std, s.b, noServers{})
	return code, out.String()
}

// runs runs a command line that must succeed.
func (s stage) runs(args ...string) string {
	s.t.Helper()
	code, said := s.run(args...)
	if code != 0 {
		s.t.Fatalf("blue %q: exit %d: %s", args, code, said)
	}
	return said
}

// pathWord is what a hint says of a directory.
var pathWord = regexp.MustCompile(`\{(errors\.)?Argument\([^{}]*\)\}`)

// The command of every hint is one that can be typed, and works.
func TestHintsRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the editor is a script of a shell")
	}
	seen := map[string]string{}
	for _, h := range hintsOf(t) {
		if h.verb != "" && h.verb != "{verb}" { // that of the catalogue's own method
			seen[strings.TrimSpace(h.verb+" "+h.args)] = h.at
		}
	}
	for line, at := range seen {
		t.Run(strings.Fields(line)[0], func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			typed := pathWord.ReplaceAllString(s.words.Replace(line), s.project)
			if strings.ContainsAny(typed, "{}") {
				t.Fatalf("%s: say in newStage what stands for the words of %q", at, line)
			}
			if strings.HasPrefix(line, "sync") && !strings.Contains(line, "--on") {
				s.runs("sync", "--on")
			}
			if strings.HasPrefix(line, "init --name") { // said where there is no project yet
				must(t, os.RemoveAll(filepath.Join(s.project, ".blue")))
			}
			code, said := s.run(strings.Fields(typed)...)
			if strings.Contains(line, "URL") && strings.Contains(said, "does not answer") {
				code = 0 // the command reaches for the server
			}
			judges := slices.Contains([]string{"doctor", "check"}, strings.Fields(typed)[0]) // and exits with 1 for what it finds
			if code != 0 && !(code == 1 && judges) {
				t.Errorf("%s: blue %s: exit %d: %s", at, typed, code, said)
			}
		})
	}
	if len(seen) < 35 {
		t.Errorf("%d commands were found: does the test still find the hints?", len(seen))
	}
}

var (
	typedBlue = regexp.MustCompile("(^|[^\\w./-])blue ([a-z]+)((?: +[^\\s`,;:()|<>]+)*)")
	typedFlag = regexp.MustCompile(` (--?[a-z][\w-]*)`)
	listed    = regexp.MustCompile(`(?:^|[ ,])(--?[A-Za-z][a-z-]*)`)
)

// Whatever the product or its documents tell people to type has flags that
// exist, spelled with hyphens.
func TestFlagsExist(t *testing.T) {
	s := newStage(t)
	flags := map[string][]string{}
	for _, line := range regexp.MustCompile(`(?m)^   ([a-z]+)(?:, [a-z]+)*  `).FindAllStringSubmatch(s.runs("--help"), -1) {
		flags[line[1]] = s.flagsOf(line[1])
	}
	if len(flags) < 20 || !slices.Contains(flags["edit"], "--old-text") || !slices.Contains(flags["list"], "--max-tokens") {
		t.Fatalf("help lists %v", flags)
	}
	if man := s.runs("man"); strings.Contains(man, "old_text") {
		t.Error("the manual spells a flag with an underscore")
	}
	every := slices.Concat(slices.Collect(maps.Values(flags))...)
	commands := 0
	for at, text := range s.texts() {
		if strings.HasPrefix(at, filepath.Join(repository, "errors")) { // a message may name a flag alone
			for _, f := range typedFlag.FindAllStringSubmatch(" "+text, -1) {
				if strings.HasPrefix(f[1], "--") && !slices.Contains(every, f[1]) {
					t.Errorf("%s: there is no flag %s: %q", at, f[1], text)
				}
			}
		}
		for _, m := range typedBlue.FindAllStringSubmatch(text, -1) {
			known, ok := flags[m[2]]
			if !ok {
				continue
			}
			commands++
			for _, f := range typedFlag.FindAllStringSubmatch(m[3], -1) {
				if !slices.Contains(known, f[1]) {
					t.Errorf("%s: blue %s has no flag %s: %q", at, m[2], f[1], strings.TrimSpace(m[0]))
				}
			}
		}
	}
	t.Logf("%d commands", commands)
	if commands < 60 {
		t.Errorf("%d commands were found: does the test still find them?", commands)
	}
}

// flagsOf returns the flags of a command and its subcommands.
func (s stage) flagsOf(command ...string) (flags []string) {
	help, options, _ := strings.Cut(s.runs(append(command, "--help")...), "OPTIONS:\n")
	for row := range strings.Lines(options) {
		names, _, _ := strings.Cut(strings.TrimSpace(row), "  ")
		for _, f := range listed.FindAllStringSubmatch(names, -1) {
			flags = append(flags, f[1])
		}
	}
	if _, below, ok := strings.Cut(help, "COMMANDS:\n"); ok {
		for _, sub := range regexp.MustCompile(`(?m)^   ([a-z]+)  `).FindAllStringSubmatch(below, -1) {
			flags = append(flags, s.flagsOf(append(command, sub[1])...)...)
		}
	}
	return flags
}

// texts are the texts of the product and its documents, by where they stand.
func (s stage) texts() map[string]string {
	all := map[string]string{}
	fset, files := sources(s.t)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			switch e := e.(type) {
			case *ast.BinaryExpr:
				all[fset.Position(e.Pos()).String()] = written(e)
				return e.Op != token.ADD
			case *ast.BasicLit:
				all[fset.Position(e.Pos()).String()] = written(e)
			}
			return true
		})
	}
	documents, err := filepath.Glob(filepath.Join(repository, "docs", "*.md"))
	must(s.t, err)
	for _, name := range append(documents, filepath.Join(repository, "README.md")) {
		data, err := os.ReadFile(name)
		must(s.t, err)
		for n, line := range strings.Split(string(data), "\n") {
			all[fmt.Sprintf("%s:%d", name, n+1)] = line
		}
	}
	return all
}

// Underscores, as the arguments of tools have them, are taken and not shown.
func TestUnderscores(t *testing.T) {
	s := newStage(t)
	for _, args := range [][]string{
		{"edit", "deploys", "--old_text", "Mondays", "--new_text=Fridays_and_Mondays"},
		{"edit", "deploys", "--old-text", "Fridays_and_Mondays", "--new-text", "--new_text"},
		{"list", "--max_tokens", "300"}, {"search", "deploy", "-max_tokens=300"}, {"setup", "cursor", "--dry_run"},
	} {
		s.runs(args...)
	}
	if said := s.runs("read", "deploys"); !strings.Contains(said, "We deploy on --new_text.") {
		t.Errorf("a value was changed: %s", said)
	}
	if code, said := s.run("list", "--no_such"); code != 2 || !strings.Contains(said, `no flag "--no_such"`) {
		t.Errorf("exit %d: %s", code, said)
	}
	if offered := s.runs("__complete", "bash", "edit", "deploys", "--"); strings.Contains(offered, "old_text") || !strings.Contains(offered, "\n--old-text\t") {
		t.Errorf("completion offers %s", offered)
	}
	if offered := s.runs("__complete", "bash", "edit", "deploys", "--old_text", "x", "--"); strings.Contains(offered, "\n--old-text\t") {
		t.Errorf("completion offers what was given: %s", offered)
	}
}

var must = fixtures.Must
