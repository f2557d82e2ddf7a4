package clients

import (
	"cmp"
	"io/fs"
	"slices"

	"blue/errors"
)

// The form of a row of the table, and of the files that it names. All other files of the
// room read it, and it reads none of them.

// Scope says for whom a file counts.
type Scope string

// Scopes of a file.
const (
	Project Scope = "project" // lies in the project and is committed with it
	User    Scope = "user"    // the person's own, for all projects
	Local   Scope = "local"   // the person's own, for one project (Claude Code)
)

// Format is the language of a file.
type Format string

// Formats. JSONC is JSON with comments and trailing commas; Commented has
// comments alone, as Gemini reads it. Markdown is a person's text in which Blue
// keeps a block, Script a program that is Blue's from the first byte to the last.
const (
	JSON      Format = "json"
	JSONC     Format = "jsonc"
	Commented Format = "json with comments"
	TOML      Format = "toml"
	YAML      Format = "yaml"
	Markdown  Format = "markdown"
	Script    Format = "script"
)

// Component is a thing that Blue writes for a client.
type Component string

// Parts, in the order in which a file gets them.
const (
	MCP          Component = "mcp"          // the entry that starts or calls the server
	Hooks        Component = "hooks"        // commands that the client runs at its events
	Permission   Component = "permission"   // to use the tools without a question
	Instructions Component = "instructions" // the block in a file that the model reads
)

// String is how people call the part.
func (p Component) String() string {
	return map[Component]string{MCP: "MCP entry", Hooks: "hooks", Permission: "permission", Instructions: "context block"}[p]
}

// ConfigFile is one configuration file of a client.
type ConfigFile struct {
	Path      string
	Scope     Scope // a Project file is committed, the others are not
	Format    Format
	Holds     []Component // what Blue writes in it
	Exists    bool
	PrintOnly bool // never edited, because the client rewrites it at will; see Print

	client   Client
	top      string   // the project, out of which no link leads, or the home: directories below go when they are empty
	at       []string // keys that lead to the servers
	readOnly bool     // doctor reads it, setup takes another one of that scope
	list     bool     // the servers are a list of objects with a name
}

// Mode is the mode for a file that does not exist yet: a person's own file may
// hold a token.
func (f ConfigFile) Mode() fs.FileMode {
	if f.Scope == Project {
		return 0o644
	}
	return 0o600
}

// Client is one row of the table.
type Client struct {
	Name  string // as `blue setup` takes it
	Title string // as people call it

	programs []string  // on PATH, where the client is installed
	fromRoot Component // found in a project only when the client is started in the root; MCP for all
	files    []where   // that hold entries
	shape    shape
	hooks    hooks
	permit   permission
	reads    reading
	knows    knows
	adds     vendor
	notes    []note
}

// note is a remark for one case: a scope, "stdio", "http", "hooks", or "" for all.
type note struct{ when, text string }

// where is one file of a row. The path is built from base, below which lie the
// slash-separated names; servers overrides where the entries stand in it.
type where struct {
	ConfigFile
	base    func(Environment) string
	below   string
	servers func(Environment) []string
}

// hooks says where a client keeps hooks, and how it spells them. A client with
// none has no files.
type hooks struct {
	files   []where // one a scope
	version int     // at the top of the file; 0 for none
	form    func(command, client string, e event) any
	events  []event
	plugin  string // the script, as a list "plugin" in the project's file of the entry names it

	start object // the event that begins a session in the directory; nil for that of Claude Code
}

// event is one of the client's, with the tools that it is for. At that of a nudge the
// agent may be asked for a note before its turn ends.
type event struct {
	name, matcher string
	nudge         bool
}

// permission is the client's entry that lets the model use the tools unasked: a
// value in a list of the file of the hooks, or members in or below the entry.
type permission struct {
	list    []string
	below   []string
	members object
}

