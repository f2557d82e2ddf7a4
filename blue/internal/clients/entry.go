package clients

import (
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
func (f File) completed(e Entry) Entry {
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
	switch {
	case e.Token == "":
	case s.bearer != "":
		list = append(list, pair{Key: "Authorization", Value: "Bearer " + s.bearer})
	default:
		list = append(list, pair{Key: "Authorization", Value: "Bearer " + e.Token})
	}
	if s.project != "" && (scope == Project || !s.window) {
		list = append(list, pair{Key: "Blue-Project", Value: s.project})
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
