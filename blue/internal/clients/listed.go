package clients

import "slices"

// listed is a value that Blue keeps in a list of a JSON file: a hook, a permission,
// or the prompt by which VS Code asks for a token.
type listed struct {
	part  Part
	path  []string // keys that lead to the list
	want  any      // nil: none may be there
	ours  func(v any) bool
	nudge bool // it is the hook that asks for a note
}

// lists returns what Blue keeps in lists of the file for an entry with the members
// of want, and what it keeps there no longer. Without want it is all of it.
func (f File) lists(plain any, e Entry, want object) (all []listed) {
	c := f.client
	if f.holds(MCP) && c.shape.input && (want == nil || refersToken(want)) { // another entry may refer to it too
		all = append(all, listed{part: MCP, path: []string{"inputs"}, want: tokenPrompt, ours: isPrompt})
	}
	if f.holds(Hooks) && c.hooks.plugin != "" {
		all = append(all, listed{part: Hooks, path: []string{"plugin"}, want: c.hooks.plugin, ours: func(v any) bool { return v == c.hooks.plugin }})
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
		l := listed{part: Hooks, path: []string{"hooks", ev.name}, ours: isHook, nudge: ev.nudge}
		if !ev.nudge || !e.Quiet {
			l.want = h.form(f.command(e), f.client.Name, ev)
		}
		all = append(all, l)
	}
	present, _ := dig(plain, []string{"hooks"}).(map[string]any)
	for name, list := range present {
		known := slices.ContainsFunc(h.events, func(ev event) bool { return ev.name == name })
		if values, ok := list.([]any); ok && !known && slices.ContainsFunc(values, isHook) {
			all = append(all, listed{part: Hooks, path: []string{"hooks", name}, ours: isHook})
		}
	}
	return all
}

// kept reports whether a decoded file needs no change.
func (l listed) kept(plain any) bool {
	values, _ := dig(plain, l.path).([]any)
	values = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return !l.ours(v) })
	if l.want == nil {
		return len(values) == 0
	}
	return len(values) == 1 && equal(l.want, values[0])
}

// without drops the value from a decoded file.
func (l listed) without(plain any) any {
	return without(plain, l.path, func(v any) any {
		values, ok := v.([]any)
		if !ok {
			return v
		}
		if values = slices.DeleteFunc(values, l.ours); len(values) == 0 {
			return nil
		}
		return values
	})
}

// keep brings the list up to date: one value that is Blue's, where the first one
// stands or at the end, or none.
func (t jsonText) keep(src []byte, l listed) ([]byte, error) {
	settled := l.want == nil
	for i := 0; ; {
		g, err := t.page(src)
		if err != nil {
			return nil, err
		}
		n := g.at(l.path)
		for i < len(n.items) && !l.ours(n.items[i].plain(src)) {
			i++
		}
		switch {
		case n.kind != '[' && !settled:
			src, there, err := t.reach(src, l.path, []any{l.want})
			if there {
				err = fault{lineAt(src, n.start), `the value of "` + l.path[len(l.path)-1] + `" is not a list`}
			}
			return src, err
		case n.kind != '[' || i == len(n.items) && settled:
			return t.prune(src, l.path)
		case i == len(n.items):
			return g.insert(n, "", l.want), nil
		case settled:
			src = g.cut(n, i)
		default:
			it := n.items[i]
			if !equal(l.want, it.plain(src)) {
				src = replace(src, it.start, it.end, g.render(l.want, "", false))
			}
			settled = true
			i++
		}
	}
}

// prune takes out the containers on the way to path that are empty.
func (t jsonText) prune(src []byte, path []string) ([]byte, error) {
	for ; len(path) > 0; path = path[:len(path)-1] {
		g, err := t.page(src)
		if err != nil {
			return nil, err
		}
		switch n := g.at(path); {
		case n.kind == 0:
		case n.kind != '{' && n.kind != '[' || len(n.items) > 0 || !blank(src[n.start+1:n.end-1]):
			return src, nil
		default:
			src = g.cutKey(path)
		}
	}
	return src, nil
}

// promptID names the input by which VS Code asks the person for a token.
const promptID = "blue-token"

var tokenPrompt = object{
	{key: "type", value: "promptString"}, {key: "id", value: promptID},
	{key: "description", value: "Token of Blue"}, {key: "password", value: true},
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

// permission is the client's entry that lets the model use the tools unasked: a
// value in a list of the file of the hooks, or members in or below the entry.
type permission struct {
	list    []string
	below   []string
	members object
}

func (p permission) listed() listed {
	const tools = "mcp__" + Server
	return listed{part: Permission, path: p.list, want: tools, ours: func(v any) bool { return v == tools }}
}
