// Package clients knows the configuration files of MCP clients: where they are, how each spells
// an entry for Blue, its hooks and its permission, which file of a project each client reads as
// instructions, and which source will name the project in a server started by such an entry.
//
// One table (table.go) holds a row for each client. One edit (edit.go) puts Blue's parts
// (piece.go) in a file or removes them. Comments, order, indentation, unknown keys, line ends
// and the byte order mark are preserved. A file that does not parse is left alone, and so is a
// file in which the edit would change anything but Blue's parts. A crash during a write
// (disk.go) leaves either the old or the new text.
//
// The package starts no program and reads no environment: home, project, system and the few
// documented variables come in an [Environment].
package clients

import (
	_ "embed"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"blue/errors"
)

// All returns the clients in the order of the table.
func All() []Client { return slices.Clone(table) }

// Named returns the client of that name, or an error that suggests similar names.
func Named(name string) (Client, error) {
	var known []string
	for _, c := range table {
		if c.Name == name {
			return c, nil
		}
		known = append(known, c.Name)
	}
	e := errors.E(errors.Invalid, "no client is named %q", name)
	for _, near := range errors.Near(name, known...) {
		e.Hint("setup", near, "perhaps you mean")
	}
	return Client{}, e.Hint("setup", "", "see the clients")
}

// Scopes returns the scopes for which `setup` can write or print an entry, the default first:
// the project if the client has a file there.
func (c Client) Scopes() []Scope {
	var scopes []Scope
	for _, w := range c.files {
		if w.Scope != Local && !w.readOnly && !slices.Contains(scopes, w.Scope) {
			scopes = append(scopes, w.Scope)
		}
	}
	return scopes
}

// Files returns the files that the client reads in the environment p, existing or not. It omits
// project files if p has no project.
func (c Client) Files(p Environment) []ConfigFile {
	var files []ConfigFile
	for _, w := range c.files {
		if w.Scope != User && p.Project == "" {
			continue
		}
		if f := w.in(p, c, MCP); f.Path != "" {
			files = append(files, f)
		}
	}
	return files
}

// HookFile returns the file of the scope that holds the client's hooks, or false if there is
// none.
func (c Client) HookFile(p Environment, scope Scope) (ConfigFile, bool) {
	for _, w := range c.hooks.files {
		if f := w.in(p, c, Hooks); w.Scope == scope && f.Path != "" {
			return f, true
		}
	}
	return ConfigFile{}, false
}

// skillFile returns the file of the scope that is the client's skill, or false if there is none.
func (c Client) skillFile(p Environment, scope Scope) (ConfigFile, bool) {
	for _, w := range c.skills {
		if f := w.in(p, c, Skill); w.Scope == scope && f.Path != "" {
			return f, true
		}
	}
	return ConfigFile{}, false
}

