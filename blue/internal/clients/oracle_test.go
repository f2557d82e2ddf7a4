package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"blue/blue/internal/clients"
	"blue/errors"
)

var placed = regexp.MustCompile(`line \d+: .|its form cannot be extended|stands outside of the table|a file that|is another program|would be committed|takes no HTTP`)

func refusal(t testing.TB, f clients.ConfigFile, err error) {
	t.Helper()
	kind := errors.Of(err).Kind
	named := strings.Contains(err.Error(), f.Path) || strings.Contains(err.Error(), "takes no HTTP")
	if kind == errors.Internal || !named || !placed.MatchString(err.Error()) {
		t.Errorf("the refusal does not say where and why: %s: %v", kind, err)
	}
	if len(errors.Of(err).Hints) == 0 {
		t.Errorf("the refusal has no hint: %v", err)
	}
}

// beside shows two texts for a failure.
func beside(name string, before, after []byte) string {
	return fmt.Sprintf("%s was\n%s\nand is\n%s", name, before, after)
}

// within reports whether small is large with bytes left out.
func within(small, large []byte) bool {
	for _, c := range small {
		i := bytes.IndexByte(large, c)
		if i < 0 {
			return false
		}
		large = large[i+1:]
	}
	return true
}

// rest reads a file in another way than the product does and returns it without
// what is Blue's, and without empty containers. Had tells whether Blue was there.
func rest(t testing.TB, f clients.ConfigFile, text []byte) (others map[string]any, had bool) {
	t.Helper()
	others = map[string]any{}
	if f.Format == clients.Markdown {
		before, after, had := strings.Cut(string(text), "<!-- blue:begin")
		_, after, _ = strings.Cut(after, "<!-- blue:end -->")
		others["text"] = strings.Fields(before + " " + after)
		return others, had
	}
	if f.Format == clients.Script {
		return others, bytes.HasPrefix(text, []byte("// Kept by `blue setup`"))
	}
	read(t, f, text, &others)
	fresh := map[string]any{}
	put, err := f.Edit(nil, stdio)
	must(t, err)
	read(t, f, put, &fresh)
	for key, made := range fresh {
		theirs, _ := others[key].(map[string]any)
		switch key {
		case "version":
			delete(others, key)
		case "plugin":
			if list, ok := others[key].([]any); ok {
				kept := slices.DeleteFunc(list, blues)
				had = had || len(kept) < len(list)
				if others[key] = kept; len(kept) == 0 {
					delete(others, key)
				}
			}
		case "hooks", "permissions", "blue":
			for name, list := range theirs {
				if list, ok := list.([]any); ok && (key != "permissions" || name == "allow") {
					kept := slices.DeleteFunc(list, blues)
					had = had || len(kept) < len(list)
					if theirs[name] = kept; len(kept) == 0 {
						delete(theirs, name)
					}
				}
			}
		default:
			if _, holds := made.(map[string]any)["blue"]; holds {
				_, has := theirs["blue"]
				had = had || has
				delete(theirs, "blue")
			}
		}
		if len(theirs) == 0 && (others[key] == nil || theirs != nil) {
			delete(others, key)
		}
	}
	inputs, isList := others["inputs"].([]any)
	_, asks := fresh["servers"] // VS Code
	had = had || asks && slices.ContainsFunc(inputs, blues)
	if inputs = slices.DeleteFunc(inputs, blues); isList {
		others["inputs"] = inputs
	}
	if isList && len(inputs) == 0 {
		delete(others, "inputs")
	}
	return others, had || f.Format == clients.TOML && tomlMark.Match(text)
}

var tomlMark = regexp.MustCompile("(?m)^[ \t]*# Kept by `blue setup`[ \t\r]*$")

// blues reports whether an element of a list is Blue's.
func blues(v any) bool {
	members, ok := v.(map[string]any)
	if !ok {
		return v == "mcp__blue" || v == "./.blue/opencode.js"
	}
	if group, ok := members["hooks"].([]any); ok {
		return len(group) > 0 && !slices.ContainsFunc(group, func(v any) bool { return !blues(v) })
	}
	command, isText := members["command"].(string)
	if !isText {
		command, _ = members["bash"].(string)
	}
	return members["id"] == "blue-token" || hookCommand.MatchString(command)
}

var hookCommand = regexp.MustCompile(`(?i)(^|[^a-z0-9_])blue(\.exe)?['"\\]* hook [a-z]`)

// read decodes a text, and a text without a value as an empty object.
func read(t testing.TB, f clients.ConfigFile, text []byte, to *map[string]any) {
	t.Helper()
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	var err error
	switch f.Format {
	case clients.TOML:
		err = toml.Unmarshal(text, to)
	default:
		if text = plainJSON(text); len(bytes.TrimSpace(text)) > 0 {
			dec := json.NewDecoder(bytes.NewReader(text))
			dec.UseNumber()
			err = dec.Decode(to)
		}
	}
	if err != nil {
		t.Errorf("%s was taken and does not parse: %v\n%s", f.Format, err, text)
	}
	if *to == nil {
		*to = map[string]any{}
	}
}

var (
	jsonToken     = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/`)
	trailingComma = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|,\s*[}\]]`)
)

// plainJSON drops comments and trailing commas.
func plainJSON(text []byte) []byte {
	text = jsonToken.ReplaceAllFunc(text, func(m []byte) []byte {
		if m[0] == '/' {
			return []byte(" ")
		}
		return m
	})
	return trailingComma.ReplaceAllFunc(text, func(m []byte) []byte {
		if m[0] == ',' {
			return m[1:]
		}
		return m
	})
}
