package mcp

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blue/errors"
	"blue/fixtures"
)

// Promise 16: who may reach the server, by any verb.
func TestHostAndOrigin(t *testing.T) {
	t.Parallel()
	_, s := openSite(t, HTTP{HostNames: []string{"notes.example", "deep.example:8443"}})
	v := s.visit(`{}`)
	port := fmt.Sprint(s.port)
	for _, test := range []struct {
		pairs  []string
		served bool
	}{
		{[]string{"Host", "evil.example"}, false},
		{[]string{"Host", "localhost."}, false},
		{[]string{"Host", "localhost.:" + port}, false},
		{[]string{"Host", "EVIL.example:" + port, "Origin", "http://EVIL.example:" + port}, false},
		{[]string{"Host", "192.168.1.5:" + port}, false},
		{[]string{"Host", "LOCALHOST:" + port}, true},
		{[]string{"Host", "[::1]:" + port}, true},
		{[]string{"Host", "127.0.0.1"}, true},
		{[]string{"Host", "127.0.0.1:1"}, false},
		{[]string{"Host", "localhost:"}, false},
		{nil, true},
		{[]string{"Origin", "http://127.0.0.1:" + port}, true},
		{[]string{"Origin", "http://localhost:" + port}, true},
		{[]string{"Origin", "https://evil.example"}, false},
		{[]string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, false},
		{[]string{"Origin", "null"}, false},
		{[]string{"Origin", "file://"}, false},
		{[]string{"Origin", "http://localhost:3999"}, false},
		{[]string{"Origin", "http://localhost"}, false}, // port 80 is another server
		{[]string{"Origin", "https://localhost:" + port}, false},
		{[]string{"Origin", "http://127.0.0.1:" + port + "/path"}, false},
		{[]string{"Origin", "http://127.0.0.1:" + port + ", https://evil.example"}, false},
		{[]string{"Origin", "two"}, false},
		{[]string{"Host", "notes.example"}, true},
		{[]string{"Host", "Notes.Example:" + port, "Origin", "https://notes.example"}, true},
		{[]string{"Host", "deep.example:8443"}, true},
		{[]string{"Host", "deep.example"}, false},
	} {
		for _, verb := range []string{"POST", "GET", "DELETE", "OPTIONS"} {
			pairs := append([]string{"Mcp-Session-Id", "nobody"}, test.pairs...)
			r := s.request(verb, "/mcp", pingBody, pairs...)
			if r.Header.Get("Origin") == "two" {
				r.Header["Origin"] = []string{"http://127.0.0.1:" + port, "https://evil.example"}
			}
			h := s.do(r, nil)
			want := http.StatusForbidden
			if test.served {
				want = http.StatusNotFound // the session
				if verb == "OPTIONS" {
					want = http.StatusMethodNotAllowed
				}
			}
			if h.status != want {
				t.Errorf("%s %q: %s", verb, test.pairs, h)
			}
			if want == http.StatusForbidden && (h.code() != -32000 || strings.Contains(h.body, `"id"`)) || h.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s %q: %s", verb, test.pairs, h)
			}
		}
	}
	if h := v.post(pingBody); h.status != http.StatusOK {
		t.Errorf("afterwards: %s", h)
	}
	if h := s.send("GET", "/health", "", "Host", "evil.example"); h.status != http.StatusForbidden {
		t.Errorf("/health: %s", h)
	}
}

// Only a token of the file, in the header, opens the server.
func TestTokens(t *testing.T) {
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	var log lockedBuffer
	w := newWorld(t, base)
	w.log = &log
	s := w.serve(t, base, HTTP{})
	opening := fmt.Sprintf(openBody, `{}`)
	for _, test := range []struct {
		path, header string
		status       int
		challenge    string
	}{
		{"/mcp", "", 401, `Bearer realm="blue"`},
		{"/mcp", "Basic " + s.tokens[0], 401, `Bearer realm="blue"`},
		{"/mcp", "Bearer wrong", 401, `Bearer realm="blue", error="invalid_token"`},
		{"/mcp", "Bearer " + s.tokens[0] + "x", 401, `Bearer realm="blue", error="invalid_token"`},
		{"/mcp", "bearer " + s.tokens[0], 200, ""},
		{"/mcp?token=" + s.tokens[0] + "&access_token=" + s.tokens[0], "", 401, `Bearer realm="blue"`},
	} {
		h := s.send("POST", test.path, opening, "Authorization", test.header)
		if h.status != test.status || h.header.Get("WWW-Authenticate") != test.challenge {
			t.Errorf("%s %q: %s", test.path, test.header, h)
		}
		if h.status == 401 && (h.code() != -32000 || strings.Contains(h.body, `"id"`) || h.header.Get("Content-Type") != "application/json") {
			t.Errorf("%s %q: %s", test.path, test.header, h)
		}
	}
	if h := s.send("DELETE", "/mcp", "", "Authorization", ""); h.status != 401 {
		t.Errorf("DELETE: %s", h)
	}
	v := s.visit(`{}`)
	s.addToken(t, "second-token")
	for _, verb := range []string{"POST", "GET", "DELETE"} {
		if h := s.send(verb, "/mcp", pingBody, "Mcp-Session-Id", v.id, "Authorization", "Bearer second-token"); h.status != 403 || h.code() != -32000 {
			t.Errorf("%s: %s", verb, h)
		}
	}
	if h := v.post(pingBody); h.status != 200 {
		t.Errorf("the session's own token: %s", h)
	}
	for _, name := range []string{"Blue-Internal-Project", "blue-internal-project"} {
		expect(t, name, v.call("list", args(), name, base+"/shop"), "no_project")
	}
	v.path = "/mcp?token=" + s.tokens[0]
	expect(t, "token in the query", v.call("list", args("cwd", base+"/shop")), "argument:shop")
	v.path = "/mcp"
	if !strings.Contains(log.String(), "tool=blue_list") || strings.Contains(log.String(), s.tokens[0]) || strings.Contains(log.String(), "second-token") {
		t.Errorf("a token in the log:\n%s", log.String())
	}
	path := filepath.Join(w.home, "config", "blue", "token")
	must(t, os.Chmod(path, 0o644))
	if h := v.post(pingBody); runtime.GOOS != "windows" && h.status != 401 {
		t.Errorf("a token file open to others, while serving: %s", h)
	}
}

