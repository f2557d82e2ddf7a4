package marker

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestWithDrive(t *testing.T) {
	for path, want := range map[string]string{
		"/c/Users/me/shop":   `C:\Users\me\shop`,
		"/C/Program Files/x": `C:\Program Files\x`,
		"/d":                 `D:\`,
		"/d/":                `D:\`,
		"/c//x/":             `C:\\x\`,
		"/c/../x":            `C:\..\x`,
		"/cygdrive/c/x":      "/cygdrive/c/x",
		"/ü/x":               "/ü/x",
		"/1/x":               "/1/x",
		"//c/x":              "//c/x",
		"/c:/x":              "/c:/x",
		"c/x":                "c/x",
		`\c\x`:               `\c\x`,
		`C:\x`:               `C:\x`,
		"/":                  "/",
		"":                   "",
	} {
		if got := withDrive(path); got != want {
			t.Errorf("withDrive(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestSlashDrive(t *testing.T) {
	for path, want := range map[string]string{
		`C:\Users\me`:     "/C:/Users/me",
		"c:/Users/me":     "/c:/Users/me",
		"C:":              "/C:",
		"/C:/Users":       "/C:/Users",
		"host/share":      "host/share",
		`host\share`:      `host\share`,
		"localhost/C:/me": "localhost/C:/me",
		"localhost:80/x":  "localhost:80/x",
		"":                "",
	} {
		if got := slashDrive(path); got != want {
			t.Errorf("slashDrive(%q) = %q, want %q", path, got, want)
		}
	}
}

// Parse takes the paths of Git Bash on Windows alone: elsewhere /c is a directory.
func TestNative(t *testing.T) {
	for value, windows := range map[string]string{
		"/c/Users/me":        `C:\Users\me`,
		"/c":                 `C:\`,
		"/c//Users/./me/":    `C:\Users\me`,
		"file:///c/Users/me": `C:\Users\me`,
		"file:///C:/Users":   `C:\Users`,
		"file:///c%3A/Users": `C:\Users`,
	} {
		want := windows
		if filepath.Separator == '/' {
			want = filepath.Clean(strings.ReplaceAll(strings.TrimPrefix(value, "file://"), "%3A", ":"))
		}
		if path, err := Parse(value); err != nil || path != want {
			t.Errorf("Parse(%q) = %q, %v, want %q", value, path, err, want)
		}
	}
	if path, err := Parse("/c/../x"); err == nil {
		t.Errorf("a traversal is %q", path)
	}
}
