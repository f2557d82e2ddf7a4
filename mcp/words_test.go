package mcp

import (
	"regexp"
	"strings"
	"testing"
)

// internals are words of Go, of its libraries and of the SDK, and what holds of a line of
// standard input alone.
var internals = regexp.MustCompile(`(?i)EvalSymlinks|context deadline|on one line|json: |strconv|unmarshal|reflect\.|\*?mcp\.[A-Z]|interface \{|map\[|handling '|JSON RPC not handled|go-sdk|jsonrpc2|lstat |openat `)

// Whatever is sent over HTTP, in a session or without one, is answered in words of
// Blue and of the protocol.
func TestAnswersOverHTTP(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	v := s.visit(`{}`)
	for _, body := range []string{
		"", "{", "nonsense", "[1]", "null", "{}", "\x00", `{"jsonrpc":"2.0","id":1,"method":5}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{}", `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///%zz"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"zz"}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_list","arguments":[1]}}`,
	} {
		for _, pairs := range [][]string{nil, {"Mcp-Session-Id", v.id}, {"MCP-Protocol-Version", "2026-07-28"}} {
			if h := s.send("POST", "/mcp", body, pairs...); internals.MatchString(h.body) {
				t.Errorf("%q %q: %s", body, pairs, h)
			}
		}
	}
	for _, method := range []string{"no/such", "initialize", "logging/setLevel", "resources/subscribe"} {
		if h := s.ask(alone{method: method}); internals.MatchString(h.body) || !strings.Contains(h.body, "no method "+method) {
			t.Errorf("%s", h)
		}
	}
	for _, arguments := range []map[string]any{
		{"limit": "x"}, {"limit": 1e300}, {"since": "9999999999999999999999d"}, {"tags": []any{5}}, {"cwd": 5}, {"cwd": base + "/shop/\x00"}, {"cwd": "file:///%zz"}, {"cwd": base + strings.Repeat("/x", 300)},
	} {
		for _, text := range []string{v.call("list", arguments).text(), s.askTool("list", arguments).body} {
			if internals.MatchString(text) {
				t.Errorf("%v: %s", arguments, text)
			}
		}
	}
}
