package clients

import "strings"

// vendor returns the words of the client's own command that adds the entry,
// none where it has no command for that scope.
type vendor func(e Entry, scope Scope, s shape) []string

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
	if e.Args == nil {
		e.Args = []string{"mcp"}
	}
	if f.Scope == Project {
		e.Command = Server
	}
	printed := Printed{Entry: string(text)}
	if f.client.adds != nil && f.holds(MCP) {
		printed.Command = shell(f.client.adds(e, f.Scope, f.client.shape)...)
	}
	if f.PrintOnly {
		printed.Remove = shell("claude", "mcp", "remove", "--scope", string(f.Scope), Server)
	}
	return printed, nil
}

// line returns the words before it and the command line of the entry.
func (e Entry) line(before ...string) []string {
	return append(append(before, e.Command), e.Args...)
}

// bearer returns the words that pass the token by reference, none without one.
func (s shape) bearerWords(e Entry, flag, separator string) []string {
	if e.Token == "" {
		return nil
	}
	return []string{flag, "Authorization" + separator + "Bearer " + s.bearer}
}

func claudeAdd(e Entry, scope Scope, s shape) []string {
	if e.URL == "" {
		return e.line("claude", "mcp", "add", "--scope", string(scope), Server, "--")
	}
	words := append([]string{"claude", "mcp", "add", "--transport", "http", "--scope", string(scope)}, s.bearerWords(e, "--header", ": ")...)
	return append(words, Server, e.URL)
}

func codeAdd(e Entry, scope Scope, _ shape) []string {
	if e.URL != "" || scope != User {
		return nil
	}
	o := object{{key: "name", value: Server}, {key: "command", value: e.Command}, {key: "args", value: e.Args}}
	return []string{"code", "--add-mcp", page{}.render(o, "", false)}
}

func codexAdd(e Entry, scope Scope, _ shape) []string {
	switch {
	case scope != User:
		return nil
	case e.URL == "":
		return e.line("codex", "mcp", "add", Server, "--")
	case e.Token == "":
		return []string{"codex", "mcp", "add", Server, "--url", e.URL}
	}
	return []string{"codex", "mcp", "add", Server, "--url", e.URL, "--bearer-token-env-var", tokenVariable}
}

func geminiAdd(e Entry, scope Scope, s shape) []string { return forkAdd("gemini", e, scope, s) }

func qwenAdd(e Entry, scope Scope, s shape) []string { return forkAdd("qwen", e, scope, s) }

// forkAdd is the command of Gemini CLI and of what was made of it.
func forkAdd(program string, e Entry, scope Scope, s shape) []string {
	words := []string{program, "mcp", "add", "-s", string(scope)}
	if e.URL == "" {
		return e.line(append(words, Server)...)
	}
	words = append(append(words, "-t", "http"), s.bearerWords(e, "-H", ": ")...)
	return append(words, Server, e.URL)
}

func opencodeAdd(e Entry, scope Scope, s shape) []string {
	switch {
	case scope != User:
		return nil
	case e.URL == "":
		return e.line("opencode", "mcp", "add", Server, "--")
	}
	return append([]string{"opencode", "mcp", "add", Server, "--url", e.URL}, s.bearerWords(e, "--header", "=")...)
}

func clineAdd(e Entry, _ Scope, _ shape) []string {
	if e.URL != "" {
		return nil
	}
	return e.line("cline", "mcp", "install", Server, "--yes", "--")
}

func copilotAdd(e Entry, scope Scope, _ shape) []string {
	if e.URL != "" || scope != User {
		return nil
	}
	return e.line("copilot", "mcp", "add", Server, "--")
}

func kiroAdd(e Entry, scope Scope, _ shape) []string {
	if e.URL != "" {
		return nil
	}
	in := "global"
	if scope == Project {
		in = "workspace"
	}
	words := []string{"kiro-cli", "mcp", "add", "--name", Server, "--scope", in, "--command", e.Command}
	for _, arg := range e.Args {
		words = append(words, "--args", arg)
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
