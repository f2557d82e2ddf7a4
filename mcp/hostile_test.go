package mcp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"blue/fixtures"
)

// replyBound is how many bytes a reply has beside the room that max_tokens gives it,
// as text and again as structured content.
const replyBound = 8 << 10

// Nothing that a clone brings is unbounded in a reply over MCP, or shown as it
// stands when nobody would see it.
func TestHostileClone(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	dir := fixtures.Hostile(t)
	w := newWorld(t, dir)
	p := w.start(t)
	p.open(`{}`)
	first := p.call("read", args("id", "linker-000"))
	var page struct{ Notes []struct{ Revision string } }
	if json.Unmarshal(mustMarshal(t, map[string]any{"notes": first.StructuredContent.Notes}), &page) != nil || len(page.Notes) != 1 {
		t.Fatalf("%s", first.text())
	}
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		tokens    int // of max_tokens or its default, 0 when the tool has none
	}{
		{"where", args(), 0},
		{"use", args("cwd", dir), 0},
		{"list", args(), 2000},
		{"list", args("max_tokens", 50), 50},
		{"list", args("sort", "title", "limit", 1000, "max_tokens", 10000), 10000},
		{"search", args("query", "kettle"), 2000},
		{"search", args("query", "kettle long", "max_tokens", 100), 100},
		{"search", args("query", strings.Repeat("unheard-of ", 1000)), 2000},
		{"read", args("id", "hub"), 10000},
		{"read", args("id", "hub", "max_tokens", 100), 100},
		{"read", args("id", "hub", "section", "nothing"), 0},
		{"read", args("id", "broken"), 10000},
		{"read", args("id", "merge", "max_tokens", 500), 500},
		{"read", args("ids", []string{"hub", "merge", "broken", "none"}), 10000},
		{"read", args("id", "linker"), 0},
		{"read", args("id", "none"), 0},
		{"read", args("id", "00x"), 0},
		{"write", args("body", "kettle long", "title", "x"), 0},
		{"write", args("body", "y", "supersedes", []string{"broken"}), 0},
		{"edit", args("id", "linker-000", "append", "more"), 0},
		{"edit", args("id", "hub", "title", "y", "revision", "0123456789abcdef"), 2000},
		{"edit", args("id", "broken", "title", "y"), 0},
		{"edit", args("id", "merge", "append", "y"), 0},
		{"remove", args("id", "linker-001"), 0},
		{"remove", args("id", "linker"), 0},
		{"remove", args("id", "linker-001", "restore", true), 0},
	} {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","method":"tools/call","params":{"name":"blue_%s","arguments":%s}}`, test.tool, mustMarshal(t, test.arguments)))
		m := p.reply(`"t"`)
		p.mu.Lock()
		delete(p.replies, `"t"`)
		p.mu.Unlock()
		var got struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
		if err := json.Unmarshal(m.Result, &got); err != nil || len(got.Content) != 1 {
			t.Fatalf("%s %v: %v %+v", test.tool, test.arguments, err, m.Error)
		}
		if test.tool == "read" && test.tokens > 0 && strings.Contains(string(got.StructuredContent), `"error":`) {
			t.Errorf("%s %v: %s", test.tool, test.arguments, got.Content[0].Text)
		}
		text, bound := got.Content[0].Text, 4*test.tokens+replyBound
		if len(text) > bound || len(got.StructuredContent) > 2*bound {
			t.Errorf("%s %.100v: %d bytes of text, %d of structured content, bound %d\n%.3000s", test.tool, test.arguments, len(text), len(got.StructuredContent), bound, text)
		}
		if at := strings.Index(text+string(got.StructuredContent), "\u202e"); at >= 0 {
			t.Errorf("%s %.100v: a hidden character as it stands", test.tool, test.arguments)
		}
	}
	where := p.call("where", args())
	name := where.StructuredContent.Project.Name
	if n := len([]rune(name)); n > 80 || !strings.HasSuffix(name, "…") || strings.ContainsAny(name, "\n\u202e") {
		t.Errorf("the name has %d characters: %q", n, name)
	}
}

// Prompts, resources and completion are bounded too.
func TestHostileOffers(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	dir := fixtures.Hostile(t)
	w := newWorld(t, dir)
	o := w.options(t)
	if _, err := o.Blue.Trust(t.Context(), dir); err != nil { // so that all are offered
		t.Fatal(err)
	}
	p := startWith(t, o)
	p.open(`{}`)
	for i, test := range []struct {
		method, params string
		bound          int
	}{
		{"prompts/get", `{"name":"recall","arguments":{"topic":"kettle"}}`, replyBound},
		{"prompts/get", `{"name":"remember"}`, replyBound},
		{"prompts/get", `{"name":"resume"}`, replyBound},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"recall"},"argument":{"name":"topic","value":""}}`, 100 * 1000},
		{"resources/list", `{}`, 500 * 2000},
		{"resources/read", `{"uri":"file://` + filepath.ToSlash(dir) + `/.blue/notes/none.md"}`, replyBound},
	} {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i+1, test.method, test.params))
		m := p.reply(i + 1)
		said := string(m.Result)
		if m.Error != nil {
			said = m.Error.Message + string(m.Error.Data)
		}
		if said == "" || len(said) > test.bound || strings.Contains(said, "\u202e") {
			t.Errorf("%s %s: %d bytes, bound %d: %.2000s", test.method, test.params, len(said), test.bound, said)
		}
	}
}

func mustMarshal(t testing.TB, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	must(t, err)
	return data
}
