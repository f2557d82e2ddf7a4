package transport

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestPrepare(t *testing.T) {
	big := strings.Repeat("x", 20<<10)
	list := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(`"/r",`, n), ",") + "]" }
	tests := []struct{ name, method, params, want string }{
		{"captured", "initialize", `{"roots":[{"uri":"file:///a"}],"workspaceFolders":[]}`,
			`{"_meta":{"dev.blue/initialize":{"roots":[{"uri":"file:///a"}],"workspaceFolders":[]}},"roots":[{"uri":"file:///a"}],"workspaceFolders":[]}`},
		{"nothing to capture", "initialize", `{"roots":null}`, `{"roots":null}`},
		{"forged, initialize", "initialize", `{"_meta":{"dev.blue/initialize":{"roots":["/evil"]},"x":1}}`, `{"_meta":{"x":1}}`},
		{"forged, call", "tools/call", `{"_meta":{"dev.blue/initialize":{"roots":["/evil"]}},"name":"n"}`, `{"_meta":{},"name":"n"}`},
		{"forged by escape", "tools/call", `{"\u005fmeta":{"dev.blue\/initialize":1}}`, `{"_meta":{}}`},
		{"forged and captured", "initialize", `{"_meta":{"dev.blue/initialize":{"roots":["/evil"]}},"workspaceFolders":[1]}`,
			`{"_meta":{"dev.blue/initialize":{"workspaceFolders":[1]}},"workspaceFolders":[1]}`},
		{"one too large", "initialize", `{"roots":[1],"workspaceFolders":["` + big + `"]}`,
			`{"_meta":{"dev.blue/initialize":{"roots":[1]}},"roots":[1],"workspaceFolders":["` + big + `"]}`},
		{"32 entries", "initialize", `{"roots":` + list(33) + `}`, `{"_meta":{"dev.blue/initialize":{"roots":` + list(32) + `}},"roots":` + list(33) + `}`},
		{"untouched", "tools/call", `{"name":"n", "roots":[1]}`, `{"name":"n", "roots":[1]}`},
		{"future handshake", "initialize", `{"protocolVersion":"2026-07-28"}`, `{"protocolVersion":"2025-11-25"}`},
		{"modern without client", "tools/list", `{` + modern + `}`,
			`{"_meta":{"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{},"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var f frame
			if fault := f.readRequest(json.RawMessage(fmt.Sprintf("%q", test.method)), json.RawMessage(test.params)); fault != nil || string(f.params) != test.want {
				t.Errorf("got  %.300s %v\nwant %.300s", f.params, fault, test.want)
			}
		})
	}
}

func TestVersionOfAFrame(t *testing.T) {
	for version, want := range map[string]bool{
		`"2025-11-25"`: false, `"2026-07-27"`: false, `"2026-07-28"`: true, `"2027-01-01"`: true,
		`20260728`: false, `null`: false, `""`: false,
	} {
		f, fault := parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":` + version + `}}}`))
		if fault != nil || f.modern != want {
			t.Errorf("version %s: modern %v, fault %v; want %v", version, f.modern, fault, want)
		}
	}
}
