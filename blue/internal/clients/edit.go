package clients

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"blue/errors"
)

func (f File) language() language {
	switch f.Format {
	case TOML:
		return tomlText{}
	case YAML:
		return yamlText{}
	default:
		return jsonText{comments: f.Format != JSON, commas: f.Format == JSONC}
	}
}

// Edit returns before with Blue's parts put in, or brought up to date. It is pure.
// Nil means a file that does not exist. A file that holds them already
// comes back as it is. What a person added to the entry stays, unless it
// contradicts the way Blue is reached. Failures leave nothing half done and
// name file and line: kind invalid for what cannot be parsed or extended,
// exists when another program has the name, secret_detected for a token that
// would be committed.
func (f File) Edit(before []byte, e Entry) ([]byte, error) {
	if f.PrintOnly {
		return nil, errors.PrintOnly(f.client.Name, f.Path)
	}
	return f.edit(before, e)
}

func (f File) edit(before []byte, e Entry) ([]byte, error) {
	switch f.Format {
	case Markdown:
		after, err := putBlock(before)
		return after, f.refused(err)
	case Script:
		return f.putScript(before, e)
	}
	plain, err := f.decode(before)
	if err != nil {
		return nil, err
	}
	pieces, err := f.wanted(plain, e)
	if err != nil {
		return nil, err
	}
	return f.apply(before, plain, pieces)
}

// Remove returns before without what Blue keeps in the file; a file without it
// comes back as it is, and nil means that nothing is left. When one of the texts
// that the file may have had before Blue came is what Edit has made this one of,
// that text comes back, to the byte. Remove is pure, and fails as Edit does.
func (f File) Remove(before []byte, originals ...[]byte) ([]byte, error) {
	switch {
	case f.PrintOnly:
		return nil, errors.PrintOnly(f.client.Name, f.Path)
	case f.Format == Markdown:
		after, err := dropBlock(before)
		return after, f.refused(err)
	case f.Format == Script:
		return f.dropScript(before)
	}
	plain, err := f.decode(before)
	if err != nil {
		return nil, err
	}
	pieces := f.unwanted(plain)
	if r := registered(Server, f.entryIn(plain)); f.holds(MCP) && !r.IsBlue() {
		return nil, errors.ForeignEntry(f.Path, Server, r.starts())
	}
	after, err := f.apply(before, plain, pieces)
	if err != nil || kept(pieces, plain) {
		return before, err
	}
	made, e := f.made(plain, pieces)
	for _, original := range originals {
		was, err := f.decode(original)
		if original == nil || err != nil || !kept(f.unwanted(was), was) { // Blue was there already
			continue
		}
		if again, err := made.edit(original, e); err == nil && bytes.Equal(again, before) {
			return original, nil
		}
	}
	if IsEmpty(after) {
		return nil, nil
	}
	return after, nil
}

// kept reports whether a decoded file needs no change.
func kept(pieces []piece, plain any) bool {
	return !slices.ContainsFunc(pieces, func(p piece) bool { return !p.kept(plain) })
}

// apply brings the pieces up to date. At last it reads what it has made: Blue's
// pieces are as they should be and nothing else has changed, or it fails.
func (f File) apply(before []byte, plain any, pieces []piece) ([]byte, error) {
	if kept(pieces, plain) {
		return before, nil
	}
	after, err := before, error(nil)
	for _, p := range pieces {
		if err == nil {
			after, err = p.apply(f.language(), after)
		}
	}
	if err != nil {
		return nil, f.refused(err)
	}
	was, _ := f.decode(before)
	is, err := f.decode(after)
	sound := err == nil && kept(pieces, is)
	for _, p := range pieces {
		was, is = p.others(was), p.others(is)
	}
	if !sound || !reflect.DeepEqual(was, is) {
		return nil, f.refused(fault{0, "its form cannot be extended without changing more than what is Blue's"})
	}
	return after, nil
}

