package clients

// userRows are the clients with files of the person alone, and those that few
// people use.
var userRows = []Client{
	{
		Name: "windsurf", Title: "Windsurf",
		files: []where{{scope: User, base: home, below: ".codeium/windsurf/mcp_config.json", format: JSON}},
		shape: shape{
			at: servers, stdio: formA, bearer: "${env:BLUE_TOKEN}",
			http: object{{Key: "serverUrl", Value: url}, {Key: "headers", Value: headers}},
		},
		programs: []string{"windsurf"},
		reads:    agentsFile,
		knows:    knows{spawn: unknown},
		notes:    []note{{"http", setsToken}},
	},
	{
		Name: "cline", Title: "Cline",
		files: []where{
			{scope: User, base: clineFile, format: JSON},
			{scope: User, base: codeDir, below: "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", format: JSON},
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
		notes:    []note{{"http", setsToken}},
	},
	{
		Name: "goose", Title: "Goose",
		files:    []where{{scope: User, base: gooseDir, below: "config.yaml", format: YAML}},
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
			{scope: Project, base: project, below: ".github/mcp.json", format: JSON},
			{scope: Project, base: project, below: ".mcp.json", format: JSON, readOnly: true}, // Claude Code's, with another type
			{scope: User, base: home, below: ".copilot/mcp-config.json", format: JSON},
		},
		programs: []string{"copilot"}, fromRoot: MCP,
		hooks: hooks{form: shellsHook, version: 1, events: copilotEvents, files: []where{
			{scope: Project, base: project, below: ".github/hooks/blue.json", format: JSON},
			{scope: User, base: home, below: ".copilot/hooks/blue.json", format: JSON},
		}},
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
		files: []where{
			{scope: Project, base: project, below: ".kiro/settings/mcp.json", format: JSON},
			{scope: User, base: home, below: ".kiro/settings/mcp.json", format: JSON},
		},
		programs: []string{"kiro", "kiro-cli"},
		reads:    agentsFile,
		shape: shape{
			at: servers, bearer: "${BLUE_TOKEN}",
			stdio: also(formA, pair{Key: "disabled", Value: false, Once: true}),
			http:  also(formAHTTP, pair{Key: "disabled", Value: false, Once: true}),
		},
		knows: knows{spawn: folder, userSpawn: elsewhere},
		adds:  vendor{stdio: "kiro-cli mcp add --name blue --scope WORKSPACE --command PROGRAM ARGS"},
		notes: []note{{"http", setsToken + " and approve it in Kiro"}},
	},
	{
		Name: "junie", Title: "Junie",
		files: []where{
			{scope: Project, base: project, below: ".junie/mcp/mcp.json", format: JSON},
			{scope: User, base: home, below: ".junie/mcp/mcp.json", format: JSON},
		},
		programs: []string{"junie"},
		reads:    agentsFile,
		shape:    shape{at: servers, stdio: formA, http: formAHTTP},
		knows:    knows{spawn: unknown},
	},
	{
		Name: "lm-studio", Title: "LM Studio",
		files: []where{{scope: User, base: home, below: ".lmstudio/mcp.json", format: JSON}},
		shape: shape{at: servers, stdio: formA, http: formAHTTP},
		knows: knows{spawn: unknown},
	},
	{
		Name: "claude-desktop", Title: "Claude Desktop",
		files: []where{{scope: User, base: appData, below: "Claude/claude_desktop_config.json", format: JSON}},
		shape: shape{at: servers, stdio: formA},
		knows: knows{spawn: systemDir, cwdIgnored: true},
		notes: []note{{"", "for one project alone, --project DIR may stand in args"}},
	},
	{
		Name: "roo", Title: "Roo Code",
		files: []where{
			{scope: Project, base: project, below: ".roo/mcp.json", format: JSON},
			{scope: User, base: codeDir, below: "globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", format: JSON},
		},
		shape: shape{
			at: servers, stdio: formA, http: typed("streamable-http", formAHTTP),
			bearer: "${env:BLUE_TOKEN}", project: windowFolder,
		},
		reads: agentsFile,
		knows: knows{spawn: folder},
		notes: []note{{"http", setsToken}},
	},
	{
		Name: "continue", Title: "Continue",
		files: []where{
			{scope: Project, base: project, below: ".continue/mcpServers/blue.json", format: JSON},
			{scope: Project, base: project, below: ".continue/mcpServers/blue.yaml", format: YAML, readOnly: true, list: true},
			{scope: User, base: home, below: ".continue/config.yaml", format: YAML, readOnly: true, list: true},
		},
		programs: []string{"cn"},
		shape:    shape{at: servers, stdio: formA, http: formAHTTP},
		reads:    agentsFile,
		knows:    knows{spawn: folder},
	},
	{
		Name: "amazon-q", Title: "Amazon Q CLI",
		files:    []where{{scope: User, base: home, below: ".aws/amazonq/mcp.json", format: JSON}},
		programs: []string{"qchat"},
		shape:    shape{at: servers, stdio: formA},
		reads:    agentsFile,
		knows:    knows{spawn: launch},
	},
}
