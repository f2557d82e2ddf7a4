package clients_test

import (
	"bytes"
	"strings"
	"testing"

	"blue/blue/internal/clients"
	"blue/errors"
)

func TestBlock(t *testing.T) {
	f := clients.AgentsFile(place())
	first, err := f.Edit(nil, clients.Entry{})
	must(t, err)
	for _, word := range []string{"blue_search", "blue_write", "checkpoint", "tool search", "`blue search WORDS`"} {
		if !bytes.Contains(first, []byte(word)) {
			t.Errorf("%s is not named", word)
		}
	}
	if len(first) > 600 {
		t.Errorf("%d bytes", len(first))
	}
	stale := "<!-- blue:begin -->\nold words\n<!-- blue:end -->"
	rows := []struct{ name, before, want string }{
		{"absent", "", string(first)},
		{"appended", "# Rules\n", "# Rules\n\n" + string(first)},
		{"no line end", "# Rules", "# Rules\n\n" + strings.TrimSuffix(string(first), "\n")},
		{"blank line there", "# Rules\n\n", "# Rules\n\n\n" + string(first)},
		{"windows", "# Rules\r\n", "# Rules\r\n\r\n" + strings.ReplaceAll(string(first), "\n", "\r\n")},
		{"refreshed", "# A\n" + stale + "\n\n# B", "# A\n" + string(first) + "\n# B"},
		{"current", "# A\n" + string(first), "# A\n" + string(first)},
	}
	for _, row := range rows {
		got, err := f.Edit([]byte(row.before), clients.Entry{})
		if err != nil || string(got) != row.want {
			t.Errorf("%s: %v\n%s", row.name, err, beside("AGENTS.md", []byte(row.want), got))
		}
		if again, err := f.Edit(got, clients.Entry{}); err != nil || !bytes.Equal(again, got) {
			t.Errorf("%s: a second run differs: %v", row.name, err)
		}
		if back, err := f.Remove(got); !strings.Contains(row.before, "blue:") && (err != nil || string(back) != row.before) {
			t.Errorf("%s: removed: %v %q", row.name, err, back)
		}
	}
	for _, bad := range []string{"<!-- blue:begin -->\n", "x\n<!-- blue:end -->\n", "<!-- blue:end -->\n<!-- blue:begin -->\n", stale + "\n" + stale} {
		if got, err := f.Edit([]byte(bad), clients.Entry{}); !errors.Is(err, errors.Untouched) || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v %q", bad, err, got)
		}
	}
}

// A comment around what is removed stays, and hides nothing behind it.
func TestCommentsStay(t *testing.T) {
	c, _ := clients.Named("vscode")
	f := writable(t, c)[clients.Project]
	for before, want := range map[string]string{
		"{\n  \"servers\": { // mine\n    \"blue\": {\"command\":\"blue\",\"args\":[\"mcp\"]} }\n}": "{\n  \"servers\": { // mine\n }\n}",
		"{\n  \"servers\": { // mine\n    \"blue\": {\"command\":\"blue\"}, \"x\": {} }\n}":         "{\n  \"servers\": { // mine\n \"x\": {} }\n}",
		"{\"servers\": {\"blue\" /* a */ : /* b */ {\"command\":\"blue\"} /* c */}, \"x\": 1}":      "{\"servers\": { /* a */  /* b */ /* c */}, \"x\": 1}",
		"{\"servers\" /* a */ : {\"blue\": {\"command\":\"blue\"}}, \"x\": 1}":                      "{ /* a */ \"x\": 1}",
	} {
		if after, err := f.Remove([]byte(before)); err != nil || string(after) != want {
			t.Errorf("%v\n%s", err, beside("mcp.json", []byte(want), after))
		}
	}
}