// agentsFile is the file of a project that most clients take instructions from.
const agentsFile = "AGENTS.md"

// reading says which file of a project a client takes instructions from, if not agentsFile: the
// one of that name, or one that the settings of the client name. Where one of the instead files
// exists and does not import AGENTS.md, the client reads that one alone.
type reading struct {
	none     bool
	name     string
	settings bool
	instead  []string
}

// knows is what a client tells a server.
type knows struct {
	roots      bool  // declares roots and answers with the project
	codex      bool  // names the directory in the _meta of each call
	spawn      spawn // where it starts a server
	userSpawn  spawn // the same for an entry of the person's own file, when that differs
	cwdIgnored bool  // the member cwd of an entry has no effect
}

// spawn is a directory in words; in tells whether it lies in the project.
type spawn struct {
	text string
	in   bool
}

// vendor is the client's own command that adds an entry, for each way; "" where it has
// none. Words in capitals stand for parts of the entry. Header is a flag and its value,
// with a bar between them, for an entry with a token.
type vendor struct {
	stdio, http, header string
	userOnly            bool
}

// shape says how a client spells an entry.
type shape struct {
	at      []string // keys that lead to the servers
	bare    bool     // the file may also hold the servers at its top
	stdio   object
	http    object // nil: the file takes none
	bearer  string // how the client is told the token's variable; "" when it expands none
	project string // header Blue-Project, in variables of the client; "" when it cannot carry one
	window  bool   // project is one window's: only for the project's own file
	input   bool   // bearer refers to a prompt that must stand in "inputs" (VS Code)
}

// slot stands in a shape for a part of the entry.
type slot int

const (
	command slot = iota
	arguments
	commandLine // command and arguments in one list
	url
	headers
)

// directory stands in an event for the one in which a session begins.
const directory = "DIRECTORY"

// Server is the name of Blue's entry in every file: no "_", which Gemini
// splits names on, and none of the names that clients reserve.
const Server = "blue"

// Environment is where to look. Env answers for documented variables of the clients
// (APPDATA, LOCALAPPDATA, XDG_CONFIG_HOME, CLAUDE_CONFIG_DIR, CODEX_HOME,
// CLINE_MCP_SETTINGS_PATH); nil means that none is set.
type Environment struct {
	Home    string
	Project string // the project's root, "" without one
	OS      string // as runtime.GOOS
	Env     func(string) string
}

// tokenVariable is the variable that clients are told to take the token from.
const tokenVariable = "BLUE_TOKEN"

// windowFolder is how VS Code and its kin write the folder of the window. A
// server of the person's own file also starts in a window without one, where
// the client could not expand it.
const windowFolder = "${workspaceFolder}"

// Entry is what `setup` writes: a command to start, or with a URL a server
// that runs already. Token is the server's bearer token, "" when it wants none.
type Entry struct {
	Command string   // absolute path of the running binary, links not resolved
	Args    []string // nil means ["mcp"]
	URL     string
	Token   string
	Quiet   bool // no hook asks for a note at the end
}

// Keys and types of the two transports, over all clients. Those of the one
// contradict an entry of the other, and only one key may name the URL.
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
			"left %q untouched: %s expands no variables, so the token would be committed", f.Path, c.Name).
			Hint("setup", c.Name+" --scope user", "write the entry in the user's own file").
			Hint("setup", c.Name, "or write an entry that starts Blue and needs no token")
	}
	return fillSlots(c.shape.http, e, c.shape.headers(e, f.Scope)), nil
}

// completed is the entry with its arguments and the name of the program in the file, which
// goes to other machines when it is the project's.
func (f ConfigFile) completed(e Entry) Entry {
	if e.Args == nil {
		e.Args = []string{"mcp"}
	}
	if f.Scope == Project {
		e.Command = Server
	}
	return e
}

// headers returns those that carry the token and the project.
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

// fillSlots replaces the slots of a shape. A pair that stays empty is left out.
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
