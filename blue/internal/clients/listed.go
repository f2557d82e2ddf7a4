package clients

import (
	"slices"

	"blue/blue/internal/config"
)

// listed is a value that Blue keeps in a list of a JSON file: a hook, a permission,
// or the prompt by which VS Code asks for a token.
type listed struct {
	config.Listed
	part  Part
	nudge bool // it is the hook that asks for a note
}

// lists returns what Blue keeps in lists of the file for an entry with the members
// of want, and what it keeps there no longer. Without want it is all of it.
func (f File) lists(plain any, e Entry, want object) (all []listed) {
	c := f.client
	if f.holds(MCP) && c.shape.input && (want == nil || refersToken(want)) { // another entry may refer to it too
		all = append(all, listed{part: MCP, Listed: config.Listed{Path: []string{"inputs"}, Want: tokenPrompt, Ours: isPrompt}})
	}
	if f.holds(Hooks) && c.hooks.plugin != "" {
		all = append(all, listed{part: Hooks, Listed: config.Listed{Path: []string{"plugin"}, Want: c.hooks.plugin, Ours: func(v any) bool { return v == c.hooks.plugin }}})
	} else if f.holds(Hooks) {
		all = append(all, f.hookLists(plain, e)...)
	}
	if f.holds(Permission) && c.permit.list != nil {
		all = append(all, c.permit.listed())
	}
	return all
}

// hookLists are those of the events that the client has, and of others in which a
// hook of Blue stands.
func (f File) hookLists(plain any, e Entry) (all []listed) {
	h := f.client.hooks
	for _, ev := range h.events {
		l := listed{part: Hooks, nudge: ev.nudge, Listed: config.Listed{Path: []string{"hooks", ev.name}, Ours: isHook}}
		if !ev.nudge || !e.Quiet {
			l.Want = h.form(f.completed(e).Command, f.client.Name, ev)
		}
		all = append(all, l)
	}
	present, _ := config.Dig(plain, []string{"hooks"}).(map[string]any)
	for name, list := range present {
		known := slices.ContainsFunc(h.events, func(ev event) bool { return ev.name == name })
		if values, ok := list.([]any); ok && !known && slices.ContainsFunc(values, isHook) {
			all = append(all, listed{part: Hooks, Listed: config.Listed{Path: []string{"hooks", name}, Ours: isHook}})
		}
	}
	return all
}

// promptID names the input by which VS Code asks the person for a token.
const promptID = "blue-token"

var tokenPrompt = object{
	{Key: "type", Value: "promptString"}, {Key: "id", Value: promptID},
	{Key: "description", Value: "Token of Blue"}, {Key: "password", Value: true},
}

// refersToken reports whether the entry refers to the prompt.
func refersToken(entry object) bool {
	headers, _ := entry.Find("headers")
	list, _ := headers.(object)
	_, token := list.Find("Authorization")
	return token
}

func isPrompt(v any) bool {
	members, ok := v.(map[string]any)
	return ok && members["id"] == promptID
}

func (p permission) listed() listed {
	const tools = "mcp__" + Server
	return listed{part: Permission, Listed: config.Listed{Path: p.list, Want: tools, Ours: func(v any) bool { return v == tools }}}
}