// The file itself.
func TestTokenFile(t *testing.T) {
	t.Parallel()
	_, w := scene(t)
	o := w.options(t)
	path := filepath.Join(w.home, "config", "blue", "token")
	h := HTTP{Addr: "127.0.0.1:0"}
	if _, err := h.tokens(o); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	first, _ := os.ReadFile(path)
	if len(first) != 44 { // 32 bytes in base64url, and a line end
		t.Errorf("%d bytes", len(first))
	}
	if _, err := h.tokens(o); err != nil {
		t.Errorf("second start: %v", err)
	}
	if again, _ := os.ReadFile(path); !bytes.Equal(first, again) {
		t.Error("a second start made another token")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the rest needs modes and links")
	}
	for _, mode := range []os.FileMode{0o644, 0o640, 0o602} {
		must(t, os.Chmod(path, mode))
		_, err := h.tokens(o)
		if !errors.Is(err, errors.Invalid) || !strings.Contains(fmt.Sprint(errors.Of(err).Hints), "chmod 600 ") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	target := filepath.Join(w.home, "elsewhere")
	must(t, os.Rename(path, target))
	for _, to := range []string{target, filepath.Join(w.home, "missing")} {
		_ = os.Remove(path)
		must(t, os.Symlink(to, path))
		if _, err := h.tokens(o); !errors.Is(err, errors.Invalid) {
			t.Errorf("link to %s: %v", to, err)
		}
		if _, err := os.Stat(filepath.Join(w.home, "missing")); err == nil {
			t.Error("the link was followed")
		}
	}
	_ = os.Remove(path)
	must(t, os.WriteFile(path, []byte("# nothing yet\n\n"), 0o600))
	if _, err := h.tokens(o); !errors.Is(err, errors.Invalid) {
		t.Errorf("a file without tokens: %v", err)
	}
}

// Where a server may listen.
func TestAddress(t *testing.T) {
	t.Parallel()
	_, w := scene(t)
	o := w.options(t)
	names, roots, file := []string{"notes.example"}, []string{w.home}, w.home+"/file"
	must(t, os.WriteFile(file, nil, 0o600))
	for _, test := range []struct {
		env   string
		h     HTTP
		host  string
		port  int
		fault string // part of the message
	}{
		{"7002", HTTP{Addr: ":7001"}, "127.0.0.1", 7001, ""},
		{"7002", HTTP{Addr: "127.0.0.1"}, "127.0.0.1", 7002, ""},
		{"abc", HTTP{Addr: "127.0.0.1"}, "", 0, "BLUE_MCP_PORT"},
		{"70000", HTTP{Addr: "127.0.0.1"}, "", 0, "BLUE_MCP_PORT"},
		{"abc", HTTP{Addr: ":7001"}, "127.0.0.1", 7001, ""},
		{"", HTTP{Addr: ":0"}, "127.0.0.1", 0, ""},
		{"", HTTP{Addr: "localhost"}, "localhost", 7865, ""},
		{"", HTTP{Addr: "[::1]:8000"}, "::1", 8000, ""},
		{"", HTTP{Addr: "::1"}, "::1", 7865, ""},
		{"", HTTP{Addr: "0.0.0.0:0", HostNames: names, AllowRoots: roots}, "0.0.0.0", 0, ""},
		{"", HTTP{Addr: "0.0.0.0:0", NoAuth: true, HostNames: names, AllowRoots: roots}, "", 0, "--no-auth"},
		{"", HTTP{Addr: "0.0.0.0:0", AllowRoots: roots}, "", 0, "--host-name"},
		{"", HTTP{Addr: "0.0.0.0:0", HostNames: names}, "", 0, "--allow-root"},
		{"", HTTP{Addr: "192.168.1.5"}, "", 0, "--host-name and needs --allow-root"},
		{"", HTTP{Addr: "127.0.0.1:x"}, "", 0, "port"},
		{"", HTTP{Addr: "127.0.0.1:65536"}, "", 0, "port"},
		{"", HTTP{Addr: "127.0.0.1:"}, "", 0, "port"},
		{"", HTTP{Addr: "a b:1"}, "", 0, "host"},
		{"", HTTP{Addr: ""}, "", 0, "--http"},
		{"", HTTP{Addr: "1:2:3"}, "", 0, "--http"},
		{"", HTTP{Addr: ":0", HostNames: []string{"http://x"}}, "", 0, "--host-name"},
		{"", HTTP{Addr: ":0", HostNames: []string{"x:99999"}}, "", 0, "--host-name"},
		{"", HTTP{Addr: ":0", AllowRoots: []string{"relative"}}, "", 0, "absolute"},
		{"7002", HTTP{Addr: "7955"}, "127.0.0.1", 7955, ""},
		{"", HTTP{Addr: "0"}, "127.0.0.1", 0, ""},
		{"", HTTP{Addr: "65536"}, "", 0, `"65536"`},
		{"", HTTP{Addr: ":0", AllowRoots: []string{w.home, w.home + "/none"}}, "", 0, "--allow-root cannot be \"" + w.home + "/none\": it does not exist"},
		{"", HTTP{Addr: ":0", AllowRoots: []string{file}}, "", 0, "--allow-root cannot be \"" + file + "\": it is not a directory"},
		{"", HTTP{Addr: ":0", SessionTimeout: -1}, "", 0, "--session-timeout"},
	} {
		o.Env = func(string) string { return test.env }
		at, err := test.h.check(o)
		if test.fault == "" && (err != nil || at.Host != test.host || at.Port != test.port) {
			t.Errorf("%q %+v: %+v %v", test.env, test.h, at, err)
		}
		if test.fault == "" {
			continue
		}
		e := errors.Of(err)
		if err == nil || !strings.Contains(e.Message, test.fault) || e.Kind != errors.Invalid && e.Kind != errors.BadPath || len(e.Hints) == 0 {
			t.Errorf("%q %+v: %v", test.env, test.h, err)
		}
	}
}

// Another interface of this machine is no way in.
func TestLoopbackAlone(t *testing.T) {
	t.Parallel()
	_, s := openSite(t, HTTP{Addr: ":0"})
	if conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.port)); err != nil {
		t.Errorf("%v", err)
	} else {
		conn.Close()
	}
	addresses, err := net.InterfaceAddrs()
	must(t, err)
	tried := 0
	if runtime.GOOS == "linux" { // where all of 127.0.0.0/8 is this machine
		tried++
		if conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.2:%d", s.port)); err == nil {
			conn.Close()
			t.Error("127.0.0.2 is open")
		}
	}
	for _, a := range addresses {
		network, ok := a.(*net.IPNet)
		if !ok || network.IP.IsLoopback() || network.IP.To4() == nil {
			continue
		}
		tried++
		if conn, err := net.Dial("tcp", net.JoinHostPort(network.IP.String(), fmt.Sprint(s.port))); err == nil {
			conn.Close()
			t.Errorf("%s is open", network.IP)
		}
	}
	if tried == 0 {
		t.Skip("this machine has no other interface")
	}
}

