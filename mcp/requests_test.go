package mcp

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"blue/fixtures"
)

// lines is a log that is read while it is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// requests are the lines of requests so far.
func (l *lines) requests() (all []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.b.String()) {
		if strings.Contains(line, " msg=request ") {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// await waits for a number of lines: a client has its answer before the line is there.
func (l *lines) await(t *testing.T, n int) []string {
	t.Helper()
	within(t, fmt.Sprintf("%d lines", n), func() bool { return len(l.requests()) >= n })
	all := l.requests()
	if len(all) != n {
		t.Fatalf("%d lines, want %d:\n%s", len(all), n, strings.Join(all, "\n"))
	}
	return all
}

// logged is a site of the fixture whose log is kept.
func logged(t *testing.T) (log *lines, s *site) {
	t.Helper()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	log = &lines{}
	w := newWorld(t, base)
	w.log = log
	return log, w.serve(t, base, HTTP{})
}

// Each request has one line, which says what it was and why it was refused, and
// holds neither a query nor a token.
func TestLinesOfRequests(t *testing.T) {
	t.Parallel()
	log, s := logged(t)
	v := s.visit(`{}`)
	opening := log.await(t, 2)
	if !strings.Contains(opening[0], "level=DEBUG") || !strings.Contains(opening[0], `session=`+v.id[:9]+`…`) || strings.Contains(strings.Join(opening, ""), v.id) {
		t.Errorf("the lines of two served requests: %q", opening)
	}
	stranger := "curl/8\u202e " + strings.Repeat("x", 5000)
	tests := []struct {
		verb, path, body string
		pairs            []string
		want             string // after the level
	}{
		{"GET", "/no/such?token=" + s.tokens[0], "", nil, `INFO msg=request method=GET path=/no/such status=404 took=\S+ reason="no such route" agent=\S+`},
		{"POST", "/mcp?project_path=/secret/place", pingBody, []string{"Host", "evil.example"}, `INFO .* path=/mcp status=403 .*reason="Forbidden: this server has no such Host"`},
		{"POST", "/mcp", pingBody, []string{"Origin", "null"}, `INFO .* status=403 .*reason="Forbidden: pages of this Origin may not call"`},
		{"POST", "/mcp?token=" + s.tokens[0], pingBody, []string{"Authorization", ""}, `INFO .* status=401 .*reason="no bearer token"`},
		{"POST", "/mcp", pingBody, []string{"Authorization", "Bearer wrong-token"}, `INFO .* status=401 .*reason="invalid token"`},
		{"PUT", "/mcp", "", nil, `INFO .*method=PUT .* status=405 .*reason="Method Not Allowed"`},
		{"POST", "/mcp", pingBody, []string{"Accept", "text/html", "Mcp-Session-Id", v.id}, `INFO .* status=400 .*reason="Accept must contain .*`},
		{"POST", "/mcp", pingBody, []string{"Content-Type", "text/plain"}, `INFO .* status=415 .*reason="Content-Type .*`},
		{"POST", "/mcp", "{", nil, `INFO .* status=400 .*reason=.*JSON`},
		{"POST", "/mcp", pingBody, []string{"Mcp-Session-Id", "unheard-of-session"}, `INFO .* status=404 .*reason="Session not found" .*session=unheard-o…`},
		{"POST", "/mcp", pingBody, []string{"User-Agent", stranger, "Host", "x"}, `INFO .* status=403 .*agent="curl/8\\u202e x+…"`},
		{"GET", "/health", "", nil, `DEBUG .* path=/health status=200 took=\S+ agent=\S+$`},
	}
	for i, test := range tests {
		s.send(test.verb, test.path, test.body, test.pairs...)
		all := log.await(t, len(opening)+i+1)
		if line := all[len(all)-1]; !regexp.MustCompile(`level=`+test.want).MatchString(line) || len(line) > 1000 {
			t.Errorf("%s %s: %s\nwant %s", test.verb, test.path, line, test.want)
		}
	}
	if h := s.askTool("where", args(), "Mcp-Name", "another"); h.status != 400 {
		t.Errorf("%s", h)
	}
	all := log.await(t, len(opening)+len(tests)+1)
	if line := all[len(all)-1]; !strings.Contains(line, "status=400") || !strings.Contains(line, `reason="`) {
		t.Errorf("a refusal that the SDK writes: %s", line)
	}
	for _, never := range []string{s.tokens[0], "wrong-token", "secret", "unheard-of"} {
		if strings.Contains(strings.Join(all, "\n"), never) {
			t.Errorf("the lines hold %q:\n%s", never, strings.Join(all, "\n"))
		}
	}
}
