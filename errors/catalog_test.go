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
	"UnknownArgument":   errors.UnknownArgument("search", "colour", "query"),
	"UnknownTool":       errors.UnknownTool("search", []string{"blue_search"}, []string{"blue_search", "blue_list"}),
	"Exclusive":         errors.Exclusive("id", "ids"),
	"NoChange":          errors.NoChange("x"),
	"CannotSupersede":   errors.CannotSupersede("x", "it is the note itself"),
	"TextNotFound":      errors.TextNotFound("x", 2),
	"BadProjectName":    errors.BadProjectName("a\nb", "it holds hidden characters"),
	"TooLong":           errors.TooLong("title", 300, 200, "characters"),
	"BadFile":           errors.BadFile("../x", "is outside the project"),
	"NoSpan":            errors.NoSpan("pay/retry.go", "Retry", "RetryOnce"),
	"BadCursor":         errors.BadCursor("abc"),
	"Usage":             errors.Usage("blue %s takes one ID", "read").Hint("", "", "see: blue read --help"),
	"NoEditor":          errors.NoEditor("--body, --append or --old-text"),
	"NoConflict":        errors.NoConflict("n-aaaa"),
	"NoOriginal":        errors.NoOriginal("n-aaaa", "n-bbbb"),
	"MarkersLeft":       errors.MarkersLeft("n-aaaa", 7),
	"Overloaded":        errors.Overloaded(1),
	"StillReading":      errors.StillReading("reading notes: 155 of 688, ask again"),
	"TooSlow":           errors.TooSlow(30),

	"ProjectNotFound": errors.ProjectNotFound(),
	"NotDetectedIn":   errors.NotDetectedIn("/x", "/x"),
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
	"NotKnown":        errors.NotKnown("beta", []string{"alpha at /x"}),
	"ManyNamed":       errors.ManyNamed("beta", []string{"beta at /x", "beta at /y"}),
	"ProjectGone":     errors.ProjectGone("beta", "/x"),
	"NoPersonal":      errors.NoPersonal(),
	"MarkerNotMade":   errors.MarkerNotMade("/x", fs.ErrPermission),

	"Secret":        errors.Secret(errors.Spot{Field: "body", Rule: "aws-access-key", Line: 1, Column: 1}),
	"Hidden":        errors.Hidden(errors.Spot{Field: "body", Code: "U+200B", Line: 1, Column: 1}),
	"AllowedByTool": errors.AllowedByTool(errors.Spot{Field: "body", Rule: "aws-access-key", Line: 1, Column: 1}),

	"NoDocument":     errors.NoDocument("../x.md", "it is outside the project"),
	"NoCommit":       errors.NoCommit("3f2a9c1", "git knows none, or several"),
	"DocumentNoNote": errors.DocumentNoNote("docs/x.md", "/x/docs/x.md"),

	"InsideMarker":   errors.InsideMarker("/x/.blue", "/x"),
	"SharedNotes":    errors.SharedNotes("/y", "/y", "/x"),
	"NoClient":       errors.NoClient("curser", "cursor"),
	"NoScope":        errors.NoScope("zed", "local", "user"),
	"NoPlace":        errors.NoPlace("cline", "user"),
	"BadConfig":      errors.BadConfig("/x.json", 3, "a comma is missing"),
	"ConfigOutside":  errors.ConfigOutside("/x/.mcp.json", "/y/.mcp.json", "/x"),
	"ForeignEntry":   errors.ForeignEntry("/x.json", "blue", "node"),
	"PrintOnly":      errors.PrintOnly("claude-code", "/x.json"),
	"NoHTTP":         errors.NoHTTP("claude-desktop"),
	"TokenInProject": errors.TokenInProject("zed", "/x.json"),
	"ConfigChanged":  errors.ConfigChanged("/x.json"),
	"ConfigTooLarge": errors.ConfigTooLarge("/x.json", 1<<20),
	"ConfigDisk":     errors.ConfigDisk("/x.json", fs.ErrPermission),
	"NoServer":       errors.NoServer(),

	"NoSource":   errors.NoSource("notion", "markdown", "okf"),
	"BadSource":  errors.BadSource("/x", "it is not a regular file"),
	"OutputLost": errors.OutputLost(fs.ErrClosed),
	"ClientLost": errors.ClientLost(fs.ErrClosed),
	"BadOutput":  errors.BadOutput("/x", "a file is there already"),

	"BadAddress":     errors.BadAddress("127.0.0.1:x", "the port is no number"),
	"BadPort":        errors.BadPort("BLUE_MCP_PORT", "abc"),
	"BadHostName":    errors.BadHostName("a b"),
	"BadRoot":        errors.BadRoot("127.0.0.1:0", "/x", "does not exist"),
	"NothingToServe": errors.NothingToServe("127.0.0.1:0"),
	"BadTimeout":     errors.BadTimeout(-time.Second),
	"OpenToOthers":   errors.OpenToOthers("0.0.0.0", "no --host-name"),
	"PortInUse":      errors.PortInUse(7865),
	"NoListener":     errors.NoListener("127.0.0.1:1", fs.ErrPermission),
	"TokenExposed":   errors.TokenExposed("/x"),
	"TokenUnusable":  errors.TokenUnusable("/x", "it is a link"),
	"TooOften":       errors.TooOften(2),

	"NoPage":       errors.NoPage(7000, fs.ErrPermission),
	"LinkUsed":     errors.LinkUsed(),
	"OnlyShown":    errors.OnlyShown(),
	"NoView":       errors.NoView("/x"),
	"OtherProject": errors.OtherProject("/x", "/y"),
	"NotShownHere": errors.NotShownHere("x"),
	"LoginMissing": errors.LoginMissing(),
	"LoginUnknown": errors.LoginUnknown(),
	"LoginDenied":  errors.LoginDenied("access_denied"),
	"ForeignPage":  errors.ForeignPage(),
	"FailedInside": errors.FailedInside(),

	"NoGit":            errors.NoGit(),
	"OldGit":           errors.OldGit("git version 2.20.1", "2.31"),
	"NoRepository":     errors.NoRepository("/x", "not a git repository"),
	"NoRemote":         errors.NoRemote("upstream"),
	"RemoteSilent":     errors.RemoteSilent("origin", "could not resolve host"),
	"RemoteRefused":    errors.RemoteRefused("origin", "refs/blue/notes", "pre-receive hook declined"),
	"NotTaken":         errors.NotTaken("origin", "refs/blue/notes"),
	"KeepsMoving":      errors.KeepsMoving(6),
	"ManyRemovals":     errors.ManyRemovals([]string{"x"}, 1),
	"WithCode":         errors.WithCode(false),
	"NotebookTracked":  errors.NotebookTracked(".blue/notebook", 2),
	"NotesMoved":       errors.NotesMoved(),
	"NotNotes":         errors.NotNotes("refs/heads/main", "it has no file named format"),
	"GitFailed":        errors.GitFailed("mktree", "no space left on device"),
	"GitSlow":          errors.GitSlow("fetch"),
	"RemoteInside":     errors.RemoteInside("origin", "./notes.git"),
	"GitStuck":         errors.GitStuck("log", ".git/packed-refs is a named pipe"),
	"BadRef":           errors.BadRef("main..x"),
	"BadServer":        errors.BadServer("ftp://x", "it is no URL"),
	"ServerSilent":     errors.ServerSilent("https://notes.example.com", "connection refused"),
	"ServerOdd":        errors.ServerOdd("https://notes.example.com", "its answer is not that of blue server"),
	"ServerWantsToken": errors.ServerWantsToken("https://notes.example.com", "/home/a/.config/blue/servers/notes.example.com"),
	"ServerRefused":    errors.ServerRefused("https://notes.example.com", 429, "", "Too Many Requests"),
	"NotCarried":       errors.NotCarried("plan", "it holds a secret", 1),
	"ChangedThere":     errors.ChangedThere("note \"plan\" changed"),
	"BodyTooLarge":     errors.BodyTooLarge(4 << 20),
	"BodyLate":         errors.BodyLate(),

	"ServerTokenRefused": errors.ServerTokenRefused("https://notes.example.com", "/home/a/.config/blue/servers/notes.example.com"),

	"DatabaseAway":     errors.DatabaseAway(fs.ErrClosed),
	"DatabaseReadOnly": errors.DatabaseReadOnly(fs.ErrPermission),
	"DatabaseFull":     errors.DatabaseFull(fs.ErrPermission),
	"Contended":        errors.Contended(5),
	"SchemaMissing":    errors.SchemaMissing(),
	"SchemaOlder":      errors.SchemaOlder(1, 2),
	"SchemaNewer":      errors.SchemaNewer(3, 2),
	"WritesNewer":      errors.WritesNewer(9, 1), "CommitUnconfirmed": errors.CommitUnconfirmed(),
	"BadStore":       errors.BadStore("it has no host"),
	"StoreRefused":   errors.StoreRefused("permission denied"),
	"Forbidden":      errors.Forbidden("reader", "writer"),
	"NoSuch":         errors.NoSuch("project", "x"),
	"NameTaken":      errors.NameTaken("x"),
	"NotServedHere":  errors.NotServedHere("x", "shop"),
	"ProjectUnnamed": errors.ProjectUnnamed("shop", "bank"),
	"CwdNotSeen":     errors.CwdNotSeen("shop"),
	"ShortSecret":    errors.ShortSecret("BLUE_PAGE_SECRET", 16),
	"OpenServer":     errors.OpenServer("0.0.0.0"),
	"Repeated":       errors.Of(errors.Repeated("project=a&project=b")),
	"NoTokenKnown":   errors.NoTokenKnown(),
	"TokenRefused":   errors.TokenRefused("it has expired"),
	"IssuerAway":     errors.IssuerAway(nil),
	"ScopeLacking":   errors.ScopeLacking("notes:read notes:write", "notes:write"),

	"NoteExists":     errors.NoteExists("x"),
	"NotServed":      errors.NotServed("x", "it is a directory"),
	"NoteTooLarge":   errors.NoteTooLarge("x", 1<<20),
	"KeepsChanging":  errors.KeepsChanging("x"),
	"Locked":         errors.Locked(7),
	"UseFailed":      errors.UseFailed(),
	"RootGone":       errors.RootGone("/gone", "/x"),
	"LockedBy":       errors.LockedBy("/x", "host"),
	"NotDirectory":   errors.NotDirectory("/x"),
	"NotRegular":     errors.NotRegular("/x"),
	"Unreadable":     errors.Unreadable("/x", fs.ErrPermission),
	"StoreGone":      errors.StoreGone("/x"),
	"SaveFailed":     errors.SaveFailed("x", fs.ErrPermission),
	"PartlySaved":    errors.PartlySaved([]string{"a", "b", "c", "d"}, errors.SaveFailed("x", fs.ErrPermission)),
	"PartlyImported": errors.PartlyImported(2, errors.SaveFailed("x", fs.ErrPermission)),
	"HomeSilent":     errors.HomeSilent("/home/ann/.config/blue"),
}

// isVerb reports whether a verb has a door: a command, a tool or both.
func isVerb(name string) bool {
	for _, door := range []string{"../blue/cli/", "../mcp/"} {
		if _, err := os.Stat(door + name + ".go"); err == nil {
			return true
		}
	}
	return false
}

// fixed are the first lines of the failures of detection, which are sentences.
var fixed = regexp.MustCompile(`^(Blue |Path |Bad marker: |Untrusted project: |Several projects |/x[ /])|^blue_use has no session`)

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
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == filepath.Join("..", "errors") {
			return err
		}
		data, err := os.ReadFile(path)
		for _, m := range call.FindAllSubmatch(data, -1) {
			used[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return used
}
