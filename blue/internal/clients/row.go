package clients

import (
	"cmp"
	"io/fs"
	"slices"

	"blue/errors"
)

// The types of a row of the table, and of the files that it names. All other files of the
// package use them.

// Scope says to whom a file applies.
type Scope string

// Scopes of a file.
const (
	Project Scope = "project" // in the project and committed with it
	User    Scope = "user"    // the user's own, for all projects
	Local   Scope = "local"   // the user's own, for one project (Claude Code)
)

// Format is the syntax of a file.
type Format string

// Formats. JSONC is JSON with comments and trailing commas; Commented has only comments, as
// Gemini reads it. Markdown is a user's text that holds Blue's block; Script is a program and Guide
// a text that belong to Blue entirely.
const (
	JSON      Format = "json"
	JSONC     Format = "jsonc"
	Commented Format = "json with comments"
	TOML      Format = "toml"
	YAML      Format = "yaml"
	Markdown  Format = "markdown"
	Script    Format = "script"
	Guide     Format = "guide"
)

// Component is a part that Blue writes for a client.
type Component string

// Parts, in the order in which a file gets them.
const (
	MCP          Component = "mcp"          // the entry that starts or calls the server
	Hooks        Component = "hooks"        // commands that the client runs at its events
	Permission   Component = "permission"   // lets the model use the tools without asking
	Instructions Component = "instructions" // the block in a file that the model reads
	Skill        Component = "skill"        // the guide that the model may open when it needs it
)

// Components returns all parts.
func Components() []Component { return []Component{MCP, Hooks, Permission, Instructions, Skill} }

// String returns the part's name for people.
func (p Component) String() string {
	return map[Component]string{MCP: "MCP entry", Hooks: "hooks", Permission: "permission", Instructions: "context block", Skill: "skill"}[p]
}

// ConfigFile is one configuration file of a client.
type ConfigFile struct {
	Path      string
	Scope     Scope // files of scope Project are committed, others are not
	Format    Format
	Holds     []Component // parts that Blue writes in it
	Exists    bool
	PrintOnly bool // never edited, because the client rewrites it at any time, or it is YAML; see Print

	client   Client
	system   string   // that reads the file, as runtime.GOOS; "" for a project's
	top      string   // the project, which no link may leave, or the home; see removeEmpty
	at       []string // keys that lead to the servers
	readOnly bool     // doctor reads it, setup writes another file of the scope
	list     bool     // the servers are a list of objects with names
}

// Mode returns the mode for a new file. A user's own file may hold a token and is private.
func (f ConfigFile) Mode() fs.FileMode {
	if f.Scope == Project {
		return 0o644
	}
	return 0o600
}

// Client is one row of the table.
type Client struct {
	Name  string // as on the command line of `blue setup`
	Title string // the client's name for people

	programs []string  // programs on PATH if the client is installed
	fromRoot Component // part found only if started in the project's root; MCP for all
	files    []where   // files that hold entries
	shape    shape
	hooks    hooks
	permit   permission
	reads    reading
	skills   []where // one per scope, none for a client that reads no skills
	knows    knows
	adds     vendor
	notes    []note
	plugins  []where // files in which the client keeps what plugins it has
}

// note is a remark for one case: a scope, "stdio", "http", "hooks", or "" for all.
type note struct{ when, text string }

// where is one file of a row. Its path is base joined with the slash-separated names in below;
// servers overrides the keys that lead to the entries.
type where struct {
	ConfigFile
	base    func(Environment) string
	below   string
	servers func(Environment) []string
}

// hooks describes where a client keeps hooks, and how it spells them. A client without hooks
// has no files.
type hooks struct {
	files   []where // one per scope
	version int     // written at the top of the file; 0 for none
	sh      bool    // in a project's file they are lines for a POSIX shell alone
	key     string  // of the object that has a list for each event, if not "hooks"
	form    func(r run, e event) any
	events  []event
	plugin  string // the script's name in the list "plugin" of the project's file with the entry

	start object // the event that begins a session; nil for that of Claude Code
}

// event is an event of a client, with the tools that it applies to. At a nudge event the agent
// may be asked for a note before its turn ends.
type event struct {
	name, matcher string
	nudge         bool
}

// permission is the client's setting that lets the model use the tools unasked: a value in a
// list of the file with the hooks, or members in or below the entry.
type permission struct {
	list    []string
	below   []string
	members object
}

// agentsFile is the instructions file of a project that most clients read.
const agentsFile = "AGENTS.md"

// reading says which instructions file of a project a client reads, if not agentsFile: the file
// name, or one that the client's settings name. If one of the instead files exists and does not
// import AGENTS.md, the client reads only that one.
type reading struct {
	none     bool
	name     string
	settings bool
	instead  []string
}

// knows describes what a client tells a server.
type knows struct {
	roots      bool  // declares roots, and answers with the project
	codex      bool  // sends the directory in the _meta of each call
	spawn      spawn // where it starts a server
	userSpawn  spawn // the same for an entry in the user's own file, if different
	cwdIgnored bool  // the member cwd of an entry has no effect
}

// spawn is a directory in words; in tells whether it is in the project.
type spawn struct {
	text string
	in   bool
}

// vendor is the client's own command that adds an entry, for each transport; "" if it has none.
// Words in capitals stand for parts of the entry. Header is a flag and its value, separated by
// a bar, for an entry with a token.
type vendor struct {
	stdio, http, header string
	userOnly            bool
}

