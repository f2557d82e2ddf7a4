package clients

// userRows are the clients with files of the person alone, and those that few
// people use.
var userRows = []Client{
	{
		Name: "windsurf", Title: "Windsurf",
		files: []where{ofUser(home, ".codeium/windsurf/mcp_config.json", JSON)},
		shape: shape{
			at: servers, stdio: formA, bearer: "${env:BLUE_TOKEN}",
			http: object{{Key: "serverUrl", Value: url}, {Key: "headers", Value: headers}},
		},
		programs: []string{"windsurf"},
		reads:    agentsFile,
		knows:    knows{spawn: unknown},
	},
	{
		Name: "cline", Title: "Cline",
		files: []where{
			ofUser(clineFile, "", JSON),
			ofUser(codeDir, "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", JSON),
		},
		shape: shape{
			at: servers, bearer: "${env:BLUE_TOKEN}",
			stdio: also(typedStdio, pair{Key: "timeout", Value: 60, Once: true}),
			http:  also(typed("streamableHttp", formAHTTP), pair{Key: "timeout", Value: 60, Once: true}),
		},
		programs: []string{"cline"},
		reads:    agentsFile,
		knows:    knows{spawn: elsewhere},
		adds:     vendor{stdio: "cline mcp install blue --yes -- COMMAND"},
	},
	{
		Name: "goose", Title: "Goose",
		files:    []where{ofUser(gooseDir, "config.yaml", YAML)},
		programs: []string{"goose"},
		reads:    agentsFile,
		shape: shape{
			at: []string{"extensions"},
			stdio: object{
				{Key: "name", Value: Server}, {Key: "type", Value: "stdio"}, {Key: "cmd", Value: command}, {Key: "args", Value: arguments},
				{Key: "envs", Value: object{}, Once: true}, {Key: "enabled", Value: true, Once: true}, {Key: "timeout", Value: 300, Once: true},
			},
			http: object{
				{Key: "name", Value: Server}, {Key: "type", Value: "streamable_http"}, {Key: "uri", Value: url}, {Key: "headers", Value: headers},
				{Key: "enabled", Value: true, Once: true}, {Key: "timeout", Value: 300, Once: true},
			},
		},
		knows: knows{roots: true, spawn: session},
	},
	{
		Name: "copilot-cli", Title: "GitHub Copilot CLI",
		files: []where{
			inProject(".github/mcp.json", JSON),
			{File: File{Scope: Project, Format: JSON, readOnly: true}, base: project, below: ".mcp.json"}, // Claude Code's, with another type
			ofUser(home, ".copilot/mcp-config.json", JSON),
		},
		programs: []string{"copilot"}, fromRoot: MCP,
		hooks: hooks{form: shellsHook, version: 1, events: copilotEvents, start: copilotStart, files: []where{inProject(".github/hooks/blue.json", JSON), ofUser(home, ".copilot/hooks/blue.json", JSON)}},
		reads: agentsFile,
		shape: shape{
			at: servers, bare: true,
			stdio: also(typed("local", formA), pair{Key: "tools", Value: []string{"*"}, Once: true}),
			http:  also(typedHTTP, pair{Key: "tools", Value: []string{"*"}, Once: true}),
		},
		knows: knows{spawn: session},
		adds:  vendor{stdio: "copilot mcp add blue -- COMMAND", userOnly: true},
		notes: []note{{string(Project), "Copilot reads it only inside a git repository and in a folder that it was told to trust"}},
	},
	{
		Name: "kiro", Title: "Kiro",
		files:    []where{inProject(".kiro/settings/mcp.json", JSON), ofUser(home, ".kiro/settings/mcp.json", JSON)},
		programs: []string{"kiro", "kiro-cli"},
		reads:    agentsFile,
		shape: shape{
			at: servers, bearer: "${BLUE_TOKEN}",
			stdio: also(formA, pair{Key: "disabled", Value: false, Once: true}),
			http:  also(formAHTTP, pair{Key: "disabled", Value: false, Once: true}),
		},
		knows: knows{spawn: folder, userSpawn: elsewhere},
		adds:  vendor{stdio: "kiro-cli mcp add --name blue --scope WORKSPACE --command PROGRAM ARGS"},
		notes: []note{{"http", "approve the variable BLUE_TOKEN in Kiro"}},
	},
	{
		Name: "junie", Title: "Junie",
		files:    []where{inProject(".junie/mcp/mcp.json", JSON), ofUser(home, ".junie/mcp/mcp.json", JSON)},
		programs: []string{"junie"},
		reads:    agentsFile,
		shape:    shape{at: servers, stdio: formA, http: formAHTTP},
		knows:    knows{spawn: unknown},
	},
	{
		Name: "lm-studio", Title: "LM Studio",
		files: []where{ofUser(home, ".lmstudio/mcp.json", JSON)},
		shape: shape{at: servers, stdio: formA, http: formAHTTP},
		knows: knows{spawn: unknown},
	},
	{
		Name: "claude-desktop", Title: "Claude Desktop",
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
		reads: agentsFile,
		knows: knows{spawn: folder},
	},
	{
		Name: "continue", Title: "Continue",
		files: []where{
			inProject(".continue/mcpServers/blue.json", JSON),
			{File: File{Scope: Project, Format: YAML, readOnly: true, list: true}, base: project, below: ".continue/mcpServers/blue.yaml"},
			{File: File{Scope: User, Format: YAML, readOnly: true, list: true}, base: home, below: ".continue/config.yaml"},
		},
		programs: []string{"cn"},
		shape:    shape{at: servers, stdio: formA, http: formAHTTP},
		reads:    agentsFile,
		knows:    knows{spawn: folder},
	},
	{
		Name: "amazon-q", Title: "Amazon Q CLI",
		files:    []where{ofUser(home, ".aws/amazonq/mcp.json", JSON)},
		programs: []string{"qchat"},
		shape:    shape{at: servers, stdio: formA},
		reads:    agentsFile,
		knows:    knows{spawn: launch},
	},
}