// Only /mcp and /health are there.
func TestRoutes(t *testing.T) {
	t.Parallel()
	_, s := openSite(t, HTTP{})
	for _, path := range []string{"/", "/api/file-content", "/mcp/checkpoint/save", "/mcp/sse", "/.well-known/oauth-protected-resource", "/sse", "/health/", "//mcp", "/MCP"} {
		for _, verb := range []string{"GET", "POST"} {
			if h := s.send(verb, path, pingBody); h.status != http.StatusNotFound {
				t.Errorf("%s %s: %s", verb, path, h)
			}
		}
	}
	if h := s.send("GET", "/health", "", "Authorization", "", "Accept", ""); h.status != 200 || strings.TrimSpace(h.body) != `{"status":"ok","version":"test"}` {
		t.Errorf("%s", h)
	}
	if h := s.send("HEAD", "/health", ""); h.status != 200 || h.body != "" {
		t.Errorf("HEAD: %s", h)
	}
	if h := s.send("POST", "/health", ""); h.status != 405 || h.header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %s", h)
	}
	h := s.send("POST", "/mcp/", fmt.Sprintf(openBody, `{}`))
	if h.status != 200 || h.header.Get("Mcp-Session-Id") == "" {
		t.Errorf("%s", h)
	}
	in := []string{"Mcp-Session-Id", h.header.Get("Mcp-Session-Id")}
	for _, test := range []struct {
		verb, path string
		status     int
	}{{"POST", "/mcp", 200}, {"POST", "/mcp/", 200}, {"DELETE", "/mcp/", 204}, {"GET", "/mcp/", 404}} {
		if h := s.send(test.verb, test.path, pingBody, in...); h.status != test.status {
			t.Errorf("%s %s: %s", test.verb, test.path, h)
		}
	}
}
