package clients

import "slices"

// The form of Claude Code, and what most clients add to it.
var (
	servers    = []string{"mcpServers"}
	formA      = obj("command", command, "args", arguments, once("env"), object{})
	formAHTTP  = obj("url", url, "headers", headers)
	typedStdio = typed("stdio", formA)
	typedHTTP  = typed("http", formAHTTP)
)

func typed(kind string, o object) object {
	return append(obj("type", kind), o...)
}

func also(o object, members ...any) object { return slices.Concat(o, obj(members...)) }

// trusted tells Gemini and Qwen not to ask before they use a server's tools.
var trusted = permission{members: obj("trust", true)}

// agentsSkills are where most clients that read skills look for them.
var agentsSkills = []where{inProject(".agents/skills/blue/SKILL.md", Guide), ofUser(home, ".agents/skills/blue/SKILL.md", Guide)}

// table has one row for each client, in the order in which `setup` lists them: clients that
// read a file of the project come first.
var table = []Client{
	{
		Name: "claude-code", Title: "Claude Code",
		files: []where{
			inProject(".mcp.json", JSON),
			{ConfigFile: ConfigFile{Scope: User, Format: JSON, PrintOnly: true}, base: claudeDir, below: ".claude.json"},
			{ConfigFile: ConfigFile{Scope: Local, Format: JSON, PrintOnly: true}, base: claudeDir, below: ".claude.json", servers: localServers},
		},
		programs: []string{"claude"}, fromRoot: Hooks,
		shape:   shape{at: servers, stdio: typedStdio, http: typedHTTP, bearer: "${BLUE_TOKEN}"},
		hooks:   hooks{form: claudeHook, sh: true, events: claudeEvents, files: []where{inProject(".claude/settings.json", JSON), ofUser(claudeSettings, "settings.json", JSON)}},
		permit:  permission{list: []string{"permissions", "allow"}},
		reads:   reading{instead: []string{"CLAUDE.md", ".claude/CLAUDE.md"}},
		skills:  []where{inProject(".claude/skills/blue/SKILL.md", Guide), ofUser(claudeSettings, "skills/blue/SKILL.md", Guide)},
		plugins: []where{inProject(".claude/settings.json", JSON), inProject(".claude/settings.local.json", JSON), ofUser(claudeSettings, "settings.json", JSON)},
		knows:   knows{roots: true, spawn: launch, cwdIgnored: true},
		adds:    vendor{stdio: "claude mcp add --scope SCOPE blue -- COMMAND", http: "claude mcp add --transport http --scope SCOPE HEADER blue URL", header: "--header|Authorization: Bearer BEARER"},
		notes: []note{
			{string(Project), "Claude Code asks once whether to trust the server of a project"},
			{"http", "restart the client after the server: many releases do not open a new session"},
		},
	},
	{
		Name: "cursor", Title: "Cursor",
		files:    []where{inProject(".cursor/mcp.json", JSON), ofUser(home, ".cursor/mcp.json", JSON)},
		programs: []string{"cursor", "cursor-agent"},
		skills:   agentsSkills,
		hooks: hooks{
			form: cursorHook, sh: true, version: 1, events: cursorEvents,
			start: obj("hook_event_name", "sessionStart", "workspace_roots", []string{directory}),
			files: []where{inProject(".cursor/hooks.json", JSON), ofUser(home, ".cursor/hooks.json", JSON)},
		},
		shape: shape{at: servers, stdio: formA, http: formAHTTP, bearer: "${env:BLUE_TOKEN}", project: windowFolder, window: true},
		knows: knows{roots: true, spawn: unknown, userSpawn: homeDir, cwdIgnored: true},
		notes: []note{
			{string(Project), "approve the server in Cursor, or run: agent mcp enable blue"},
			{string(User), "one process serves all windows; the project's own file is the safer place"},
		},
	},
	{
		Name: "vscode", Title: "VS Code",
		files:    []where{inProject(".vscode/mcp.json", JSONC), ofUser(codeDir, "mcp.json", JSONC), ofUser(insidersDir, "mcp.json", JSONC)},
		programs: []string{"code", "code-insiders"},
		shape: shape{
			at:     []string{"servers"},
			stdio:  typed("stdio", obj("command", command, "args", arguments, once("cwd"), windowFolder)),
			http:   typedHTTP,
			bearer: "${input:blue-token}", project: windowFolder, window: true, input: true,
		},
		knows: knows{roots: true, spawn: folder, userSpawn: homeDir},
		adds:  vendor{stdio: "code --add-mcp JSON", userOnly: true},
		notes: []note{{"http", "VS Code asks for the token when it starts the server"}},
	},
	{
		Name: "codex", Title: "Codex",
		files:    []where{inProject(".codex/config.toml", TOML), ofUser(codexDir, "config.toml", TOML)},
		programs: []string{"codex"},
		hooks:    hooks{form: codexHook, events: codexEvents, files: []where{inProject(".codex/hooks.json", JSON), ofUser(codexDir, "hooks.json", JSON)}},
		permit:   permission{below: []string{"tools", "blue_edit"}, members: obj("approval_mode", "approve")},
		skills:   agentsSkills,
		plugins:  []where{ofUser(codexDir, "config.toml", TOML)},
		shape: shape{
			at:     []string{"mcp_servers"},
			stdio:  obj("command", command, "args", arguments),
			http:   obj("url", url, "bearer_token_env_var", tokenVariable, "env_http_headers", obj("Blue-Project", "PWD")),
			bearer: "BLUE_TOKEN",
		},
		knows: knows{codex: true, spawn: session},
		adds:  vendor{stdio: "codex mcp add blue -- COMMAND", http: "codex mcp add blue --url URL HEADER", header: "--bearer-token-env-var|" + tokenVariable, userOnly: true},
		notes: []note{
			{string(Project), "Codex reads these files only in a project that it was told to trust"},
			{string(Hooks), "Codex runs a hook only after you have reviewed it: type /hooks in Codex"},
		},
	},
	{
		Name: "gemini", Title: "Gemini CLI",
		files:    []where{inProject(".gemini/settings.json", Commented), ofUser(home, ".gemini/settings.json", Commented)},
		programs: []string{"gemini"}, fromRoot: MCP,
		hooks:   hooks{form: geminiHook, sh: true, events: geminiEvents, files: []where{inProject(".gemini/settings.json", Commented), ofUser(home, ".gemini/settings.json", Commented)}},
		permit:  trusted,
		reads:   reading{name: "GEMINI.md", settings: true},
		skills:  agentsSkills,
		plugins: []where{ofUser(home, ".gemini/extensions/blue/gemini-extension.json", JSON)},
		shape: shape{
			at: servers, stdio: formA, bearer: "${BLUE_TOKEN}", project: "$PWD",
			http: obj("url", url, "type", "http", "headers", headers),
		},
		knows: knows{roots: true, spawn: launch},
		adds:  vendor{stdio: "gemini mcp add -s SCOPE blue COMMAND", http: "gemini mcp add -s SCOPE -t http HEADER blue URL", header: "-H|Authorization: Bearer BEARER"},
		notes: []note{
			{"stdio", "Gemini starts the server only in a folder that it was told to trust"},
			{string(Project), "run with -p, Gemini offers tools only of a server that it trusts: blue setup gemini --allow"},
			{string(User), "run with -p, Gemini offers tools only of a server that it trusts: blue setup gemini --scope user --allow"},
		},
	},
	{
		Name: "qwen-code", Title: "Qwen Code",
		files:    []where{inProject(".qwen/settings.json", Commented), ofUser(home, ".qwen/settings.json", Commented)},
		programs: []string{"qwen"}, fromRoot: MCP,
		shape: shape{
			at: servers, bearer: "${BLUE_TOKEN}", project: "$PWD", stdio: also(formA, once("alwaysLoadTools"), true),
			// Without alwaysLoadTools Qwen hides the tools behind its search.
			http: obj("httpUrl", url, "headers", headers, once("alwaysLoadTools"), true),
		},
		hooks:  hooks{form: qwenHook, sh: true, events: qwenEvents, files: []where{inProject(".qwen/settings.json", Commented), ofUser(home, ".qwen/settings.json", Commented)}},
		permit: trusted,
		reads:  reading{settings: true},
		skills: agentsSkills,
		knows:  knows{roots: true, spawn: launch},
		adds:   vendor{stdio: "qwen mcp add -s SCOPE blue COMMAND", http: "qwen mcp add -s SCOPE -t http HEADER blue URL", header: "-H|Authorization: Bearer BEARER"},
		notes:  []note{{string(Project), "Qwen starts the server of a project only after: qwen mcp approve blue"}},
	},
	{
		Name: "zed", Title: "Zed",
		files:    []where{inProject(".zed/settings.json", JSONC), ofUser(zedDir, "settings.json", JSONC)},
		programs: []string{"zed"},
		shape:    shape{at: []string{"context_servers"}, stdio: formA, http: formAHTTP},
		knows:    knows{spawn: worktree},
		notes:    []note{{"", "in a window of several projects the directory is one of them: pass cwd there"}},
	},
	{
		Name: "opencode", Title: "opencode",
		files: []where{
			inProject("opencode.json", JSONC),
			inProject("opencode.jsonc", JSONC),
			ofUser(dotConfig, "opencode/opencode.jsonc", JSONC),
			ofUser(dotConfig, "opencode/opencode.json", JSONC),
		},
		programs: []string{"opencode"},
		skills:   agentsSkills,
		// A directory .opencode would make opencode install 63 MB in the project.
		hooks: hooks{plugin: "./.blue/opencode.js", files: []where{inProject(".blue/opencode.js", Script), ofUser(dotConfig, "opencode/plugins/blue.js", Script)}},
		shape: shape{
			at: []string{"mcp"}, bearer: "{env:BLUE_TOKEN}", project: "{env:PWD}",
			stdio: typed("local", obj("command", commandLine, once("environment"), object{}, once("enabled"), true)),
			http:  typed("remote", formAHTTP),
		},
		knows: knows{roots: true, spawn: launch},
		adds:  vendor{stdio: "opencode mcp add blue -- COMMAND", http: "opencode mcp add blue --url URL HEADER", header: "--header|Authorization=Bearer BEARER", userOnly: true},
	},
	{
		Name: "crush", Title: "Crush",
		files:    []where{inProject("crush.json", JSON), inProject(".crush.json", JSON), ofUser(crushDir, "crush.json", JSON)},
		programs: []string{"crush"},
		shape: shape{
			at: []string{"mcp"}, bearer: "$BLUE_TOKEN", project: "$(pwd)",
			stdio: typed("stdio", obj("command", command, "args", arguments)), http: typedHTTP,
		},
		knows: knows{spawn: launch},
		notes: []note{{"", "where Crush is configured by a crushrc, put this line there: mcp add blue --command blue --args mcp"}},
	},
	{
		Name: "windsurf", Title: "Windsurf",
		files: []where{ofUser(home, ".codeium/windsurf/mcp_config.json", JSON)},
		shape: shape{
			at: servers, stdio: formA, bearer: "${env:BLUE_TOKEN}",
			http: obj("serverUrl", url, "headers", headers),
		},
		programs: []string{"windsurf"},
		knows:    knows{spawn: unknown},
	},
	{
		// antigravity.google/docs/hooks and /docs/cli/gcli-migration, as of 2026-07; not run.
		Name: "antigravity", Title: "Antigravity",
		files:    []where{inProject(".agents/mcp_config.json", JSON), ofUser(home, ".gemini/config/mcp_config.json", JSON)},
		programs: []string{"agy", "antigravity"},
		hooks: hooks{
			key: Server, form: antigravityHook, events: antigravityEvents,
			start: obj("invocationNum", 0, "initialNumSteps", 0, "workspacePaths", []string{directory}),
			files: []where{inProject(".agents/hooks.json", JSON), ofUser(home, ".gemini/config/hooks.json", JSON)},
		},
		skills: []where{agentsSkills[0], ofUser(home, ".gemini/config/skills/blue/SKILL.md", Guide)},
		shape: shape{
			at: servers, stdio: formA,
			http: obj("serverUrl", url, "headers", headers),
		},
		knows: knows{spawn: unknown},
		notes: []note{{string(Hooks), "Blue's hooks of Antigravity follow its documentation and were not run in it"}},
	},
	{
		Name: "cline", Title: "Cline",
		files: []where{
			ofUser(clineFile, "", JSON),
			ofUser(codeDir, "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", JSON),
		},
		shape: shape{
			at: servers, bearer: "${env:BLUE_TOKEN}",
			stdio: also(typedStdio, once("timeout"), 60),
			http:  also(typed("streamableHttp", formAHTTP), once("timeout"), 60),
		},
		programs: []string{"cline"},
		knows:    knows{spawn: elsewhere},
		adds:     vendor{stdio: "cline mcp install blue --yes -- COMMAND"},
	},
	{
		Name: "goose", Title: "Goose",
		files:    []where{{ConfigFile: ConfigFile{Scope: User, Format: YAML, PrintOnly: true}, base: gooseDir, below: "config.yaml"}},
		programs: []string{"goose"},
		shape: shape{
			at:    []string{"extensions"},
			stdio: obj("name", Server, "type", "stdio", "cmd", command, "args", arguments, once("envs"), object{}, once("enabled"), true, once("timeout"), 300),
			http:  obj("name", Server, "type", "streamable_http", "uri", url, "headers", headers, once("enabled"), true, once("timeout"), 300),
		},
		knows: knows{roots: true, spawn: session},
	},
	{
		Name: "copilot-cli", Title: "GitHub Copilot CLI",
		files: []where{
			inProject(".github/mcp.json", JSON),
			{ConfigFile: ConfigFile{Scope: Project, Format: JSON, readOnly: true}, base: project, below: ".mcp.json"}, // Claude Code's, with another type
			ofUser(home, ".copilot/mcp-config.json", JSON),
		},
		programs: []string{"copilot"}, fromRoot: MCP,
		skills: agentsSkills, plugins: []where{ofUser(home, ".copilot/settings.json", JSON)},
		hooks: hooks{
			form: copilotHook, version: 1, events: copilotEvents,
			start: obj("cwd", directory, "source", "new", "initialPrompt", ""),
			files: []where{inProject(".github/hooks/blue.json", JSON), ofUser(home, ".copilot/hooks/blue.json", JSON)},
		},
		shape: shape{
			at: servers, bare: true,
			stdio: also(typed("local", formA), once("tools"), []string{"*"}),
			http:  also(typedHTTP, once("tools"), []string{"*"}),
		},
		knows: knows{spawn: session},
		adds:  vendor{stdio: "copilot mcp add blue -- COMMAND", userOnly: true},
		notes: []note{{string(Project), "Copilot reads these files only inside a git repository and in a folder that it was told to trust"}},
	},
	{
		Name: "kiro", Title: "Kiro",
		files:    []where{inProject(".kiro/settings/mcp.json", JSON), ofUser(home, ".kiro/settings/mcp.json", JSON)},
		programs: []string{"kiro", "kiro-cli"},
		shape: shape{
			at: servers, bearer: "${BLUE_TOKEN}",
			stdio: also(formA, once("disabled"), false),
			http:  also(formAHTTP, once("disabled"), false),
		},
		knows: knows{spawn: folder, userSpawn: elsewhere},
		adds:  vendor{stdio: "kiro-cli mcp add --name blue --scope WORKSPACE --command PROGRAM ARGS"},
		notes: []note{{"http", "approve the variable BLUE_TOKEN in Kiro"}},
	},
	{
		Name: "junie", Title: "Junie",
		files:    []where{inProject(".junie/mcp/mcp.json", JSON), ofUser(home, ".junie/mcp/mcp.json", JSON)},
		programs: []string{"junie"},
		shape:    shape{at: servers, stdio: formA, http: formAHTTP},
		knows:    knows{spawn: unknown},
	},
	{
		Name: "lm-studio", Title: "LM Studio",
		reads: reading{none: true},
		files: []where{ofUser(home, ".lmstudio/mcp.json", JSON)},
		shape: shape{at: servers, stdio: formA, http: formAHTTP},
		knows: knows{spawn: unknown},
	},
	{
		Name: "claude-desktop", Title: "Claude Desktop",
		reads: reading{none: true},
		files: []where{ofUser(appData, "Claude/claude_desktop_config.json", JSON)},
		shape: shape{at: servers, stdio: formA},
		knows: knows{spawn: systemDir, cwdIgnored: true},
		notes: []note{{"", "for one project alone, --project DIR may stand in args"}},
	},
	{
		Name: "roo", Title: "Roo Code",
		files: []where{inProject(".roo/mcp.json", JSON), ofUser(codeDir, "globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", JSON)},
		shape: shape{
			at: servers, stdio: formA, http: typed("streamable-http", formAHTTP),
			bearer: "${env:BLUE_TOKEN}", project: windowFolder,
		},
		knows: knows{spawn: folder},
	},
	{
		Name: "continue", Title: "Continue",
		files: []where{
			inProject(".continue/mcpServers/blue.json", JSON),
			{ConfigFile: ConfigFile{Scope: Project, Format: YAML, readOnly: true, list: true}, base: project, below: ".continue/mcpServers/blue.yaml"},
			{ConfigFile: ConfigFile{Scope: User, Format: YAML, readOnly: true, list: true}, base: home, below: ".continue/config.yaml"},
		},
		programs: []string{"cn"},
		shape:    shape{at: servers, stdio: formA, http: formAHTTP},
		knows:    knows{spawn: folder},
	},
	{
		Name: "amazon-q", Title: "Amazon Q CLI",
		files:    []where{ofUser(home, ".aws/amazonq/mcp.json", JSON)},
		programs: []string{"qchat"},
		shape:    shape{at: servers, stdio: formA},
		knows:    knows{spawn: launch},
	},
}