// wanted returns what the file is to hold for an entry.
func (f File) wanted(plain any, e Entry) (all []piece, err error) {
	var entry object
	path := below(f.path(plain), Server)
	if f.holds(MCP) {
		if entry, err = f.entry(e); err != nil {
			return nil, err
		}
		present, _ := dig(plain, path...).(map[string]any)
		if r := registered(Server, present); present != nil && !r.IsBlue() && !r.leadsTo(e) {
			return nil, errors.ForeignEntry(f.Path, Server, r.starts())
		}
		all = append(all, piece{part: MCP, path: path, want: entry, stale: staleKeys(entry, present, e.URL != "")})
	}
	if p := f.client.permit; f.holds(Permission) && p.members != nil {
		all = append(all, piece{part: Permission, path: below(path, p.below...), want: p.members})
	}
	return append(all, f.lists(plain, e, entry)...), nil
}

// unwanted returns what the file may hold of Blue's, each to be removed.
func (f File) unwanted(plain any) (all []piece) {
	if f.holds(MCP) {
		all = []piece{{part: MCP, path: below(f.path(plain), Server)}}
	}
	all = append(all, f.lists(plain, Entry{}, nil)...)
	for i := range all {
		all[i].want = nil
	}
	slices.Reverse(all) // the version, which begins a file, goes last
	return all
}

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

// entryIn returns the members of the entry in a decoded file, nil without one.
func (f File) entryIn(plain any) map[string]any {
	members, _ := dig(plain, below(f.path(plain), Server)...).(map[string]any)
	return members
}

// made returns the file with the parts that it has, and the entry that Edit must
// have been given to write them.
func (f File) made(plain any, pieces []piece) (File, Entry) {
	e, made := Entry{}, f
	made.Holds = nil
	if members := f.entryIn(plain); f.holds(MCP) && members != nil {
		r := registered(Server, members)
		e = Entry{Command: r.Command, Args: r.Args, URL: r.URL}
		carried, _ := dig(members, "headers", "Authorization").(string)
		if e.Token = strings.TrimPrefix(carried, "Bearer "); members["bearer_token_env_var"] != nil {
			e.Token = tokenVariable
		}
		made.Holds = append(made.Holds, MCP)
		if p := f.client.permit; p.members != nil && equal(p.members, dig(members, p.below...)) {
			made.Holds = append(made.Holds, Permission)
		}
	}
	e.Quiet = true
	for _, p := range pieces {
		if p.ours == nil || p.kept(plain) {
			continue
		}
		if !made.holds(p.part) {
			made.Holds = append(made.Holds, p.part)
		}
		if hook := hookIn(dig(plain, p.path...)); hook != "" {
			e.Command = hookProgram(hook)
		}
		e.Quiet = e.Quiet && !p.nudge
	}
	return made, e
}

// Present returns the parts of Blue that the text holds, of those that the file is for.
func (f File) Present(text []byte) []Part {
	if f.Format == Markdown || f.Format == Script {
		return f.Holds
	}
	plain, err := f.decode(text)
	if err != nil {
		return f.Holds
	}
	held, _ := f.made(plain, f.unwanted(plain))
	return slices.DeleteFunc(slices.Clone(f.Holds), func(part Part) bool { return !held.holds(part) })
}

func (f File) holds(part Part) bool { return slices.Contains(f.Holds, part) }

func (f File) decode(src []byte) (any, error) {
	if f.readOnly {
		text := "Blue reads this file of " + f.client.Title + " and does not edit it"
		return nil, f.refused(fault{0, text})
	}
	if !utf8.Valid(src) {
		return nil, f.refused(fault{oddLine(src), "not UTF-8 text"})
	}
	plain, err := f.language().decode(src)
	return plain, f.refused(err)
}

// refused turns a fault into the failure that people see.
func (f File) refused(err error) error {
	if at, ok := errors.AsType[fault](err); ok {
		return errors.BadConfig(f.Path, at.line, at.text)
	}
	return err
}
