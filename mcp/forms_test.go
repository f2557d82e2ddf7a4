package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"blue/blue"
)

// Null for an optional argument is an absent one, and 5.0 is the integer 5.
// What is really wrong is refused by name and with its value.
func TestNullAndWholeNumbers(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	p.open(`{}`)
	quoted := `"` + base + `/shop"`
	for _, test := range []struct{ tool, arguments, refusal string }{
		{"list", `{"cwd":%s,"type":null,"tags":null,"since":null,"sort":null,"limit":null,"max_tokens":null,"cursor":null}`, ""},
		{"search", `{"cwd":%s,"query":"deploy","limit":5.0,"max_tokens":2e3,"tags":null}`, ""},
		{"list", `{"cwd":%s,"limit":5.0}`, ""},
		{"list", `{"cwd":%s,"limit":-0.0}`, ""},
		{"where", `{"cwd":%s,"nothing":null}`, `takes no argument "nothing"`},
		{"read", `{"cwd":%s,"id":"deploy-aaaa","ids":null,"section":null,"revision":null}`, ""},
		{"write", `{"cwd":%s,"body":"One matter.","title":null,"type":null,"tags":null,"files":null,"private":null,"supersedes":null,"key":null}`, ""},
		{"list", `{"cwd":%s,"limit":5.5}`, `"limit" cannot be "5.5"`},
		{"list", `{"cwd":%s,"limit":1e300}`, `"limit" cannot be "1e300"`},
		{"list", `{"cwd":%s,"limit":"5"}`, `"limit" cannot be`},
		{"list", `{"cwd":%s,"limit":9007199254740993.0}`, `"limit" cannot be "9007199254740993.0"`},
		{"search", `{"cwd":%s,"query":null}`, `"query" is missing or empty`},
		{"write", `{"cwd":%s,"body":null}`, `"body" is missing or empty`},
		{"write", `{"cwd":%s,"body":"x","tags":["a",null]}`, `"tags" cannot be`},
	} {
		id := nextID()
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"blue_%s","arguments":%s}}`, id, test.tool, fmt.Sprintf(test.arguments, quoted)))
		o := p.outcome(id)
		if o.IsError != (test.refusal != "") || !strings.Contains(o.text(), test.refusal) {
			t.Errorf("blue_%s %s: %s", test.tool, test.arguments, o.text())
		}
		if test.refusal != "" && o.StructuredContent.Error != "invalid" {
			t.Errorf("blue_%s %s is of kind %q", test.tool, test.arguments, o.StructuredContent.Error)
		}
	}
}

// The value that a whole number spells is the one that counts, also for numbers
// that a float cannot hold.
func TestNumbers(t *testing.T) {
	t.Parallel()
	schema := schemaOf[blue.Filter]()
	for raw, want := range map[string]int{"5": 5, "5.0": 5, "50e-1": 5, "5E0": 5, "-3.0": -3, "9007199254740993": 9007199254740993, "null": 0} {
		f, err := decode[blue.Filter]("list", schema, json.RawMessage(`{"limit":`+raw+`,"sort":"title"}`))
		if err != nil || f.Limit != want || f.Sort != "title" {
			t.Errorf("%s became %+v (%v)", raw, f, err)
		}
	}
}

// Who calls a tool that there is not learns which one was meant, at each door
// and in both eras; where none is near, which tools there are.
func TestUnknownTool(t *testing.T) {
	t.Parallel()
	_, w := scene(t)
	_, s := openSite(t, HTTP{})
	p, v := w.start(t), s.visit(`{}`)
	p.open(`{}`)
	for name, want := range map[string]string{
		"search":                 "the nearest is blue_search",
		"blue_serach":            "the nearest is blue_search",
		"Blue_Search":            "the nearest is blue_search",
		"blue-list":              "the nearest is blue_list",
		"mcp__blue__blue_remove": "the nearest is blue_remove",
		"write_note":             "the nearest is blue_write",
		"wrte":                   "the nearest is blue_write",
		"teleport":               "the tools are blue_where, blue_use, blue_write, blue_read, blue_search, blue_list, blue_edit, blue_remove",
		"":                       "the tools are blue_where",
		"blue_":                  "the tools are blue_where",
	} {
		id := nextID()
		quoted, _ := json.Marshal(name) // of a string, always
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s,"arguments":{}}}`, id, quoted)
		p.send(line)
		params := map[string]any{"name": name, "arguments": map[string]any{}}
		legacy, modern := v.post(line), s.ask(alone{method: "tools/call", params: params})
		if name != "" && (legacy.status != 200 || modern.status != 400) {
			t.Errorf("%q has status %d and %d", name, legacy.status, modern.status)
		}
		params["_meta"] = stateless(false)
		for door, m := range map[string]said{"stdio": p.reply(id), "stdio, modern": p.modern("tools/call", params), "HTTP": legacy.message(), "HTTP, modern": modern.message()} {
			if name == "" && door == "HTTP, modern" {
				continue // its header cannot be empty
			}
			if m.Error == nil || m.Error.Code != -32602 || !strings.Contains(m.Error.Message, want) || !strings.Contains(m.Error.Message, fmt.Sprintf("unknown tool %q", name)) {
				t.Errorf("%s: %q: %+v", door, name, m.Error)
			}
		}
	}
	p.send(`{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"` + strings.Repeat("search", 100_000) + `"}}`)
	if m := p.reply(`"long"`); m.Error == nil || m.Error.Code != -32602 || len(m.Error.Message) > 1000 || len(m.Error.Data) > 2000 {
		t.Errorf("a long name: %.300s", m.Error.Message)
	}
}
