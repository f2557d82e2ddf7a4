package errors_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"blue/errors"
)

// samples has one failure of each constructor of the catalogue.
var samples = map[string]*errors.Error{
	"NoNote":            errors.NoNote("x", "x-aaaa"),
	"ManyNotes":         errors.ManyNotes("x", "x-aaaa", "x-bbbb"),
	"NoRevision":        errors.NoRevision("x", "0123456789abcdef"),
	"NoSection":         errors.NoSection("x", "Limits", "Why", "How"),
	"NotTrashed":        errors.NotTrashed("x"),
	"Stale":             errors.Stale("x", "0123", "4567", map[string]string{"revision": "4567"}),
	"Conflicted":        errors.Conflicted("x"),
	"BrokenFrontMatter": errors.BrokenFrontMatter("x", "line 2: did not find expected node"),
	"Missing":           errors.Missing("body", "send the text"),
	"BadValue":          errors.BadValue("limit", "-1", "a number from 1 to 1000"),
	"Exclusive":         errors.Exclusive("id", "ids"),
	"BadProjectName":    errors.BadProjectName("a\nb", "it holds hidden characters"),
	"TooLong":           errors.TooLong("title", 300, 200, "characters"),
	"BadFile":           errors.BadFile("../x", "is outside the project"),
	"BadCursor":         errors.BadCursor("abc"),
	"Usage":             errors.Usage("blue %s takes one ID", "read").Hint("", "", "see: blue read --help"),
	"StillReading":      errors.StillReading("reading notes: 155 of 688, ask again"),

	"ProjectNotFound": errors.ProjectNotFound(),
	"NotDetectedIn":   errors.NotDetectedIn("/x", "/x"),
	"ProjectMoved":    errors.ProjectMoved("/x/y", "/x"),
	"PathNotAbsolute": errors.PathNotAbsolute("x"),
	"PathTraversal":   errors.PathTraversal("/x/../y"),
	"PathUnusable":    errors.PathUnusable("/x", "not a directory"),
	"MarkerLinked":    errors.MarkerLinked("/x"),
	"OtherOwner":      errors.OtherOwner("/x", 1, 2),
	"OpenToAll":       errors.OpenToAll("/x"),
	"ManyProjects":    errors.ManyProjects([]string{"/x", "/y"}),
	"OutsideAllowed":  errors.OutsideAllowed("/x", "/x", []string{"/y"}),
	"FormatUnknown":   errors.FormatUnknown("/x", "2"),
	"DiskSilent":      errors.DiskSilent("/x"),
	"SessionMissing":  errors.SessionMissing(),
	"NoPersonal":      errors.NoPersonal(),
	"MarkerNotMade":   errors.MarkerNotMade("/x", fs.ErrPermission),

	"NoDocument": errors.NoDocument("../x.md", "it is outside the project"),

	"BadConfig":     errors.BadConfig("/x.json", 3, "a comma is missing"),
	"ConfigOutside": errors.ConfigOutside("/x/.mcp.json", "/y/.mcp.json", "/x"),
	"ForeignEntry":  errors.ForeignEntry("/x.json", "blue", "node"),

	"BadAddress":    errors.BadAddress("127.0.0.1:x", "the port is no number"),
	"BadTimeout":    errors.BadTimeout(-time.Second),
	"TokenUnusable": errors.TokenUnusable("/x", "it is a link"),

	"NoRepository":  errors.NoRepository("/x", "not a git repository"),
	"RemoteRefused": errors.RemoteRefused("origin", "refs/blue/notes", "pre-receive hook declined"),
	"GitFailed":     errors.GitFailed("mktree", "no space left on device"),
	"GitSlow":       errors.GitSlow("fetch"),

	"DatabaseAway": errors.DatabaseAway(fs.ErrClosed),
	"Contended":    errors.Contended(5),
	"Forbidden":    errors.Forbidden("reader", "writer"),
	"Repeated":     errors.Of(errors.Repeated("project=a&project=b")),
	"TokenRefused": errors.TokenRefused("it has expired"),

	"NoteExists":    errors.NoteExists("x"),
	"NotServed":     errors.NotServed("x", "it is a directory"),
	"NoteTooLarge":  errors.NoteTooLarge("x", 1<<20),
	"KeepsChanging": errors.KeepsChanging("x"),
	"Locked":        errors.Locked(7),
	"Unreadable":    errors.Unreadable("/x", fs.ErrPermission),
	"StoreGone":     errors.StoreGone("/x"),
	"SaveFailed":    errors.SaveFailed("x", fs.ErrPermission),
}