// shape describes how a client spells an entry.
type shape struct {
	at      []string // keys that lead to the servers
	bare    bool     // the file may also hold the servers at the top level
	stdio   object
	http    object // nil: the client supports no HTTP servers
	bearer  string // the client's reference to the token variable; "" if it expands none
	project string // value of the header Blue-Project in client variables; "" for none
	window  bool   // project depends on the window: only for the project's own file
	input   bool   // bearer refers to a prompt that must be in "inputs" (VS Code)
}

// slot is a placeholder in a shape for a part of the entry.
type slot int

const (
	command slot = iota
	arguments
	commandLine // command and arguments in one list
	url
	headers
)

// directory is the placeholder in an event for the directory in which a session begins.
const directory = "DIRECTORY"

// Server is the name of Blue's entry in every file. It has no "_", at which Gemini splits
// names, and is none of the names that clients reserve.
const Server = "blue"

// Environment is where the files of clients are looked up. Env returns the documented variables
// of the clients (APPDATA, LOCALAPPDATA, XDG_CONFIG_HOME, CLAUDE_CONFIG_DIR, CODEX_HOME,
// CLINE_MCP_SETTINGS_PATH) and PATH; nil means that none is set.
type Environment struct {
	Home    string
	Project string // the project's root, "" without one
	OS      string // as runtime.GOOS
	Env     func(string) string
}

// tokenVariable is the variable from which clients take the token.
const tokenVariable = "BLUE_TOKEN"

// windowFolder is the folder of the window in VS Code and its derivatives. It is omitted in the
// user's own file, whose server also starts in a window without a folder, where the client
// could not expand it.
const windowFolder = "${workspaceFolder}"

// Entry is what `setup` writes: a command to start or, with a URL, a running server. Token is
// the server's bearer token, "" if it requires none.
type Entry struct {
	Command string   // absolute path of the running binary, without resolving links
	Args    []string // nil means ["mcp"]
	URL     string
	Token   string
	Quiet   bool // omit the hook that asks for a note at the end
}

// Keys and types of the two transports of all clients. Keys of one transport contradict an
// entry of the other, and only one key may name the URL.
var (
	stdioKeys  = []string{"command", "args", "cmd", "env", "envs", "environment", "env_vars", "cwd"}
	urlKeys    = []string{"url", "httpUrl", "serverUrl", "uri"}
	headerKeys = []string{"headers", "requestOptions", "http_headers", "env_http_headers", "bearer_token", "bearer_token_env_var"}
	stdioTypes = []string{"stdio", "local"}
	httpTypes  = []string{"http", "streamable-http", "streamableHttp", "streamable_http", "remote"}
)

// entry returns the members to write into f.
func (f ConfigFile) entry(e Entry) (object, error) {
	c := f.client
	if e = f.completed(e); e.URL == "" {
		members := fillSlots(c.shape.stdio, e, nil)
		return slices.DeleteFunc(members, func(m pair) bool { return f.Scope == User && m.Value == windowFolder }), nil
	}
	if c.shape.http == nil {
		return nil, errors.E(errors.Invalid, "the configuration file of %s takes no HTTP server", c.Name).
			Hint("setup", c.Name, "write an entry that starts Blue instead")
	}
	if e.Token != "" && c.shape.bearer == "" && f.Scope == Project {
		return nil, errors.E(errors.SecretDetected,
			"left %s untouched: %s expands no variables, so the token would be committed", errors.Quote(f.Path), c.Name).
			Hint("setup", c.Name+" --scope user", "write the entry in the user's own file").
			Hint("setup", c.Name, "or write an entry that starts Blue and needs no token")
	}
	return fillSlots(c.shape.http, e, c.shape.headers(e, f.Scope)), nil
}

// completed returns the entry with default arguments. In a project's file, which goes to other
// machines, it replaces the path of the program by its name.
func (f ConfigFile) completed(e Entry) Entry {
	if e.Args == nil {
		e.Args = []string{"mcp"}
	}
	if f.Scope == Project {
		e.Command = Server
	}
	return e
}

// headers returns the headers that carry the token and the project.
func (s shape) headers(e Entry, scope Scope) object {
	var list object
	if e.Token != "" {
		list = obj("Authorization", "Bearer "+cmp.Or(s.bearer, e.Token))
	}
	if s.project != "" && (scope == Project || !s.window) {
		list = append(list, obj("Blue-Project", s.project)...)
	}
	return list
}

// fillSlots replaces the slots of a shape. It omits pairs that would be empty.
func fillSlots(o object, e Entry, head object) object {
	var full object
	for _, m := range o {
		switch m.Value {
		case command:
			m.Value = e.Command
		case arguments:
			m.Value = e.Args
		case commandLine:
			m.Value = append([]string{e.Command}, e.Args...)
		case url:
			m.Value = e.URL
		case headers:
			if len(head) == 0 {
				continue
			}
			m.Value = head
		case tokenVariable:
			if e.Token == "" {
				continue
			}
		}
		full = append(full, m)
	}
	return full
}

// staleKeys returns the keys of the present entry that contradict the wanted one.
func staleKeys(o object, present map[string]any, http bool) []string {
	rivals, types := slices.Concat(urlKeys, headerKeys), stdioTypes
	if http {
		rivals, types = slices.Concat(urlKeys, stdioKeys), httpTypes
	}
	if kind, ok := present["type"].(string); ok && !slices.Contains(types, kind) {
		rivals = append(rivals, "type")
	}
	return slices.DeleteFunc(rivals, func(key string) bool {
		_, there := present[key]
		_, wanted := o.find(key)
		return wanted || !there
	})
}
