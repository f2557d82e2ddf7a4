package main

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// U001: a token with a comment behind it: setup writes what the server accepts, and
// no command, no reply and no log shows it.
func TestU001TokenWithComment(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	must(t, os.MkdirAll(p.config(""), 0o700))
	must(t, os.WriteFile(p.config("token"), []byte("# of this machine\nSECRETtoken # laptop\n"), 0o600))
	s := p.httpServer(t, nil, "--http", "127.0.0.1:0", "--debug")

	setup := []string{"setup", "zed", "--scope", "user", "--http", "running"}
	doctor := []string{"doctor", "zed"}
	said := ""
	for _, args := range [][]string{
		append(setup, "--dry-run"), append(setup, "--print"), append(setup, "--print", "--json"), append(setup, "--dry-run", "--json"),
		setup, append(setup, "--json"), {"setup"}, {"setup", "--json"}, append(setup, "--remove", "--dry-run"), doctor, append(doctor, "--json"),
	} {
		c := p.command(t, args...)
		out, err := c.CombinedOutput()
		if err != nil && args[0] != "doctor" { // which finds something to mend
			t.Errorf("blue %q: %v: %s", args, err, out)
		}
		said += string(out)
	}

	var written struct {
		Servers map[string]struct{ Headers map[string]string } `json:"context_servers"`
	}
	file, err := os.ReadFile(filepath.Join(p.base, "home", "CONFIG", "zed", "settings.json"))
	must(t, err)
	must(t, json.Unmarshal(file, &written))
	header := written.Servers["blue"].Headers["Authorization"]
	for token, want := range map[string]int{
		strings.TrimPrefix(header, "Bearer "): http.StatusOK, "SECRETtoken # laptop": http.StatusUnauthorized, "SECRETother": http.StatusUnauthorized,
	} {
		s.token = token
		answer, err := s.request(t.Context(), http.MethodPost, "", strings.SplitN(hello, "\n", 2)[0])
		must(t, err)
		if answer.Body.Close(); answer.StatusCode != want {
			t.Errorf("the token %q is answered with %s", token, answer.Status)
		}
	}
	s.token = ""
	s.url += "?token=SECRETtoken"
	if answer, err := s.request(t.Context(), http.MethodPost, "", `{}`); err != nil || answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("a token in the URL: %v, %v", answer, err)
	}

	logs := 0
	must(t, filepath.WalkDir(filepath.Join(p.base, "home", "STATE"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		said += string(data)
		logs++
		return err
	}))
	if said += s.err.String(); logs < 2 || strings.Contains(said, "SECRET") {
		t.Errorf("%d files of the server; a token is shown in\n%s", logs, said)
	}
}
