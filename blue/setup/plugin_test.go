package setup_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/errors"
)

// TestPlugin is what the directory of the plugin holds: JSON that names files which are
// there, and every event of each client.
func TestPlugin(t *testing.T) {
	m := newMachine(t)
	dir := filepath.Join(m.root, "plugin")
	for _, want := range []string{"written", "unchanged"} {
		p, err := m.verbs().Plugin(dir)
		if err != nil || !strings.Contains(p.Text(), "claude plugin marketplace add "+dir) {
			t.Fatalf("%v\n%s", err, p.Text())
		}
		for _, f := range p.Files {
			if f.Outcome != want {
				t.Errorf("%s: %s", f.Path, f.Outcome)
			}
		}
	}
	read := func(name string) (members map[string]any) {
		if err := json.Unmarshal([]byte(m.read(filepath.Join(dir, filepath.FromSlash(name)))), &members); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return members
	}
	plugin, copilot := read(".claude-plugin/plugin.json"), read(".github/plugin/plugin.json")
	if read(copilot["mcpServers"].(string)); plugin["version"] != copilot["version"] {
		t.Errorf("%v", copilot)
	}
	for name, want := range map[string]string{
		"hooks/hooks.json":        "PostToolUse PostToolUseFailure PreCompact PreToolUse SessionStart Stop SubagentStart UserPromptSubmit",
		"gemini/hooks/hooks.json": "AfterAgent AfterTool BeforeAgent BeforeTool SessionStart",
		copilot["hooks"].(string): "agentStop postToolUse preCompact preToolUse sessionStart subagentStart userPromptSubmitted",
	} {
		events := slices.Sorted(maps.Keys(read(name)["hooks"].(map[string]any)))
		if got := strings.Join(events, " "); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	extension, market := read("gemini/gemini-extension.json"), read(".claude-plugin/marketplace.json")
	if plugin["name"] != "blue" || extension["name"] != "blue" || market["name"] != "blue" || plugin["version"] != extension["version"] {
		t.Errorf("%v\n%v\n%v", plugin, extension, market)
	}
	entry, err := json.Marshal(read(".mcp.json")["mcpServers"])
	if same, _ := json.Marshal(extension["mcpServers"]); err != nil || string(entry) != string(same) || string(entry) != `{"blue":{"args":["mcp"],"command":"blue"}}` {
		t.Errorf("%s, %s, %v", entry, same, err)
	}
	skill := m.read(filepath.Join(dir, "skills", "blue", "SKILL.md"))
	for _, word := range []string{"---\nname: blue\ndescription: ", "blue_search", "blue_read", "blue_write", "blue search ", "blue write ", "blue read ", "tool search"} {
		if !strings.Contains(skill, word) {
			t.Errorf("the skill does not say %q", word)
		}
	}
	if text := m.read(filepath.Join(dir, "gemini", "GEMINI.md")); !strings.Contains(text, "blue_search") || strings.Contains(text, "<!--") {
		t.Errorf("%s", text)
	}
}

// TestPluginRefuses: a directory with anything else in it is left alone.
func TestPluginRefuses(t *testing.T) {
	m := newMachine(t)
	before := m.tree()
	if _, err := m.verbs().Plugin(m.project); !errors.Is(err, errors.Invalid) || !same(before, m.tree()) {
		t.Errorf("%v", err)
	}
	dir := filepath.Join(m.root, "plugin")
	if _, err := m.verbs().Plugin(dir); err != nil {
		t.Fatal(err)
	}
	m.write(filepath.Join(dir, "gemini", "GEMINI.md"), "old", 0o644)
	if _, err := m.verbs().Plugin(dir); err != nil || m.read(filepath.Join(dir, "gemini", "GEMINI.md")) == "old" {
		t.Errorf("not brought up to date: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 6 {
		t.Errorf("%v, %v", entries, err)
	}
}
