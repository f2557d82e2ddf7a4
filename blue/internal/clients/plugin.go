package clients

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed skill.md
var skill []byte

// Made is a file of a plugin: a slash-separated path in its directory, and the text.
type Made struct {
	Path string
	Text []byte
}

// Plugin returns the files of a directory that Claude Code and Codex load as a plugin,
// and Gemini CLI as an extension. All three read hooks/hooks.json, and Gemini warns of
// each event there that it does not know: so that file has the start of a session
// alone, and hooks/agent.json, which the plugin's manifest names, has the others.
func Plugin(version string) []Made {
	const description = "The notes of a project: decisions, causes of errors and open work, found before they are needed again"
	about := func(more ...pair) object {
		return append(object{{key: "name", value: Server}, {key: "version", value: version}, {key: "description", value: description}}, more...)
	}
	entry := pair{key: servers[0], value: object{{key: Server, value: object{{key: "command", value: Server}, {key: "args", value: []string{"mcp"}}}}}}
	owner := object{{key: "name", value: "Blue"}}
	plugin := about(
		pair{key: "author", value: owner}, pair{key: "license", value: "Apache-2.0"},
		pair{key: "hooks", value: []string{"./hooks/hooks.json", "./hooks/agent.json"}},
	)
	market := object{
		{key: "name", value: Server}, {key: "description", value: description}, {key: "owner", value: owner},
		{key: "plugins", value: []any{object{{key: "name", value: Server}, {key: "source", value: "./"}, {key: "description", value: description}}}},
	}
	guide := strings.TrimSuffix(strings.SplitAfterN(block, "\n", 2)[1], blockEnd)
	guide = strings.Replace(guide, "This project keeps", "A project with a directory `.blue` keeps", 1)
	return []Made{
		{".claude-plugin/plugin.json", jsonFile(plugin)},
		{".claude-plugin/marketplace.json", jsonFile(market)},
		{".mcp.json", jsonFile(object{entry})},
		{"hooks/hooks.json", jsonFile(hookFile(claudeEvents[:1]))},
		{"hooks/agent.json", jsonFile(hookFile(claudeEvents[1:]))},
		{"skills/blue/SKILL.md", slices.Clone(skill)},
		{"gemini-extension.json", jsonFile(about(entry, pair{key: "contextFileName", value: "GEMINI.md"}))},
		{"GEMINI.md", []byte(guide)},
	}
}

// hookFile is a file of hooks for the events.
func hookFile(events []event) object {
	var all object
	for _, ev := range events {
		all = append(all, pair{key: ev.name, value: []any{groupedHook(Server, "claude-code", ev)}})
	}
	return object{{key: "hooks", value: all}}
}

func jsonFile(o object) []byte { return page{nl: "\n", unit: "  "}.begin(o) }
