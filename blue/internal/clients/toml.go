package clients

import (
	"bytes"
	"reflect"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"blue/errors"
)

// tomlMark is the line above Blue's tables in a TOML file. They are a block: all lines up to the next
// table, but not the comments above that. There is no mark at the end, because Codex adds tables
// above a comment that ends the file.
const tomlMark = "# Kept by `blue setup`"

// tomlHeader matches the header of a table.
var tomlHeader = regexp.MustCompile(`^[ \t]*\[+[ \t]*([\w.-]+)`)

// findTables returns the offsets of the block; end is 0 if there is none.
func (f ConfigFile) findTables(text []byte) (start, end int) {
	start = bytes.Index(text, []byte(tomlMark))
	if start < 0 {
		return 0, 0
	}
	at := start
	for line := range bytes.Lines(text[start:]) {
		header := tomlHeader.FindSubmatch(line)
		own := strings.Join(below(f.at, Server), ".")
		if header != nil && string(header[1]) != own && !strings.HasPrefix(string(header[1]), own+".") {
			break
		}
		at += len(line)
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && trimmed[0] != '#' || end == 0 {
			end = at - len(line) + len(bytes.TrimRight(line, "\r\n"))
		}
	}
	return start, end
}

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

// editTOML returns before with the block of the entry added or brought up to date. A table of Blue
// outside of the block is left alone if it is the same, and refused otherwise.
func (f ConfigFile) editTOML(before []byte, e Entry) ([]byte, error) {
	entry, err := f.entry(e)
	if err != nil {
		return nil, err
	}
	others, plain, allowed, err := f.withoutBlock(before)
	if err != nil {
		return nil, err
	}
	path := below(f.at, Server)
	if present, _ := dig(plain, path...).(map[string]any); present != nil {
		if equal(entry, present) {
			return before, nil
		}
		return nil, f.ownTable(present)
	}
	text := tomlMark + "\n" + tomlTable(path, entry)
	if p := f.client.permit; f.holds(Permission) || allowed {
		text += "\n" + tomlTable(below(path, p.below...), p.members)
	}
	start, end := f.findTables(before)
	after := putBlock(before, start, end, strings.TrimSuffix(text, "\n"))
	left, same, _, err := f.withoutBlock(after)
	if err != nil || !reflect.DeepEqual(same, plain) || !bytes.Equal(bytes.TrimSpace(left), bytes.TrimSpace(others)) {
		return nil, f.refused(fault{0, "its form cannot be extended without changing more than what is Blue's"})
	}
	return after, nil
}

// removeTOML returns before without the block.
func (f ConfigFile) removeTOML(before []byte) ([]byte, error) {
	others, plain, _, err := f.withoutBlock(before)
	if err != nil || !f.holds(MCP) {
		return before, err
	}
	if present, _ := dig(plain, below(f.at, Server)...).(map[string]any); present != nil {
		return nil, f.ownTable(present)
	}
	return others, nil
}

// withoutBlock returns a text without Blue's block and what it then holds, and reports whether the
// block lets the model use the tools unasked.
func (f ConfigFile) withoutBlock(text []byte) (others []byte, plain any, allowed bool, err error) {
	all, err := f.decode(text)
	if err != nil {
		return nil, nil, false, err
	}
	start, end := f.findTables(text)
	others = dropBlock(text, start, end)
	if plain, err = f.decode(others); err != nil {
		return nil, nil, false, err
	}
	path := below(below(f.at, Server), f.client.permit.below...)
	allowed = has(all, path) && !has(plain, path)
	own := piece{path: below(f.at, Server)}
	rest, _ := f.decode(others) // as before, once more, since others changes it
	if !reflect.DeepEqual(own.others(all, own.path), own.others(rest, own.path)) {
		return nil, nil, false, f.refused(fault{lineAt(text, start), "something else stands in the table that Blue keeps"})
	}
	return others, plain, allowed, nil
}

// ownTable returns the error for a table of that name that setup did not write.
func (f ConfigFile) ownTable(present map[string]any) error {
	if r := registered(Server, present); !r.IsBlue() {
		return errors.ForeignEntry(f.Path, Server, r.starts())
	}
	return f.refused(fault{0, "the table [" + strings.Join(below(f.at, Server), ".") + "] stands outside of the block that Blue keeps; remove the table"})
}

// tomlTable returns a table with its header.
func tomlTable(path []string, o object) string {
	text := "[" + strings.Join(path, ".") + "]\n"
	for _, m := range o {
		text += tomlPair(m) + "\n"
	}
	return text
}

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
