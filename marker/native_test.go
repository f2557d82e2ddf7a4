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

// Parse takes the paths of Git Bash on Windows alone: elsewhere /c is a directory.
func TestNative(t *testing.T) {
	for value, windows := range map[string]string{
		"/c/Users/me":        `C:\Users\me`,
		"/c":                 `C:\`,
		"/c//Users/./me/":    `C:\Users\me`,
		"file:///c/Users/me": `C:\Users\me`,
	} {
		want := windows
		if filepath.Separator == '/' {
			want = filepath.Clean(strings.TrimPrefix(value, "file://"))
		}
		if path, err := Parse(value); err != nil || path != want {
			t.Errorf("Parse(%q) = %q, %v, want %q", value, path, err, want)
		}
	}
	if path, err := Parse("/c/../x"); err == nil {
		t.Errorf("a traversal is %q", path)
	}
}
