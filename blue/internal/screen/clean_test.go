package screen_test

import (
	"flag"
	"fmt"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"blue/blue/internal/screen"
	"blue/fixtures"
)

var cleanDir = flag.String("clean", "", "directories, in the manner of PATH, with clean text to look for false findings in, instead of Go's own Markdown")

// Promise 26: at most one false finding in 10 MB of Markdown, and with -clean in the
// comments of Go, which are Markdown too. What is found is logged with its place,
// never with its value.
func TestPromise26CleanMarkdown(t *testing.T) {
	size, found := 0, 0
	for _, dir := range cleanDirs() {
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil
			}
			text := cleanText(path)
			size += len(text)
			for _, f := range screen.Secrets(text) {
				found++
				t.Logf("%s:%d: %s", path, f.Line, f.Rule)
			}
			return nil
		})
	}
	if size == 0 {
		t.Skip("SKIPPED: no Markdown found; give -clean DIR")
	}
	t.Logf("%d findings in %d bytes", found, size)
	if found > 1+size/10e6 {
		t.Errorf("%d findings in %d bytes of clean Markdown", found, size)
	}
}

// cleanText is a Markdown file, or the comments of a Go file.
func cleanText(path string) string {
	switch ext := filepath.Ext(path); {
	case ext == ".md":
		data, _ := os.ReadFile(path) // what cannot be read is not there
		return string(data)
	case ext == ".go" && *cleanDir != "":
		file, _ := parser.ParseFile(gotoken.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if file == nil {
			return ""
		}
		var b strings.Builder
		for _, group := range file.Comments {
			b.WriteString(group.Text() + "\n")
		}
		return b.String()
	}
	return ""
}

func cleanDirs() []string {
	if *cleanDir != "" {
		return filepath.SplitList(*cleanDir)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil
	}
	return []string{strings.TrimSpace(string(root))}
}

// Megabytes of what looks random and is no secret.
func TestPromise26CleanNoise(t *testing.T) {
	size := fixtures.Size(1<<20, 4<<20, 10<<20)
	c := seeded(7)
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(noise[c.IntN(len(noise))](c) + "\n")
	}
	text := b.String()
	all := strings.Split(text, "\n")
	found := screen.Secrets(text)
	for _, f := range found {
		t.Logf("%s in %.200s", f.Rule, all[f.Line-1])
	}
	if len(found) > 1 {
		t.Errorf("%d findings in %d bytes of noise", len(found), size)
	}
}

var noise = []func(c chance) string{
	func(c chance) string { return "commit " + c.of(hex, 40) + "\nsha256:" + c.of(hex, 64) },
	func(c chance) string {
		return "id: " + c.of(hex, 8) + "-" + c.of(hex, 4) + "-4" + c.of(hex, 3) + "-8" + c.of(hex, 3) + "-" + c.of(hex, 12)
	},
	func(c chance) string { return "![](data:image/png;base64,iVBORw0KGgo" + c.of(base64, 2000) + "==)" },
	func(c chance) string {
		return "//# sourceMappingURL=data:application/json;base64,ey" + "J" + c.of(base64, 900)
	},
	func(c chance) string { return `      "integrity": "sha512-` + c.of(base64, 86) + `==",` },
	func(c chance) string {
		return "golang.org/x/text v0." + c.of(digits, 2) + ".0 h1:" + c.of(base64, 43) + "="
	},
	func(c chance) string {
		return "https://www.example.com/a/" + c.of(safe, 24) + "?utm=" + c.of(safe, 40) + "&v=" + c.of(digits, 8) + "#" + c.of(lower, 9)
	},
	func(c chance) string {
		return "http://host:" + c.of(digits, 4) + "/@" + c.of(lower, 8) + " git@github.com:a/b.git"
	},
	func(c chance) string {
		return "function " + c.of(lower, 1) + "(" + c.of(lower, 2) + "){return " + c.of(alnum, 3) + "." + c.of(alnum, 6) + "." + c.of(alnum, 30) + "(" + c.of(lower, 1) + "?" + c.of(digits, 9) + ":" + c.of(alnum, 33) + ")}"
	},
	func(c chance) string {
		return "etag W/\"" + c.of(hex, 32) + "\" trace 00-" + c.of(hex, 32) + "-" + c.of(hex, 16) + "-01"
	},
	func(c chance) string { return "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + c.of(base64, 43) + " me@host" },
	func(c chance) string { return block("CERTIFICATE", lines(c, 8)) },
	func(c chance) string {
		return "task-" + c.of(alnum, 24) + " disk-" + c.of(lower, 30) + " key-" + c.of(hex, 12)
	},
	func(c chance) string {
		return "AWS_ACCESS_KEY_ID=$AWS_ACCESS_KEY_ID TOKEN=${" + c.of(upper, 20) + "} " + c.of(upper, 20)
	},
	func(c chance) string {
		return fmt.Sprintf("| %d | %s | %s |", c.IntN(1e9), c.of(alnum, 22), c.of(safe, 64))
	},
}

func FuzzSecrets(f *testing.F) {
	for _, s := range samples() {
		f.Add(s.hit(seeded(8)), "plain\r\ntext")
	}
	f.Add(strings.Repeat("Ⱥ", 20)+" mykeys aB3dE5gH7jK9mN1pQ3sT", "") // which has more bytes in lower case
	f.Fuzz(func(t *testing.T, text, before string) {
		count := strings.Count(text, "\n") + 1
		rules := screen.Rules()
		for _, f := range screen.Secrets(text) {
			if f.Line < 1 || f.Last < f.Line || f.Last > count || f.Column < 1 || f.Column > utf8.RuneCountInString(text) || !slices.Contains(rules, f.Rule) {
				t.Errorf("%v lies outside %q", f, text)
			}
		}
		if added := screen.Added(text, text, screen.Secrets); len(added) > 0 {
			t.Errorf("nothing was added to %q, found %v", text, added)
		}
		if added := screen.Added(before, text, screen.Secrets); len(added) > len(screen.Secrets(text)) {
			t.Errorf("more was added than is there: %v", added)
		}
		if left := screen.Unallowed(screen.AllowSecrets(text, true)); len(left) > 0 {
			t.Errorf("%v is left of %q though allowed", left, text)
		}
	})
}

func BenchmarkSecrets(b *testing.B) {
	text := clean2kB()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if len(screen.Secrets(text)) > 0 {
			b.Fatal("the text is not clean")
		}
	}
}

// clean2kB is a note as one would write it: prose, code, links, hashes.
func clean2kB() string {
	c := seeded(9)
	text := "# Deploy\n\nThe queue is drained first, see [runbook](https://wiki.internal/deploy?id=42) and task-sk-17.\n" +
		"```go\nfunc (p *Pool) Drain(ctx context.Context) error {\n\treturn p.queue.Close(ctx)\n}\n```\n" +
		"- image: `registry.internal/app@sha256:" + c.of(hex, 64) + "`\n- at 12:30:45, postgres://app@db:5432/prod, key: value; a.b.c.d\n"
	return strings.Repeat(text, 1+2000/len(text))[:2000]
}
