package clients

import (
	_ "embed"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed skill.md
var skill []byte

// Made is a file of a plugin, and its text.
type Made struct {
	File
	Text []byte
}

// Plugin returns the files of the directory dir that Claude Code and Codex load as a plugin,
// and Gemini CLI as an extension. All three read hooks/hooks.json, and Gemini warns of
// each event there that it does not know: so that file has the start of a session
// alone, and hooks/agent.json, which the plugin's manifest names, has the others.
func Plugin(dir, version string) []Made {
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
	made := func(name string, text []byte) Made {
		return Made{File{Path: filepath.Join(dir, filepath.FromSlash(name)), Scope: Project, top: dir}, text}
	}
	return []Made{
		made(".claude-plugin/plugin.json", document(plugin)),
		made(".claude-plugin/marketplace.json", document(market)),
		made(".mcp.json", document(object{entry})),
		made("hooks/hooks.json", document(hookFile(claudeEvents[:1]))),
		made("hooks/agent.json", document(hookFile(claudeEvents[1:]))),
		made("skills/blue/SKILL.md", slices.Clone(skill)),
		made("gemini-extension.json", document(about(entry, pair{Key: "contextFileName", Value: "GEMINI.md"}))),
		made("GEMINI.md", []byte(guide)),
	}
}

func hookFile(events []event) object {
	var all object
	for _, ev := range events {
		all = append(all, pair{Key: ev.name, Value: []any{groupedHook(Server, "claude-code", ev)}})
	}
	return object{{Key: "hooks", Value: all}}
}
