package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Promise 21: the two ways out of a file server's allowed directory, played again:
// a neighbour whose name begins like it (CVE-2025-53110), and a link in it that
// leads away, to be read and to be written through (CVE-2025-53109).
func TestPromise21NeighboursAndLinks(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	secret := "outsideword"
	evil := place{p.base, p.project + "_evil"}
	must(t, os.Mkdir(evil.project, 0o755))
	evil.run(t, "init")
	evil.run(t, "write", "--title", "Evil", secret)
	theirs := filepath.Base(evil.notes(t)[0])
	link := filepath.Join(p.project, "link")
	if err := os.Symlink(evil.project, link); err != nil {
		t.Skipf("SKIPPED: no symbolic links here: %v", err)
	}
	planted := filepath.Join(p.project, ".blue", "notes", "planted.md")
	must(t, os.MkdirAll(filepath.Dir(planted), 0o755))
	must(t, os.Symlink(evil.notes(t)[0], planted))
	before := evil.everything(t)
	s := p.httpServer(t, nil, "--http", "127.0.0.1:0", "--allow-root", p.project)
	session := s.open(t, "{}")
	refused := 0
	names := strings.NewReplacer("EVIL", filepath.ToSlash(evil.project), "LINK", filepath.ToSlash(link), "SHOP", filepath.ToSlash(p.project), "THEIRS", theirs)
	for _, call := range []struct{ tool, arguments string }{
		{"list", `{"cwd":"EVIL"}`},
		{"list", `{"cwd":"LINK"}`},
		{"search", `{"cwd":"EVIL","query":"outsideword"}`},
		{"search", `{"cwd":"LINK","query":"outsideword"}`},
		{"write", `{"cwd":"EVIL","body":"planted"}`},
		{"write", `{"cwd":"LINK","body":"planted"}`},
		{"write", `{"cwd":"LINK/../shop_evil","body":"planted"}`},
		{"read", `{"cwd":"SHOP","id":"planted"}`},
		{"read", `{"cwd":"SHOP","id":"../../../shop_evil/.blue/notes/THEIRS"}`},
		{"read", `{"cwd":"SHOP","id":"EVIL/.blue/notes/THEIRS"}`},
		{"edit", `{"cwd":"SHOP","id":"planted","body":"planted"}`},
		{"edit", `{"cwd":"SHOP","id":"../../../shop_evil/.blue/notes/THEIRS","body":"planted"}`},
		{"remove", `{"cwd":"SHOP","id":"planted"}`},
	} {
		arguments := names.Replace(call.arguments)
		answer, _, err := s.post(session, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_%s","arguments":%s}}`, call.tool, arguments))
		if err != nil || !strings.Contains(answer, `"isError":true`) || strings.Contains(answer, secret) && call.tool != "search" {
			t.Errorf("blue_%s %s: %s, %v", call.tool, arguments, answer, err)
		}
		refused++
	}
	if after := evil.everything(t); after != before {
		t.Errorf("outside there was\n%s\nand is\n%s", before, after)
	}
	t.Logf("%d calls refused, 0 bytes outside read or changed", refused)
}

// everything is each file of a place with its bytes.
func (p place) everything(t *testing.T) (all string) {
	t.Helper()
	must(t, filepath.WalkDir(p.project, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		all += fmt.Sprintf("%s %q\n", path, data)
		return err
	}))
	return all
}
