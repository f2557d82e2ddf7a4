package clients

import (
	"bytes"
	"fmt"
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
	// drop takes out the member at path, which is there, and the containers that
	// are empty then.
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
		return f.jsonText()
	}
}

func (f File) jsonText() jsonText {
	return jsonText{comments: f.Format != JSON, commas: f.Format == JSONC}
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
		return putBlock(f.Path, before)
	case Script:
		return f.putScript(before, e)
	}
	plain, err := f.decode(before)
	if err != nil {
		return nil, err
	}
	w, err := f.wanted(plain, e)
	if err != nil || w.kept(plain) {
		return before, err
	}
	after, err := f.put(before, plain, w)
	if err != nil {
		return nil, f.refused(err)
	}
	return f.checked(before, after, w)
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
		return dropBlock(f.Path, before)
	case f.Format == Script:
		return f.dropScript(before)
	}
	plain, err := f.decode(before)
	if err != nil {
		return nil, err
	}
	w := f.unwanted(plain)
	if r := registered(Server, w.present(plain)); f.holds(MCP) && !r.IsBlue() {
		return nil, errors.ForeignEntry(f.Path, Server, r.starts())
	}
	if w.kept(plain) {
		return before, nil
	}
	after, err := f.drop(before, plain, w)
	if err != nil {
		return nil, f.refused(err)
	}
	if after, err = f.checked(before, after, w); err != nil {
		return nil, err
	}
	made, e := f.made(plain, w)
	for _, original := range originals {
		was, err := f.decode(original)
		if err != nil || !f.unwanted(was).kept(was) { // Blue was there already
			continue
		}
		if again, err := made.edit(original, e); err == nil && bytes.Equal(again, before) {
			return original, nil
		}
	}
	if text := bytes.TrimSpace(bytes.TrimPrefix(after, byteOrderMark)); len(text) == 0 || string(text) == "{}" {
		return nil, nil
	}
	return after, nil
}

func (f File) holds(part Part) bool { return slices.Contains(f.Holds, part) }

// decode returns the value of the text.
func (f File) decode(src []byte) (plain any, err error) {
	if f.readOnly {
		return nil, f.refused(fault{0, "Blue reads this file of " + f.client.Title + " and does not edit it"})
	}
	if !utf8.Valid(src) {
		return nil, f.refused(fault{oddLine(src), "not UTF-8 text"})
	}
	if plain, err = f.language().decode(src); err != nil {
		return nil, f.refused(err)
	}
	return plain, nil
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
