package clients

import (
	"bytes"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"blue/errors"
)

// tomlMark is the line above Blue's tables in a TOML file. They are a block: all lines up to the next
// table, but not the comments above that. There is no mark at the end, because Codex adds tables
// above a comment that ends the file. Without the mark, which Codex drops when it adds a server, the
// block begins with the first table.
const tomlMark = "# Kept by `blue setup`"

// tomlHeader matches the header of a table.
var tomlHeader = regexp.MustCompile(`^[ \t]*\[+([^\[\]]+)\]+[ \t]*(#.*)?$`)

// findTables returns the offsets of the block, which begins with the mark, or with Blue's first table;
// end is 0 if there is none.
func (f ConfigFile) findTables(text []byte, marked bool) (start, end int) {
	at, own := 0, f.tableName()+"."
	for line := range bytes.Lines(text) {
		header := tomlHeader.FindSubmatch(bytes.TrimRight(line, "\r\n"))
		isOwn := header != nil && strings.HasPrefix(string(bytes.TrimSpace(header[1]))+".", own)
		if end > 0 && header != nil && !isOwn {
			break
		}
		trimmed := bytes.TrimSpace(line)
		isMark := string(trimmed) == tomlMark
		if end == 0 && (isMark || isOwn && !marked) {
			start, end = at, at+len(trimmed)
		}
		if end > 0 && (isMark || len(trimmed) > 0 && trimmed[0] != '#') {
			end = at + len(bytes.TrimRight(line, "\r\n"))
		}
		at += len(line)
	}
	return start, end
}

// tableName returns the name of Blue's table.
func (f ConfigFile) tableName() string { return strings.Join(below(f.at, Server), ".") }

// decodeTOML decodes TOML 1.0, as Codex reads it.
func decodeTOML(src []byte) (any, error) {
	plain := map[string]any{}
	err := toml.Unmarshal(bytes.TrimPrefix(src, byteOrderMark), &plain)
	if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := bad.Position()
		return nil, fault{line, strings.TrimPrefix(bad.Error(), "toml: ")}
	}
	if err != nil {
		return nil, fault{0, strings.TrimPrefix(err.Error(), "toml: ")}
	}
	return plain, nil
}

// editTOML returns before with the block of the entry added or brought up to date. What the tables hold
// besides is kept, but written anew when the entry changes. An inline table of Blue is left alone if
// it is the same, and refused otherwise.
func (f ConfigFile) editTOML(before []byte, e Entry) ([]byte, error) {
	entry, err := f.entry(e)
	if err != nil {
		return nil, err
	}
	was, err := f.readTOML(before)
	if err != nil {
		return nil, err
	}
	own, permit, stale := was.own, f.client.permit, staleKeys(entry, was.own, e.URL != "")
	if r := registered(Server, own); own != nil && !r.IsBlue() && !r.leadsTo(e) {
		return nil, errors.ForeignEntry(f.Path, Server, r.starts())
	}
	allowed := equal(permit.members, dig(own, permit.below...))
	switch {
	case own != nil && equal(entry, own) && len(stale) == 0 && (allowed || !f.holds(Permission)):
		return before, nil
	case f.entryIn(was.rest) != nil:
		return nil, f.outside()
	}
	for _, m := range entry {
		delete(own, m.Key)
	}
	for _, key := range stale {
		delete(own, key)
	}
	if f.holds(Permission) {
		own = merge(own, permit.below, permit.members)
	}
	text := tomlMark + "\n" + strings.TrimSuffix(tomlTables(f.tableName(), entry, own), "\n")
	after := putBlock(before, was.start, was.end, text)
	is, err := f.readTOML(after)
	if err != nil || !reflect.DeepEqual(is.rest, was.rest) || !bytes.Equal(bytes.TrimSpace(is.others), bytes.TrimSpace(was.others)) {
		return nil, f.refused(fault{0, "its form cannot be extended without changing more than what is Blue's"})
	}
	return after, nil
}

