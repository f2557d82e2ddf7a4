package clients

import (
	"fmt"
	"slices"

	"blue/errors"
)

// Entry is what `setup` writes: a command to start, or with a URL a server
// that runs already. Token is the server's bearer token, "" when it wants none.
type Entry struct {
	Command string   // absolute path of the running binary, links not resolved
	Args    []string // nil means ["mcp"]
	URL     string
	Token   string
	Quiet   bool // no hook asks for a note at the end
}

// tokenVariable is the variable that clients are told to take the token from.
const tokenVariable = "BLUE_TOKEN"

// windowFolder is how VS Code and its kin write the folder of the window. A
// server of the person's own file also starts in a window without one, where
// the client could not expand it.
const windowFolder = "${workspaceFolder}"

// pair is one member of an entry, in the order in which it is written. A once
// pair is written with a new entry and is the person's own from then on.
type pair struct {
	key   string
	value any // string, bool, int, []string, object, []any, or a slot
	once  bool
}

type object []pair

// slot stands in a shape for a part of the entry.
type slot int

const (
	command slot = iota
	arguments
	commandLine // command and arguments in one list
	url
	headers
)

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
func (f File) entry(e Entry) (object, error) {
	c := f.client
	if e.Args == nil {
		e.Args = []string{"mcp"}
	}
	if e.URL == "" {
		e.Command = f.command(e)
		members := c.shape.stdio.filled(e, nil)
		return slices.DeleteFunc(members, func(m pair) bool { return f.Scope == User && m.value == windowFolder }), nil
	}
	if c.shape.http == nil {
		return nil, errors.NoHTTP(c.Name)
	}
	if e.Token != "" && c.shape.bearer == "" && f.Scope == Project {
		return nil, errors.TokenInProject(c.Name, f.Path)
	}
	return c.shape.http.filled(e, c.shape.headers(e, f.Scope)), nil
}

// command is how the file names the program: it goes to other machines when it is
// the project's.
func (f File) command(e Entry) string {
	if f.Scope == Project {
		return Server
	}
	return e.Command
}

// headers returns those that carry the token and the project.
func (s shape) headers(e Entry, scope Scope) object {
	var list object
	switch {
	case e.Token == "":
	case s.bearer != "":
		list = append(list, pair{key: "Authorization", value: "Bearer " + s.bearer})
	default:
		list = append(list, pair{key: "Authorization", value: "Bearer " + e.Token})
	}
	if s.project != "" && (scope == Project || !s.window) {
		list = append(list, pair{key: "Blue-Project", value: s.project})
	}
	return list
}

// filled replaces the slots of a shape. A pair that stays empty is left out.
func (o object) filled(e Entry, head object) object {
	var full object
	for _, m := range o {
		switch m.value {
		case command:
			m.value = e.Command
		case arguments:
			m.value = e.Args
		case commandLine:
			m.value = append([]string{e.Command}, e.Args...)
		case url:
			m.value = e.URL
		case headers:
			if len(head) == 0 {
				continue
			}
			m.value = head
		case tokenVariable:
			if e.Token == "" {
				continue
			}
		}
		full = append(full, m)
	}
	return full
}

func (o object) find(key string) (any, bool) {
	i := slices.IndexFunc(o, func(m pair) bool { return m.key == key })
	if i < 0 {
		return nil, false
	}
	return o[i].value, true
}

// stale returns the keys of the present entry that contradict the wanted one.
func (o object) stale(present map[string]any, http bool) []string {
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

// satisfies reports whether the present entry needs no change.
func (o object) satisfies(present map[string]any, http bool) bool {
	for _, m := range o {
		if !m.once && !equal(m.value, present[m.key]) {
			return false
		}
	}
	return len(o.stale(present, http)) == 0
}

// equal compares a wanted value with a decoded one; an object is equal when
// each of its members is there.
func equal(want, have any) bool {
	switch want := want.(type) {
	case []string:
		list, ok := have.([]any)
		return ok && slices.EqualFunc(want, list, func(w string, h any) bool { return w == h })
	case []any:
		list, ok := have.([]any)
		return ok && slices.EqualFunc(want, list, equal)
	case object:
		members, ok := have.(map[string]any)
		return ok && !slices.ContainsFunc(want, func(m pair) bool { return !equal(m.value, members[m.key]) })
	case int:
		return fmt.Sprint(want) == fmt.Sprint(have)
	default:
		return want == have
	}
}
