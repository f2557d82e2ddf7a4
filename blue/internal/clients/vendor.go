package clients

import (
	"strings"
)

// Printed is what `setup --print` shows.
type Printed struct {
	Entry   string // the file as it would be if it held nothing else
	Command string // the client's own command that writes the entry, "" when it has none
	Remove  string // the one that takes it out; only where Blue does not edit the file
}

// Print returns the entry as text. It fails as Edit does, but also serves files
// that are only printed.
func (f File) Print(e Entry) (Printed, error) {
	text, err := f.edit(nil, e)
	if err != nil {
		return Printed{}, err
	}
	printed := Printed{Entry: string(text)}
	if f.holds(MCP) {
		printed.Command = shell(f.client.adds.words(f.completed(e), f.Scope, f.client.shape)...)
	}
	if f.PrintOnly {
		printed.Remove = shell("claude", "mcp", "remove", "--scope", string(f.Scope), Server)
	}
	return printed, nil
}

// words returns the command for an entry, none where the client has no command.
func (v vendor) words(e Entry, scope Scope, s shape) (words []string) {
	line := v.stdio
	if e.URL != "" {
		line = v.http
	}
	if v.userOnly && scope != User {
		return nil
	}
	for word := range strings.FieldsSeq(line) {
		switch word {
		case "SCOPE":
			words = append(words, string(scope))
		case "WORKSPACE":
			words = append(words, map[Scope]string{Project: "workspace", User: "global"}[scope])
		case "COMMAND":
			words = append(append(words, e.Command), e.Args...)
		case "PROGRAM":
			words = append(words, e.Command)
		case "ARGS":
			for _, arg := range e.Args {
				words = append(words, "--args", arg)
			}
		case "JSON":
			o := object{{Key: "name", Value: Server}, {Key: "command", Value: e.Command}, {Key: "args", Value: e.Args}}
			words = append(words, oneLine(o))
		case "HEADER":
			if flag, value, _ := strings.Cut(v.header, "|"); e.Token != "" {
				words = append(words, flag, strings.ReplaceAll(value, "BEARER", s.bearer))
			}
		case "URL":
			words = append(words, e.URL)
		default:
			words = append(words, word)
		}
	}
	return words
}

// shell joins words to a line that a POSIX shell reads back as they are.
func shell(words ...string) string {
	var quoted []string
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`&|;<>(){}[]*?!#~") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted = append(quoted, w)
	}
	return strings.Join(quoted, " ")
}
