package clients

import (
	"reflect"
	"slices"
	"strings"

	"blue/blue/internal/config"
	"blue/errors"
)

// wanted is what a file is to hold, and where.
type wanted struct {
	path    []string // of the entry
	entry   object   // nil: the file is to hold none, if mcp
	mcp     bool
	http    bool
	below   []string // of the permission that stands in the entry
	permit  object
	lists   []listed
	version int // at the top of a file of hooks; 0 for none
}

func (f File) wanted(plain any, e Entry) (w wanted, err error) {
	w = f.unwanted(plain)
	if w.http = e.URL != ""; w.mcp {
		if w.entry, err = f.entry(e); err != nil {
			return w, err
		}
		if r := registered(Server, w.present(plain)); w.present(plain) != nil && !r.IsBlue() && !r.leadsTo(e) {
			return w, errors.ForeignEntry(f.Path, Server, r.starts())
		}
	}
	if f.holds(Permission) {
		w.below, w.permit = slices.Concat(w.path, f.client.permit.below), f.client.permit.members
	}
	w.lists = f.lists(plain, e, w.entry)
	return w, nil
}

// unwanted is what a file is to hold when Blue goes: nothing.
func (f File) unwanted(plain any) wanted {
	w := wanted{path: append(slices.Clone(f.path(plain)), Server), mcp: f.holds(MCP), lists: f.lists(plain, Entry{}, nil)}
	if f.holds(Hooks) {
		w.version = f.client.hooks.version
	}
	for i := range w.lists {
		w.lists[i].Want = nil
	}
	return w
}

// present returns the members of the entry, nil without one.
func (w wanted) present(plain any) map[string]any {
	members, _ := config.Dig(plain, w.path).(map[string]any)
	return members
}

func (w wanted) lacksEntry(plain any) bool {
	members := w.present(plain)
	return w.entry != nil && (members == nil || !isCurrent(w.entry, members, w.http))
}

func (w wanted) lacksPermit(plain any) bool {
	return w.permit != nil && !config.Equal(w.permit, config.Dig(plain, w.below))
}

// kept reports whether a decoded file needs no change.
func (w wanted) kept(plain any) bool {
	dropped := w.entry != nil || !w.mcp || !config.Has(plain, w.path)
	return dropped && !w.lacksEntry(plain) && !w.lacksPermit(plain) && !slices.ContainsFunc(w.lists, func(l listed) bool { return !l.Kept(plain) })
}

// put writes what is missing or outdated.
func (f File) put(src []byte, plain any, w wanted) (after []byte, err error) {
	lang := f.language()
	if w.lacksEntry(plain) {
		src, err = lang.Put(src, w.path, w.entry, staleKeys(w.entry, w.present(plain), w.http))
	}
	if err == nil && w.lacksPermit(plain) {
		src, err = lang.Put(src, w.below, w.permit, nil)
	}
	if err == nil && w.version > 0 && !config.Has(plain, versionKey) {
		src, err = lang.Put(src, nil, object{{Key: versionKey[0], Value: w.version}}, nil)
	}
	for _, l := range w.lists {
		if err == nil && !l.Kept(plain) {
			src, err = f.jsonText().Keep(src, l.Listed)
		}
	}
	return src, err
}

// drop takes out what is Blue's.
func (f File) drop(src []byte, plain any, w wanted) (after []byte, err error) {
	if w.mcp && config.Has(plain, w.path) {
		src, err = f.language().Drop(src, w.path)
	}
	for _, l := range w.lists {
		if err == nil && !l.Kept(plain) {
			src, err = f.jsonText().Keep(src, l.Listed)
		}
	}
	if err != nil || w.version == 0 {
		return src, err
	}
	if rest, err := f.decode(src); err != nil || len(rest.(map[string]any)) > 1 {
		return src, err
	}
	return f.language().Drop(src, versionKey)
}

// versionKey leads to the version that a file of hooks begins with.
var versionKey = []string{"version"}

// path returns the keys that lead to the servers. In a project Copilot takes
// them also at the top of the file, so one that holds nothing but objects, none
// of them the usual container, is such a file.
func (f File) path(plain any) []string {
	top, _ := plain.(map[string]any)
	if !f.client.shape.bare || f.Scope != Project || len(top) == 0 {
		return f.at
	}
	for key, v := range top {
		if _, ok := v.(map[string]any); !ok || key == f.at[0] {
			return f.at
		}
	}
	return nil
}

// made returns the file with the parts that it has, and the entry that Edit must
// have been given to write them.
func (f File) made(plain any, w wanted) (File, Entry) {
	e, made := Entry{}, f
	made.Holds = nil
	if members := w.present(plain); w.mcp && members != nil {
		r := registered(Server, members)
		e = Entry{Command: r.Command, Args: r.Args, URL: r.URL}
		carried, _ := config.Dig(members, []string{"headers", "Authorization"}).(string)
		if e.Token = strings.TrimPrefix(carried, "Bearer "); members["bearer_token_env_var"] != nil {
			e.Token = tokenVariable
		}
		made.Holds = append(made.Holds, MCP)
		if p := f.client.permit; p.members != nil && config.Equal(p.members, config.Dig(plain, slices.Concat(w.path, p.below))) {
			made.Holds = append(made.Holds, Permission)
		}
	}
	for _, l := range w.lists {
		if !made.holds(l.part) && !l.Kept(plain) {
			made.Holds = append(made.Holds, l.part)
		}
		if hook := hookIn(config.Dig(plain, l.Path)); hook != "" {
			e.Command = hookProgram(hook)
		}
	}
	e.Quiet = !slices.ContainsFunc(w.lists, func(l listed) bool { return l.nudge && !l.Kept(plain) })
	return made, e
}

// checked reads what the edit wrote. It is the last door before a write:
// whatever the edit did, Blue's parts are as they should be and nothing else has
// changed.
func (f File) checked(before, after []byte, w wanted) ([]byte, error) {
	was, err := f.decode(before)
	if err != nil {
		return nil, err
	}
	is, err := f.decode(after)
	if err != nil || !w.kept(is) || !reflect.DeepEqual(w.others(was), w.others(is)) {
		return nil, f.refused(config.Fault{Line: 0, Text: "its form cannot be extended without changing more than what is Blue's"})
	}
	return after, nil
}

// others drops what is Blue's, and the containers made for it, from a decoded file.
func (w wanted) others(plain any) any {
	if w.mcp {
		plain = config.Without(plain, w.path, gone)
	}
	for _, l := range w.lists {
		plain = l.Without(plain)
	}
	if w.version > 0 && config.Equal(w.version, config.Dig(plain, versionKey)) {
		plain = config.Without(plain, versionKey, gone)
	}
	return plain
}

func gone(any) any { return nil }
