package clients

import "slices"

// lists returns what Blue keeps in lists of the file for an entry with the members
// of want, and what it keeps there no longer. Without want it is all of it.
func (f File) lists(plain any, e Entry, want object) (all []piece) {
	c := f.client
	if f.holds(MCP) && c.shape.input && (want == nil || refersToken(want)) { // another entry may refer to it too
		all = append(all, piece{part: MCP, path: []string{"inputs"}, want: tokenPrompt, ours: isPrompt})
	}
	if f.holds(Hooks) && c.hooks.plugin != "" {
		all = append(all, inList(Hooks, []string{"plugin"}, c.hooks.plugin))
	} else if f.holds(Hooks) {
		all = append(all, f.hookLists(plain, e)...)
	}
	if f.holds(Permission) && c.permit.list != nil {
		all = append(all, inList(Permission, c.permit.list, "mcp__"+Server))
	}
	return all
}

// hookLists are those of the events that the client has, and of others in which a
// hook of Blue stands.
func (f File) hookLists(plain any, e Entry) (all []piece) {
	h := f.client.hooks
	if h.version > 0 {
		all = []piece{{part: Hooks, path: []string{"version"}, want: h.version, frame: h.version}}
	}
	for _, ev := range h.events {
		p := piece{part: Hooks, nudge: ev.nudge, path: []string{"hooks", ev.name}, ours: isHook}
		if !ev.nudge || !e.Quiet {
			p.want = h.form(f.completed(e).Command, f.client.Name, ev)
		}
		all = append(all, p)
	}
	present, _ := dig(plain, "hooks").(map[string]any)
	for name, list := range present {
		known := slices.ContainsFunc(h.events, func(ev event) bool { return ev.name == name })
		if values, ok := list.([]any); ok && !known && slices.ContainsFunc(values, isHook) {
			all = append(all, piece{part: Hooks, path: []string{"hooks", name}, ours: isHook})
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
	headers, _ := entry.find("headers")
	list, _ := headers.(object)
	_, token := list.find("Authorization")
	return token
}

func isPrompt(v any) bool {
	members, ok := v.(map[string]any)
	return ok && members["id"] == promptID
}

// inList returns the piece that is one text in a list.
func inList(part Part, path []string, text string) piece {
	return piece{part: part, path: path, want: text, ours: func(v any) bool { return v == text }}
}
