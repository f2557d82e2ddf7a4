package clients

import (
	"maps"
	neturl "net/url"
	"slices"
	"strings"
)

// Registered is an entry found in a file, as `doctor` shows it. It holds only the names of
// variables and headers, never their values.
type Registered struct {
	Name     string
	Command  string
	Args     []string
	URL      string
	Cwd      string
	Env      []string // names of variables, sorted
	Headers  []string // names of headers, sorted
	Disabled bool
}

// Entries returns what Read finds in the file, nothing if it does not exist.
func (f ConfigFile) Entries() ([]Registered, error) {
	if !f.Exists {
		return nil, nil
	}
	data, err := Load(f.Path)
	if err != nil {
		return nil, err
	}
	return f.Read(data)
}

// Read returns the entries of data whose names start with "blue", ignoring case, sorted by
// name. The kind of its error is Untouched if data does not parse.
func (f ConfigFile) Read(data []byte) ([]Registered, error) {
	plain, err := f.parse(data)
	if err != nil {
		return nil, f.refused(err)
	}
	found := []Registered{}
	servers := f.servers(plain)
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if entry, ok := servers[name].(map[string]any); ok && strings.HasPrefix(strings.ToLower(name), Server) {
			found = append(found, registered(name, entry))
		}
	}
	return found, nil
}

// servers returns the servers in a decoded file, by name.
func (f ConfigFile) servers(plain any) map[string]any {
	at := dig(plain, f.path(plain)...)
	if !f.list {
		servers, _ := at.(map[string]any)
		return servers
	}
	servers := map[string]any{}
	entries, _ := at.([]any)
	for _, e := range entries {
		if entry, ok := e.(map[string]any); ok {
			name, _ := entry["name"].(string)
			servers[name] = entry
		}
	}
	return servers
}

func registered(name string, entry map[string]any) Registered {
	r := Registered{Name: name, Args: []string{}}
	words := append(list(entry["command"]), list(entry["cmd"])...)
	words = append(words, list(entry["args"])...)
	if len(words) > 0 {
		r.Command, r.Args = words[0], words[1:]
	}
	for _, key := range urlKeys {
		if text, ok := entry[key].(string); ok && r.URL == "" {
			r.URL = text
		}
	}
	r.Cwd, _ = entry["cwd"].(string)
	r.Env = names(entry, "env", "envs", "environment")
	r.Headers = names(entry, "headers", "http_headers", "env_http_headers")
	r.Disabled = entry["disabled"] == true || entry["enabled"] == false
	return r
}

// list returns the strings in v, a string or a list of strings.
func list(v any) []string {
	if text, ok := v.(string); ok {
		return []string{text}
	}
	texts := []string{}
	items, _ := v.([]any)
	for _, item := range items {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

func names(entry map[string]any, keys ...string) []string {
	all := []string{}
	for _, key := range keys {
		members, _ := entry[key].(map[string]any)
		all = slices.AppendSeq(all, maps.Keys(members))
	}
	slices.Sort(all)
	return all
}

// IsBlue reports whether the entry starts or calls Blue: the program is named blue or blue-notes, or is run
// by a wrapper and serves; or the URL ends in /mcp, and the entry is named blue or the URL is on this
// machine or names a project; or a header names one. An entry with neither command nor URL counts as a
// draft for Blue.
func (r Registered) IsBlue() bool {
	if r.URL != "" {
		return r.callsBlue()
	}
	if r.Command == "" || namesBlue(r.Command) {
		return true
	}
	i := slices.IndexFunc(r.Args, namesBlue)
	return i >= 0 && Registered{Command: r.Command, Args: r.Args[i:]}.Serves()
}

// Serves reports whether the arguments make Blue serve: they have the word mcp, or docker runs the image
// without a verb.
func (r Registered) Serves() bool {
	last := len(r.Args) - 1
	return slices.Contains(r.Args, "mcp") || program(r.Command) == "docker" && last >= 0 && namesBlue(r.Args[last])
}

func (r Registered) callsBlue() bool {
	u, err := neturl.Parse(r.URL)
	if err != nil || r.namesProject() {
		return err == nil
	}
	return isEndpoint(u) && (r.Name == Server || slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname()))
}

func isEndpoint(u *neturl.URL) bool { return strings.TrimSuffix(u.Path, "/") == "/mcp" }

// namesProject reports whether calls over HTTP carry the project.
func (r Registered) namesProject() bool {
	u, err := neturl.Parse(r.URL)
	return slices.Contains(r.Headers, "Blue-Project") || err == nil && (u.Query().Has("project_path") || u.Query().Has("project") && isEndpoint(u))
}

// leadsTo reports whether the entry has the same command or URL as e.
func (r Registered) leadsTo(e Entry) bool {
	return r.URL != "" && r.URL == e.URL || r.URL == "" && r.Command == e.Command
}

// namesBlue reports whether a word of a command line names the program, or the package for npm.
func namesBlue(word string) bool { return program(word) == Server || program(word) == "blue-notes" }

// program returns the name of the program, package or image that a word of a command line refers to,
// without the version.
func program(word string) string {
	name, _, _ := strings.Cut(word[strings.LastIndexAny(word, `/\`)+1:], "@")
	name, _, _ = strings.Cut(name, ":")
	return strings.TrimSuffix(strings.ToLower(name), ".exe")
}

// starts returns what the entry runs or calls, for a message. It omits arguments, which may
// hold secrets.
func (r Registered) starts() string {
	if r.URL == "" {
		return r.Command
	}
	u, err := neturl.Parse(r.URL)
	if err != nil {
		return "a URL"
	}
	return u.Scheme + "://" + u.Host
}

// Launch describes where a client starts the server of an entry, and what will name the project
// of calls that do not pass `cwd`.
type Launch struct {
	Spawn string // the server's working directory, in words; "" over HTTP
	Name  string // as in docs/detection.md; "argument" if only `cwd` of each call can
}

// OnlyCwd reports whether only the argument `cwd` names the project.
func (s Launch) OnlyCwd() bool { return s.Name == "argument" }

var (
	launch    = spawn{"the directory in which the client was started", true}
	session   = spawn{"the directory of the session", true}
	folder    = spawn{"the first folder of the window", true}
	worktree  = spawn{"the root of the first worktree of the window", true}
	homeDir   = spawn{"the home directory", false}
	elsewhere = spawn{"/ or the directory in which the client is installed", false}
	systemDir = spawn{"/, on Windows C:\\WINDOWS\\system32", false}
	unknown   = spawn{"not known, so not to be relied on", false}
)

// Source returns which source will name the project for an entry of the scope.
func (c Client) Source(scope Scope, r Registered) Launch {
	k, at := c.knows, c.knows.spawn
	switch {
	case r.URL != "":
		at = spawn{}
	case r.Cwd != "" && !k.cwdIgnored:
		at = spawn{r.Cwd, true}
	case scope == User && k.userSpawn.text != "":
		at = k.userSpawn
	}
	pinned := func(arg string) bool { return arg == "--project" || strings.HasPrefix(arg, "--project=") }
	name := "argument"
	switch {
	case r.URL == "" && slices.ContainsFunc(r.Args, pinned):
		name = "flag"
	case k.codex:
		name = "codex"
	case k.roots:
		name = "roots"
	case r.URL == "" && slices.Contains(r.Env, "BLUE_PROJECT"):
		name = "env"
	case r.URL != "" && r.namesProject():
		name = "query"
	case at.in:
		name = "cwd"
	}
	return Launch{at.text, name}
}
