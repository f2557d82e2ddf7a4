package mcp

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "accept new tools in fixtures/tools")

// published is a tool as tools/list shows it.
type published struct {
	Name        string
	Description string
	InputSchema struct {
		Type       string
		Required   []string
		Properties map[string]map[string]any
	}
	Annotations map[string]any
	Title       string
	Meta        map[string]any `json:"_meta"`
}

func listTools(t *testing.T) (raw []json.RawMessage, whole json.RawMessage) {
	t.Helper()
	_, w := scene(t)
	p := w.start(t)
	p.open(`{}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	whole = p.reply(1).Result
	var list struct{ Tools []json.RawMessage }
	must(t, json.Unmarshal(whole, &list))
	return list.Tools, whole
}

// TestToolsAsPublished compares each tool with fixtures/tools, and their cost with
// what a client's context can bear: 1,563 tokens of 4 bytes.
func TestToolsAsPublished(t *testing.T) {
	tools, whole := listTools(t)
	whole = append(whole, `,"ttlMs":300000,"cacheScope":"private","resultType":"complete"`...) // of revisions without sessions
	if len(whole) > 6800 {
		t.Errorf("tools/list has %d bytes, more than 6,800", len(whole))
	}
	var seen []string
	for _, raw := range tools {
		var tool published
		var pretty bytes.Buffer
		must(t, json.Unmarshal(raw, &tool))
		must(t, json.Indent(&pretty, raw, "", "  "))
		pretty.WriteByte('\n')
		seen = append(seen, tool.Name+".json")
		file := filepath.Join("..", "fixtures", "tools", tool.Name+".json")
		if *update {
			must(t, os.WriteFile(file, pretty.Bytes(), 0o644))
		}
		if want, err := os.ReadFile(file); err != nil || string(want) != pretty.String() {
			t.Errorf("%s differs from %s (%v); accept it with -update if it is meant:\n%s", tool.Name, file, err, pretty.String())
		}
		checkTool(t, tool)
	}
	kept, err := os.ReadDir(filepath.Join("..", "fixtures", "tools"))
	if err != nil || len(kept) != 8 || len(seen) != 8 {
		t.Errorf("%d tools, %d files (%v); want 8", len(seen), len(kept), err)
	}
}

// checkTool holds a tool against the limits of clients and
// what is promised of every tool.
func checkTool(t *testing.T, tool published) {
	if !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(tool.Name) || len("mcp__blue__"+tool.Name) > 60 {
		t.Errorf("name %q", tool.Name)
	}
	if tool.Description == "" || len(tool.Description) > 2048 || tool.InputSchema.Type != "object" {
		t.Errorf("%s: description or schema", tool.Name)
	}
	for name, property := range tool.InputSchema.Properties {
		kind, ok := property["type"].(string)
		if !ok || !slices.Contains([]string{"string", "integer", "boolean", "array"}, kind) {
			t.Errorf("%s.%s has type %v", tool.Name, name, property["type"])
		}
		if items, ok := property["items"].(map[string]any); kind == "array" && (!ok || items["type"] != "string") {
			t.Errorf("%s.%s has items %v", tool.Name, name, property["items"])
		}
		if text, there := property["description"]; there && text == "" {
			t.Errorf("%s.%s has an empty description", tool.Name, name)
		}
		for _, word := range []string{"anyOf", "oneOf", "allOf", "$ref"} {
			if _, there := property[word]; there {
				t.Errorf("%s.%s has %s", tool.Name, name, word)
			}
		}
		named := name == "project" && tool.Name == "blue_use" || name == "projects" && tool.Name == "blue_search" // others than that of the call
		if regexp.MustCompile(`(?i)project|tenant|session|workspace`).MatchString(name) && !named {
			t.Errorf("%s asks for %s", tool.Name, name)
		}
	}
	cwd := tool.InputSchema.Properties["cwd"]
	if want := map[string]any{"type": "string", "description": "absolute path of your directory"}; !maps.Equal(cwd, want) {
		t.Errorf("%s: cwd is %v", tool.Name, cwd)
	}
	if required := slices.Contains(tool.InputSchema.Required, "cwd"); required {
		t.Errorf("%s: cwd required: %v", tool.Name, required)
	}
	reads := slices.Contains([]string{"blue_where", "blue_read", "blue_search", "blue_list"}, tool.Name)
	destroys := tool.Name == "blue_remove" // blue_edit keeps the former revision
	if tool.Annotations["readOnlyHint"] != reads && (reads || tool.Annotations["readOnlyHint"] != nil) ||
		tool.Annotations["destructiveHint"] != destroys || tool.Annotations["openWorldHint"] != false || tool.Annotations["idempotentHint"] != true {
		t.Errorf("%s: annotations %v", tool.Name, tool.Annotations)
	}
	loaded := slices.Contains([]string{"blue_search", "blue_write"}, tool.Name)
	hint, hinted := tool.Meta["anthropic/searchHint"].(string)
	if tool.Title == "" || len(tool.Meta) != 1 || loaded && tool.Meta["anthropic/alwaysLoad"] != true || !loaded && (!hinted || hint == "") {
		t.Errorf("%s: title %q, _meta %v", tool.Name, tool.Title, tool.Meta)
	}
}

// A tool search finds the tools by the words that models ask it with.
func TestToolsAreFoundByTheirWords(t *testing.T) {
	tools, _ := listTools(t)
	words := ""
	for _, raw := range tools {
		var tool published
		must(t, json.Unmarshal(raw, &tool))
		words += " " + strings.ToLower(tool.Name+" "+tool.Description)
	}
	for _, word := range []string{"memory", "remember", "context", "decision", "notes"} {
		if !strings.Contains(words, word) {
			t.Errorf("no description holds %q", word)
		}
	}
}

// A client that cuts the instructions leaves what matters.
func TestInstructionsCutShort(t *testing.T) {
	start := instructions[:240]
	for _, word := range []string{"blue_search", "before", "blue_write", "after", "pass cwd", "`blue search WORDS`"} {
		if !strings.Contains(start, word) {
			t.Errorf("no %q in %q", word, start)
		}
	}
}
