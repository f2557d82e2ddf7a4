package clients

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blue/errors"
)

// language is the syntax of a file. Each keeps the bytes that it does not
// change. Put and drop take text that decode has taken.
type language interface {
	// decode returns maps with string keys, lists, texts, numbers, and nil
	// for a file without a value; a fault when the text does not parse.
	decode(src []byte) (any, error)
	// put makes the value at path hold the members of want, and not those of
	// stale; what else is in it stays.
	put(src []byte, path []string, want object, stale []string) ([]byte, error)
	// drop takes out the member at path, which is there.
	drop(src []byte, path []string) ([]byte, error)
}

// fault says where and why a text cannot be edited; line 0 means all of it.
type fault struct {
	line int
	text string
}

func (f fault) Error() string { return fmt.Sprintf("line %d: %s", f.line, f.text) }

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

// Edit returns before with the entry put in, or brought up to date. It is pure.
// Nil means a file that does not exist. A file that holds the entry already
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
	want, err := f.entry(e)
	if err != nil {
		return nil, err
	}
	plain, path, err := f.locate(before)
	if err != nil {
		return nil, err
	}
	present, _ := dig(plain, path).(map[string]any)
	if present != nil {
		if r := registered(Server, present); !r.IsBlue() && !r.leadsTo(e) {
			return nil, errors.ForeignEntry(f.Path, Server, r.starts())
		}
	}
	after, http := before, e.URL != ""
	if present == nil || !want.satisfies(present, http) {
		after, err = f.language().put(before, path, want, want.stale(present, http))
	}
	if err == nil && f.prompts(want) {
		after, err = jsonText{comments: true, commas: true}.prompt(after)
	}
	if err != nil {
		return nil, f.refused(err)
	}
	return f.checked(before, after, func(entry any, _ bool) bool {
		members, _ := entry.(map[string]any)
		return want.satisfies(members, http)
	})
}

// Remove returns before without Blue's entry; a file without one comes back
// as it is. It is pure, and fails as Edit does.
func (f File) Remove(before []byte) ([]byte, error) {
	if f.PrintOnly {
		return nil, errors.PrintOnly(f.client.Name, f.Path)
	}
	plain, path, err := f.locate(before)
	if err != nil {
		return nil, err
	}
	servers, _ := dig(plain, path[:len(path)-1]).(map[string]any)
	entry, there := servers[Server]
	if !there {
		return before, nil
	}
	members, _ := entry.(map[string]any)
	if r := registered(Server, members); !r.IsBlue() {
		return nil, errors.ForeignEntry(f.Path, Server, r.starts())
	}
	after, err := f.language().drop(before, path)
	if err == nil && f.client.shape.input {
		after, err = jsonText{comments: true, commas: true}.unprompt(after)
	}
	if err != nil {
		return nil, f.refused(err)
	}
	return f.checked(before, after, func(_ any, there bool) bool { return !there })
}

// locate decodes the text and tells where Blue's entry stands or would stand.
func (f File) locate(src []byte) (plain any, path []string, err error) {
	if f.readOnly {
		return nil, nil, f.refused(fault{0, "Blue reads this file of " + f.client.Title + " and does not edit it"})
	}
	if !utf8.Valid(src) {
		return nil, nil, f.refused(fault{oddLine(src), "not UTF-8 text"})
	}
	if plain, err = f.language().decode(src); err != nil {
		return nil, nil, f.refused(err)
	}
	return plain, append(slices.Clone(f.path(plain)), Server), nil
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

// checked reads what the edit wrote. It is the last door before a write:
// whatever the edit did, the entry is as it should be and nothing else has
// changed.
func (f File) checked(before, after []byte, good func(entry any, there bool) bool) ([]byte, error) {
	if bytes.Equal(before, after) {
		return before, nil
	}
	was, path, err := f.locate(before)
	if err != nil {
		return nil, err
	}
	is, _, err := f.locate(after)
	if err == nil {
		servers, _ := dig(is, path[:len(path)-1]).(map[string]any)
		entry, there := servers[Server]
		if good(entry, there) && reflect.DeepEqual(f.others(was, path), f.others(is, path)) {
			return after, nil
		}
	}
	return nil, f.refused(fault{0, "its form cannot be extended without changing more than the entry of Blue"})
}

// others drops Blue's entry, and the containers made for it, from a decoded file.
func (f File) others(plain any, path []string) any {
	plain = without(plain, path)
	if f.client.shape.input {
		plain = withoutPrompt(plain)
	}
	return plain
}

// without drops the member at path, and containers that are empty then.
func without(v any, path []string) any {
	members, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if len(path) == 1 {
		delete(members, path[0])
	} else if inner, there := members[path[0]]; there {
		if inner = without(inner, path[1:]); inner == nil {
			delete(members, path[0])
		} else {
			members[path[0]] = inner
		}
	}
	if len(members) == 0 {
		return nil
	}
	return members
}

// refused turns a fault into the failure that people see.
func (f File) refused(err error) error {
	if at, ok := errors.AsType[fault](err); ok {
		return errors.BadConfig(f.Path, at.line, at.text)
	}
	return err
}

// lineAt counts from 1.
func lineAt(src []byte, offset int) int {
	return 1 + bytes.Count(src[:min(offset, len(src))], []byte("\n"))
}

// oddLine is the line of the first byte that is no UTF-8, or of the first
// character that no text holds, 0 without one.
func oddLine(src []byte) int {
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 || !strings.ContainsRune("\t\r\n", r) && unicode.IsControl(r) || r&^1 == 0xfffe {
			return lineAt(src, i)
		}
		i += size
	}
	return 0
}

// newline is the line end of a text: that of its first line.
func newline(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// replace returns src with the bytes from start to end replaced.
func replace(src []byte, start, end int, text string) []byte {
	return slices.Concat(src[:start], []byte(text), src[end:])
}