// isVerb reports whether a verb has a door: a command, a tool or both.
func isVerb(name string) bool {
	files, _ := filepath.Glob("../blue/cli/*.go")
	for _, file := range files {
		if text, _ := os.ReadFile(file); strings.Contains(string(text), `Name: "`+name+`", `) {
			return true
		}
	}
	_, err := os.Stat("../mcp/" + name + ".go")
	return err == nil
}

// fixed are the first lines of the failures of detection, which are sentences.
var fixed = regexp.MustCompile(`^(Blue |Path |Bad marker: |Untrusted project: |Several projects |/x[ /\\])|^blue_use has no session`)

// TestCatalogue asserts of each failure a kind, a manner, a next step with a verb
// that exists, and a use in the product.
func TestCatalogue(t *testing.T) {
	for name, e := range samples {
		if !slices.Contains(errors.Kinds(), e.Kind) {
			t.Errorf("%s has kind %q", name, e.Kind)
		}
		if len(e.Hints) == 0 && !fixed.MatchString(e.Message) {
			t.Errorf("%s has no hint: %s", name, e.Message)
		}
		for _, h := range e.Hints {
			if h.Text == "" || h.Verb != "" && !isVerb(h.Verb) {
				t.Errorf("%s has the hint %+v", name, h)
			}
		}
		if strings.Contains(e.Message, "!") || strings.Contains(e.Message, "\n") {
			t.Errorf("%s: %q", name, e.Message)
		}
		if !fixed.MatchString(e.Message) && (strings.HasSuffix(e.Message, ".") || e.Message[0] >= 'A' && e.Message[0] <= 'Z') {
			t.Errorf("%s is no plain message: %q", name, e.Message)
		}
	}
	used := usedConstructors(t)
	for _, name := range constructors(t) {
		if _, ok := samples[name]; !ok {
			t.Errorf("%s has no sample here", name)
		}
		if !used[name] {
			t.Errorf("%s is used nowhere", name)
		}
	}
}

// constructors are the functions of this package that return a failure.
func constructors(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || fn.Type.Results == nil || strings.HasSuffix(file, "_test.go") {
				continue
			}
			if star, ok := fn.Type.Results.List[0].Type.(*ast.StarExpr); ok && star.X.(*ast.Ident).Name == "Error" && fn.Name.Name != "E" && fn.Name.Name != "Of" {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

// usedConstructors are the names that the product calls.
func usedConstructors(t *testing.T) map[string]bool {
	t.Helper()
	call := regexp.MustCompile(`errors\.([A-Z]\w*)\(`)
	used := map[string]bool{}
	eachProductFile(t, func(_ string, data []byte) {
		for _, m := range call.FindAllSubmatch(data, -1) {
			used[string(m[1])] = true
		}
	})
	return used
}

// eachProductFile calls each with the Go files of the product outside this package.
func eachProductFile(t *testing.T, each func(path string, data []byte)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == filepath.Join("..", "errors") {
			return err
		}
		data, err := os.ReadFile(path)
		each(path, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFailuresOfOnePlace asserts the same of the failures that packages make themselves.
func TestFailuresOfOnePlace(t *testing.T) {
	eachProductFile(t, func(path string, data []byte) {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, data, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			made, hinted := token.NoPos, false
			ast.Inspect(d, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				called, ok := call.Fun.(*ast.SelectorExpr)
				switch {
				case !ok:
				case called.Sel.Name == "E" && len(call.Args) > 1:
					made = call.Pos()
					text, _ := literal(call.Args[1])
					if strings.ContainsAny(text, "!\n") || strings.HasSuffix(text, ".") || text != "" && text[0] >= 'A' && text[0] <= 'Z' {
						t.Errorf("%s is no plain message: %q", fset.Position(call.Pos()), text)
					}
				case called.Sel.Name == "Hint" && len(call.Args) == 3:
					hinted = true
					verb, ok := literal(call.Args[0])
					if ok && verb != "" && !isVerb(verb) {
						t.Errorf("%s hints at %q", fset.Position(call.Pos()), verb)
					}
				}
				return true
			})
			if made.IsValid() && !hinted && !returnsFailure(d) {
				t.Errorf("%s has no hint", fset.Position(made))
			}
		}
	})
}

// returnsFailure reports whether a function returns an *errors.Error, to which callers add hints.
func returnsFailure(d ast.Decl) bool {
	fn, ok := d.(*ast.FuncDecl)
	if !ok || fn.Type.Results == nil {
		return false
	}
	_, ok = fn.Type.Results.List[0].Type.(*ast.StarExpr)
	return ok
}

// literal returns the value of a string literal.
func literal(e ast.Expr) (text string, ok bool) {
	l, ok := e.(*ast.BasicLit)
	if ok {
		text, _ = strconv.Unquote(l.Value)
	}
	return text, ok
}
