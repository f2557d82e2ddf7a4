package anchor_test

import (
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/anchor"
)

// A text that names parts of a file cites these, unless it also names one that makes up half of the
// file and holds none of the others.
func TestNamedIn(t *testing.T) {
	small := "func Round(n int) int {\n\treturn n\n}\n\n"
	large := "func Retry() {\n" + strings.Repeat("\ttry()\n", 12) + "}\n"
	within := "class Client:\n    def send(self):\n        return 1\n\n" + strings.Repeat("    x = 1\n", 12)
	for _, c := range []struct{ file, text, said, want string }{
		{"a.go", small + large, "It calls `Round`.", "Round"},
		{"a.go", small + large, "It calls `Retry`.", ""},
		{"a.go", small + large, "`Round` and `Retry` are odd.", ""},
		{"a.go", small + small + "func Other() {\n\tother()\n}\n\n" + small, "`Round` and `Other`.", "Round Other"},
		{"a.py", within, "`Client.send` of `Client` returns.", "Client.send"},
	} {
		if got := strings.Join(anchor.Split(c.file, c.text).NamedIn(c.said, c.file), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.said, got, c.want)
		}
	}
	if slices.Contains(anchor.Split("a.go", small).NamedIn("A round number.", "a.go"), "Round") {
		t.Error("a word of prose names a part")
	}
}