// Targets returns the files of the scope that `setup` writes for the parts, one for each path.
// It ignores parts that the client does not support.
func (c Client) Targets(p Environment, scope Scope, parts ...Component) ([]ConfigFile, error) {
	var all []ConfigFile
	for _, part := range parts {
		hooked, hasHooks := c.HookFile(p, scope)
		listed := part == Hooks && c.hooks.plugin != "" && scope == Project
		var files []ConfigFile
		if f := c.contextFile(p); part == Instructions && f.Path != "" {
			files = append(files, f)
		}
		if part == MCP || listed || part == Permission && c.permit.members != nil {
			f, err := c.Target(p, scope)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
		if hasHooks && (part == Hooks || part == Permission && c.permit.list != nil) {
			files = append(files, hooked)
		}
		if f, ok := c.skillFile(p, scope); ok && part == Skill {
			files = append(files, f)
		}
		for _, f := range files {
			f.Holds = []Component{part}
			if i := slices.IndexFunc(all, func(other ConfigFile) bool { return other.Path == f.Path }); i >= 0 {
				all[i].Holds = append(all[i].Holds, part)
			} else {
				all = append(all, f)
			}
		}
	}
	return all, nil
}

// Target returns the file of the scope for the entry: the one that has an entry of Blue, else
// the first that exists, else the first of the table. The empty scope means the default.
func (c Client) Target(p Environment, scope Scope) (ConfigFile, error) {
	scopes := c.Scopes()
	if scope == "" {
		scope = scopes[0]
	}
	if !slices.Contains(scopes, scope) {
		e := errors.E(errors.Invalid, "%s has no configuration file for the scope %q", c.Name, scope)
		for _, other := range scopes {
			e.Hint("setup", c.Name+" --scope "+string(other), "use a scope that it has")
		}
		return ConfigFile{}, e
	}
	var found []ConfigFile
	for _, f := range c.Files(p) {
		if f.Scope == scope && !f.readOnly {
			found = append(found, f)
		}
	}
	if len(found) == 0 { // no project, or no home
		return ConfigFile{}, errors.E(errors.Invalid, "no directory is known for the %s configuration of %s",
			string(scope), c.Name).
			Hint("init", "", "make a project here").
			Hint("setup", c.Name+" --scope user", "or use your own configuration file")
	}
	for _, f := range found {
		entries, _ := f.Entries() // editing an invalid file fails later and says why
		if slices.ContainsFunc(entries, func(r Registered) bool { return r.Name == Server }) {
			return f, nil
		}
	}
	i := max(0, slices.IndexFunc(found, func(f ConfigFile) bool { return f.Exists }))
	return found[i], nil
}

// Found reports whether the client is on the machine: its program is on PATH, or a directory of the user
// exists, or a file, that the client makes and Blue does not.
func (c Client) Found(p Environment) bool {
	installed := func(name string) bool { return p.Program(name) != "" }
	files := c.Files(p)
	if f, ok := c.HookFile(p, User); ok {
		files = append(slices.Clone(files), f)
	}
	return slices.ContainsFunc(c.programs, installed) || slices.ContainsFunc(files, func(f ConfigFile) bool {
		return f.Scope != Project && f.isFound(p)
	})
}

// Registrations returns the files of the client that have an entry of Blue. A file that cannot be read has
// none. Nor has one of another client, which this one reads too: its hooks are then missing.
func (c Client) Registrations(p Environment) (found []ConfigFile) {
	for _, f := range c.Files(p) {
		entries, _ := f.Entries()
		if slices.ContainsFunc(entries, Registered.IsBlue) && (!f.readOnly || len(c.hooks.files) == 0) {
			found = append(found, f)
		}
	}
	return found
}

// enabled matches what says that a client has the plugin of Blue: settings in JSON, those of Codex, and
// the manifest of the extension for Gemini CLI.
var enabled = regexp.MustCompile(`"blue@[^"]*"(?:\s*:\s*|\]\s*enabled\s*=\s*)true|"name":\s*"blue",\s*"version"`)

// Plugin returns the file by which the client has Blue as a plugin, "" if it has none.
func (c Client) Plugin(p Environment) string {
	for _, w := range c.plugins {
		f := w.in(p, c, Hooks)
		if text, _ := f.Load(); enabled.Match(text) {
			return f.Path
		}
	}
	return ""
}

// FromRoot returns the part that the client may find in a project only when it is started in
// the root: "" for none, MCP for all parts.
func (c Client) FromRoot() Component { return c.fromRoot }

// Permits reports whether setup can tell the client to let the model use the tools without
// asking.
func (c Client) Permits() bool { return c.permit.list != nil || c.permit.members != nil }

// NeedsShell reports whether the hooks in a file of a project are lines for a POSIX shell alone.
func (c Client) NeedsShell() bool { return c.hooks.sh }

// HookNotes returns the notes to show when the hooks are written.
func (c Client) HookNotes() []string { return c.notesFor(string(Hooks)) }

func (c Client) notesFor(cases ...string) (told []string) {
	for _, n := range c.notes {
		if slices.Contains(cases, n.when) {
			told = append(told, n.text)
		}
	}
	return told
}

// Notes returns the notes to show when the entry is written: what the user must still do, and
// what the client will not do.
func (c Client) Notes(scope Scope, r Registered) []string {
	told := []string{}
	if c.Source(scope, r).OnlyCwd() {
		told = append(told, c.Title+" does not tell the server which project is open: each call must pass cwd")
	}
	way := "stdio"
	if r.URL != "" {
		way = "http"
	}
	told = append(told, c.notesFor("", string(scope), way)...)
	if way == "http" && strings.Contains(c.shape.bearer, "BLUE_TOKEN") {
		told = append(told, "set BLUE_TOKEN in the environment that starts the client")
	}
	return told
}

// Printed is the output of `setup --print`.
type Printed struct {
	Entry   string // the text of a file that holds nothing else
	Command string // the client's own command that writes the entry, if it has one
	Remove  string // the command that removes it, only if the client rewrites the file
}

// Print returns the entry as text. It fails as Edit does, but also supports files that are only
// printed.
func (f ConfigFile) Print(e Entry) (Printed, error) {
	text, err := f.edit(nil, e)
	if err != nil {
		return Printed{}, err
	}
	printed := Printed{Entry: string(text)}
	if f.holds(MCP) {
		printed.Command = shell(f.client.adds.words(f.completed(e), f.Scope, f.client.shape)...)
	}
	if f.PrintOnly && f.Format == JSON {
		printed.Remove = shell("claude", "mcp", "remove", "--scope", string(f.Scope), Server)
	}
	return printed, nil
}

// words returns the client's command for an entry, nil if it has none.
func (v vendor) words(e Entry, scope Scope, s shape) (words []string) {
	line := v.stdio
	if e.URL != "" {
		line = v.http
	}
	if v.userOnly && scope != User {
		return nil
	}
	parts := map[string][]string{
		"SCOPE": {string(scope)}, "WORKSPACE": {map[Scope]string{Project: "workspace", User: "global"}[scope]},
		"COMMAND": append([]string{e.Command}, e.Args...), "PROGRAM": {e.Command}, "ARGS": {},
		"URL": {e.URL}, "HEADER": {}, "JSON": {oneLine(obj("name", Server, "command", e.Command, "args", e.Args))},
	}
	for _, arg := range e.Args {
		parts["ARGS"] = append(parts["ARGS"], "--args", arg)
	}
	if flag, value, _ := strings.Cut(v.header, "|"); e.Token != "" {
		parts["HEADER"] = []string{flag, strings.ReplaceAll(value, "BEARER", s.bearer)}
	}
	for word := range strings.FieldsSeq(line) {
		if part, ok := parts[word]; ok {
			words = append(words, part...)
		} else {
			words = append(words, word)
		}
	}
	return words
}

// shell joins words into a command line that a POSIX shell splits into the same words.
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

//go:embed skill.md
var skill []byte

// Made is a file of a plugin with its text.
type Made struct {
	ConfigFile
	Text []byte
}

// Plugin returns the files of the directory dir, which Claude Code, Codex and Copilot CLI load as
// a plugin. Gemini CLI loads its directory gemini as an extension.
func Plugin(dir, version string) []Made {
	return append(plugin(dir, version, version), marketplace(dir, "./"))
}

// Tree returns the files of the repository of Blue, whose root is dir, from which clients install the plugin.
// The plugin has no version there, so that clients take the commit for it; an extension of Gemini CLI
// must have one.
func Tree(dir, version string) []Made {
	const below = ".plugin"
	return append(plugin(filepath.Join(dir, below), "", version), marketplace(dir, "./"+below))
}

// about says of the plugin what all its files say.
const about = "The notes of a project: decisions, causes of errors and open work, found before they are needed again"

var owner = obj("name", "Blue")

// marketplace returns the file of dir by which clients find the plugin, which lies at source.
func marketplace(dir, source string) Made {
	return made(dir, ".claude-plugin/marketplace.json", document(obj("name", Server, "description", about, "owner", owner,
		"plugins", []any{obj("name", Server, "source", source, "description", about)})))
}

// made returns a file of dir with its text.
func made(dir, name string, text []byte) Made {
	return Made{ConfigFile{Path: filepath.Join(dir, filepath.FromSlash(name)), Scope: Project, top: dir}, text}
}

// plugin returns the files of the plugin. Without a version clients take the commit for it.
func plugin(dir, version, ofExtension string) []Made {
	named := obj("name", Server)
	if version != "" {
		named = also(named, "version", version)
	}
	entry := obj(Server, obj("command", Server, "args", []string{"mcp"}))
	manifest := also(named, "description", about, "author", owner, "license", "Apache-2.0")
	copilot := also(manifest, servers[0], "./.mcp.json", "hooks", "./hooks/copilot.json") // it looks here first
	extension := obj("name", Server, "version", ofExtension, "description", about, servers[0], entry, "contextFileName", "GEMINI.md")
	guide := strings.TrimSuffix(strings.SplitAfterN(block, "\n", 2)[1], blockEnd)
	guide = strings.Replace(guide, "This project keeps", "A project with a directory `.blue` keeps", 1)
	return []Made{
		made(dir, ".claude-plugin/plugin.json", document(manifest)),
		made(dir, ".github/plugin/plugin.json", document(copilot)),
		made(dir, ".mcp.json", document(obj(servers[0], entry))),
		made(dir, "hooks/hooks.json", hookFile("claude-code")),
		made(dir, "hooks/copilot.json", hookFile("copilot-cli")),
		made(dir, "skills/blue/SKILL.md", slices.Clone(skill)),
		made(dir, "gemini/gemini-extension.json", document(extension)),
		made(dir, "gemini/GEMINI.md", []byte(guide)),
		made(dir, "gemini/hooks/hooks.json", hookFile("gemini")),
		made(dir, "gemini/skills/blue/SKILL.md", slices.Clone(skill)),
	}
}

// hookFile returns a file with the hooks of a client, which find the program on PATH.
func hookFile(client string) []byte {
	c, _ := Named(client)
	var all, file object
	for _, ev := range c.hooks.events {
		all = append(all, pair{Key: ev.name, Value: []any{c.hooks.form(run{program: Server, client: client}, ev)}})
	}
	if c.hooks.version != 0 {
		file = obj("version", c.hooks.version)
	}
	return document(also(file, "hooks", all))
}
