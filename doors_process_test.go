package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// named finds the project in an answer of either door.
var named = regexp.MustCompile(`"project":\s*\{\s*"root":\s*"([^"]*)"[^}]*"source":\s*"(\w+)"`)

// D031: whatever names a directory leads to the same root through each door that has it.
func TestDoorsFindTheSameRoot(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for name, text := range map[string]string{
		"shop/src/deep/pay.go": "", "shop/inner/.blue/notes/a.md": "# A\n", "shop/inner/below/.blue": "no marker", "wt/sub/x": "",
		"wt/.git": "gitdir: " + p.project + "/.git/worktrees/wt\n", "shop/.git/worktrees/wt/commondir": "../..\n", "shop/.git/worktrees/wt/gitdir": p.base + "/wt/.git\n",
	} {
		path := filepath.Join(p.base, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(p.project, "src"), filepath.Join(p.base, "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	at := []string{"--http", "127.0.0.1:0", "--allow-root", p.base}
	plain := p.httpServer(t, nil, at...)
	for start, want := range map[string]string{
		"shop": "shop", "shop/src/deep": "shop", "shop/src/deep/pay.go": "shop", "link/deep": "shop", "shop/inner/below": "shop/inner", "wt/sub": "shop",
	} {
		dir, want := filepath.Join(p.base, start), filepath.Join(p.base, want)
		// say runs a command in a directory, with one more variable.
		say := func(in, env, input string, args ...string) string {
			c := p.command(t, args...)
			c.Dir, c.Env, c.Stdin = in, append(c.Env, env), strings.NewReader(input)
			out, err := c.Output()
			if err != nil {
				t.Errorf("D031: %q in %s with %s: %v", args, in, env, err)
			}
			return string(out)
		}
		bare := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_where","arguments":{}}}` + "\n"
		full := strings.Replace(bare, `{}`, fmt.Sprintf(`{"cwd":%q}`, dir), 1)
		post := func(s *served, call string) string {
			said, _, err := s.post(s.open(t, "{}"), call)
			if err != nil {
				t.Error(err)
			}
			return said
		}
		home, env := filepath.Join(p.base, "home"), "BLUE_PROJECT="+dir
		answers := map[string]string{
			"argument terminal": say(home, "", "", "where", "--json", "--cwd", dir),
			"argument stdio":    say(home, "", hello+full, "mcp"),
			"argument http":     post(plain, full),
			"env terminal":      say(home, env, "", "where", "--json"),
			"env stdio":         say(home, env, hello+bare, "mcp"),
			"env http":          post(p.httpServer(t, []string{env}, at...), bare),
			"flag stdio":        say(home, "", hello+bare, "mcp", "--project", dir),
			"flag http":         post(p.httpServer(t, nil, append(at, "--project", dir)...), bare),
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			answers["cwd terminal"] = say(dir, "", "", "where", "--json")
			answers["cwd stdio"] = say(dir, "", hello+bare, "mcp")
		}
		for by, answer := range answers {
			source, _, _ := strings.Cut(by, " ")
			if got := named.FindStringSubmatch(answer); got == nil || got[1] != want || got[2] != source {
				t.Errorf("D031: %s by %s leads to %q, want %s:\n%s", start, by, got, want, answer)
			}
		}
	}
}
