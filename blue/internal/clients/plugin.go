package clients

import (
	_ "embed"
	"slices"
	"strings"

	"blue/blue/internal/config"
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
		return append(object{{Key: "name", Value: Server}, {Key: "version", Value: version}, {Key: "description", Value: description}}, more...)
	}
	entry := pair{Key: servers[0], Value: object{{Key: Server, Value: object{{Key: "command", Value: Server}, {Key: "args", Value: []string{"mcp"}}}}}}
	owner := object{{Key: "name", Value: "Blue"}}
	plugin := about(
		pair{Key: "author", Value: owner}, pair{Key: "license", Value: "Apache-2.0"},
		pair{Key: "hooks", Value: []string{"./hooks/hooks.json", "./hooks/agent.json"}},
	)
	market := object{
		{Key: "name", Value: Server}, {Key: "description", Value: description}, {Key: "owner", Value: owner},
		{Key: "plugins", Value: []any{object{{Key: "name", Value: Server}, {Key: "source", Value: "./"}, {Key: "description", Value: description}}}},
	}
	guide := strings.TrimSuffix(strings.SplitAfterN(block, "\n", 2)[1], blockEnd)
	guide = strings.Replace(guide, "This project keeps", "A project with a directory `.blue` keeps", 1)
	return []Made{
		{".claude-plugin/plugin.json", config.Document(plugin)},
		{".claude-plugin/marketplace.json", config.Document(market)},
		{".mcp.json", config.Document(object{entry})},
		{"hooks/hooks.json", config.Document(hookFile(claudeEvents[:1]))},
		{"hooks/agent.json", config.Document(hookFile(claudeEvents[1:]))},
		{"skills/blue/SKILL.md", slices.Clone(skill)},
		{"gemini-extension.json", config.Document(about(entry, pair{Key: "contextFileName", Value: "GEMINI.md"}))},
		{"GEMINI.md", []byte(guide)},
	}
}

func hookFile(events []event) object {
	var all object
	for _, ev := range events {
		all = append(all, pair{Key: ev.name, Value: []any{groupedHook(Server, "claude-code", ev)}})
	}
	return object{{Key: "hooks", Value: all}}
}