// removeTOML returns before without the block.
func (f ConfigFile) removeTOML(before []byte) ([]byte, error) {
	was, err := f.readTOML(before)
	if err != nil || !f.holds(MCP) {
		return before, err
	}
	if r := registered(Server, was.own); was.own != nil && !r.IsBlue() {
		return nil, errors.ForeignEntry(f.Path, Server, r.starts())
	}
	if f.entryIn(was.rest) != nil {
		return nil, f.outside()
	}
	return was.others, nil
}

// tomlParts is a TOML file: Blue's entry, the offsets of Blue's block, and the text without it.
type tomlParts struct {
	own        map[string]any
	start, end int
	others     []byte
	rest       any // others, decoded
}

func (f ConfigFile) readTOML(text []byte) (p tomlParts, err error) {
	all, err := f.decode(text)
	if err != nil {
		return p, err
	}
	p.own = f.entryIn(all)
	for _, marked := range []bool{true, false} {
		p.start, p.end = f.findTables(text, marked)
		p.others = dropBlock(text, p.start, p.end)
		if p.rest, err = f.decode(p.others); err == nil && f.entryIn(p.rest) == nil {
			break
		}
	}
	was, _ := f.decode(text) // both once more, since others changes them
	is, _ := f.decode(p.others)
	entry := piece{path: below(f.at, Server)}
	if err != nil || !reflect.DeepEqual(entry.others(was, entry.path), entry.others(is, entry.path)) {
		return p, f.refused(fault{lineAt(text, p.start), "something else stands in the table that Blue keeps"})
	}
	return p, nil
}

// outside returns the error for members of Blue's entry that are not in the block.
func (f ConfigFile) outside() error {
	return f.refused(fault{0, "a part of " + f.tableName() + " stands outside of the table of that name; put it there, or take it out"})
}

// merge sets the members of o in the map at path below own.
func merge(own map[string]any, path []string, o object) map[string]any {
	if own == nil {
		own = map[string]any{}
	}
	if len(path) > 0 {
		inner, _ := own[path[0]].(map[string]any)
		own[path[0]] = merge(inner, path[1:], o)
		return own
	}
	for _, m := range o {
		own[m.Key] = m.Value
	}
	return own
}

// tomlTables returns a table with its header, with first the members of o, then those of more, and
// the tables in more below it.
func tomlTables(name string, o object, more map[string]any) string {
	var members, tables strings.Builder
	for _, m := range o {
		members.WriteString(tomlPair(m) + "\n")
	}
	for _, key := range slices.Sorted(maps.Keys(more)) {
		switch v := more[key].(type) {
		case map[string]any:
			tables.WriteString("\n" + tomlTables(name+"."+tomlKey(key), nil, v))
		case string:
			members.WriteString(tomlPair(pair{Key: tomlKey(key), Value: v}) + "\n")
		default: // it was decoded, so it can be encoded
			_ = toml.NewEncoder(&members).SetTablesInline(true).Encode(map[string]any{key: v})
		}
	}
	if members.Len() == 0 && tables.Len() > 0 {
		return strings.TrimPrefix(tables.String(), "\n")
	}
	return "[" + name + "]\n" + members.String() + tables.String()
}

// tomlKey returns a key, in quotes if it needs them.
func tomlKey(key string) string {
	if bareKey.MatchString(key) {
		return key
	}
	return quote(key)
}

var bareKey = regexp.MustCompile(`^[\w-]+$`)

func tomlPair(m pair) string { return m.Key + " = " + tomlValue(m.Value) }

func tomlValue(v any) string {
	var parts []string
	switch v := v.(type) {
	case object:
		for _, m := range v {
			parts = append(parts, tomlPair(m))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case []string:
		for _, text := range v {
			parts = append(parts, tomlValue(text))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	default:
		// A JSON string is a TOML string, except for the one control character that JSON does
		// not escape.
		return strings.ReplaceAll(quote(v), "\x7f", `\u007F`)
	}
}
