package clients

import (
	"bytes"
	"cmp"
	_ "embed"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"blue/errors"
)

// json returns the dialect of a JSON file.
func (f ConfigFile) json() jsonText {
	return jsonText{comments: f.Format != JSON, commas: f.Format == JSONC}
}

// parse decodes a text: to maps with string keys, lists, strings and numbers, or nil for a file
// without a value. It returns a fault if the text does not parse.
func (f ConfigFile) parse(src []byte) (any, error) {
	switch f.Format {
	case TOML:
		return decodeTOML(src)
	case YAML:
		return decodeYAML(src)
	default:
		return f.json().decode(src)
	}
}

// Edit returns before with Blue's parts added or brought up to date. It is pure. A nil before
// means a file that does not exist. A file that already holds the parts is returned unchanged.
// What a person or the client has added to the entry is kept, unless it contradicts the way to reach
// Blue; in Markdown everything between Blue's marks is replaced.
// Errors name file and line; their kinds are Untouched for a text that cannot be parsed or
// extended, Exists if another program has the name, and SecretDetected for a token that would
// be committed.
func (f ConfigFile) Edit(before []byte, e Entry) ([]byte, error) {
	if f.PrintOnly {
		return nil, printOnly(f.client.Name, f.Path)
	}
	return f.edit(before, e)
}

func (f ConfigFile) edit(before []byte, e Entry) ([]byte, error) {
	switch f.Format {
	case Markdown:
		start, end, err := findBlock(before)
		if err != nil {
			return nil, f.refused(err)
		}
		return putBlock(before, start, end, block), nil
	case TOML:
		return f.editTOML(before, e)
	case Script, Guide:
		if len(before) > 0 && !f.isOwn(before) {
			return nil, errors.BadConfig(f.Path, 0, "it is a file that `blue setup` did not write")
		}
		if f.Format == Guide {
			return slices.Clone(skill), nil
		}
		return []byte(script(f.completed(e).Command)), nil
	}
	plain, err := f.decode(before)
	if err != nil {
		return nil, err
	}
	if f.Format == YAML { // for Print alone
		entry, err := f.entry(e)
		return yamlLines(below(f.at, Server), entry), err
	}
	pieces, err := f.wanted(plain, e)
	if err != nil {
		return nil, err
	}
	return f.apply(before, plain, pieces)
}

// Remove returns before without Blue's parts. A file without them is returned unchanged, and
// nil means that nothing is left. Remove is pure, and fails as Edit does.
func (f ConfigFile) Remove(before []byte) ([]byte, error) {
	switch {
	case f.PrintOnly:
		return nil, printOnly(f.client.Name, f.Path)
	case f.Format == Markdown:
		start, end, err := findBlock(before)
		if err != nil {
			return nil, f.refused(err)
		}
		return dropBlock(before, start, end), nil
	case f.Format == TOML:
		return f.removeTOML(before)
	case f.Format == Script || f.Format == Guide:
		if f.isOwn(before) {
			return nil, nil
		}
		return before, nil
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
	if left, _ := f.decode(after); isEmpty(after) || f.isVersion(left) {
		after = nil
	}
	return after, nil
}

// isVersion reports whether a decoded file of hooks holds nothing but its version.
func (f ConfigFile) isVersion(plain any) bool {
	top, _ := plain.(map[string]any)
	return f.holds(Hooks) && len(top) == 1 && equal(f.client.hooks.version, top["version"])
}

// kept reports whether a decoded file needs no change.
func kept(pieces []piece, plain any) bool {
	return !slices.ContainsFunc(pieces, func(p piece) bool { return !p.kept(plain) })
}

// apply brings the pieces up to date. It parses its result and fails unless Blue's pieces are
// as wanted and nothing else has changed.
func (f ConfigFile) apply(before []byte, plain any, pieces []piece) ([]byte, error) {
	if kept(pieces, plain) {
		return before, nil
	}
	after, err := before, error(nil)
	for _, p := range pieces {
		if err == nil {
			after, err = p.apply(f.json(), after)
		}
	}
	if err != nil {
		return nil, f.refused(err)
	}
	was, _ := f.decode(before)
	is, err := f.decode(after)
	sound := err == nil && kept(pieces, is)
	for _, p := range pieces {
		was, is = p.others(was, p.path), p.others(is, p.path)
	}
	if !sound || !reflect.DeepEqual(was, is) {
		return nil, f.refused(fault{0, "its form cannot be extended without changing more than what is Blue's"})
	}
	return after, nil
}

// wanted returns the pieces that the file must hold for an entry.
func (f ConfigFile) wanted(plain any, e Entry) (all []piece, err error) {
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
		for _, key := range staleKeys(entry, present, e.URL != "") {
			entry = append(entry, pair{Key: key})
		}
		all = append(all, piece{part: MCP, path: path, want: entry})
	}
	if p := f.client.permit; f.holds(Permission) && p.members != nil {
		all = append(all, piece{part: Permission, path: below(path, p.below...), want: p.members})
	}
	return append(all, f.lists(plain, e, entry)...), nil
}

// unwanted returns the pieces of Blue that the file may hold, each to be removed.
func (f ConfigFile) unwanted(plain any) (all []piece) {
	if f.holds(MCP) {
		all = []piece{{part: MCP, path: below(f.path(plain), Server)}}
	}
	all = append(all, f.lists(plain, Entry{}, nil)...)
	for i := range all {
		all[i].want = nil
	}
	return all
}

// path returns the keys that lead to the servers. In a project, Copilot also accepts servers at
// the top of the file. path assumes such a file if all members are objects and none of them is
// the usual container.
func (f ConfigFile) path(plain any) []string {
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
func (f ConfigFile) entryIn(plain any) map[string]any {
	members, _ := dig(plain, below(f.path(plain), Server)...).(map[string]any)
	return members
}

// Present returns which parts in f.Holds the text contains.
func (f ConfigFile) Present(text []byte) (parts []Component) {
	if f.Format == Markdown || f.Format == Script || f.Format == Guide {
		return f.Holds
	}
	plain, err := f.decode(text)
	if err != nil {
		return f.Holds
	}
	entry, permit := f.entryIn(plain), f.client.permit
	for _, part := range f.Holds {
		there := part == MCP && entry != nil || part == Permission && permit.members != nil && equal(permit.members, dig(entry, permit.below...))
		for _, p := range f.lists(plain, Entry{}, nil) {
			there = there || p.part == part && len(p.listed(plain)) > 0
		}
		if there {
			parts = append(parts, part)
		}
	}
	return parts
}

func (f ConfigFile) holds(part Component) bool { return slices.Contains(f.Holds, part) }

func (f ConfigFile) decode(src []byte) (any, error) {
	if f.readOnly {
		text := "Blue reads this file of " + f.client.Title + " and does not edit it"
		return nil, f.refused(fault{0, text})
	}
	if !utf8.Valid(src) {
		return nil, f.refused(fault{oddLine(src), "not UTF-8 text"})
	}
	plain, err := f.parse(src)
	return plain, f.refused(err)
}

// refused turns a fault into the error that people see.
func (f ConfigFile) refused(err error) error {
	if at, ok := errors.AsType[fault](err); ok {
		return errors.BadConfig(f.Path, at.line, at.text)
	}
	return err
}

// lists returns Blue's pieces in lists of the file: those for an entry with the members of
// want, and obsolete ones to remove. A nil want stands for all pieces.
func (f ConfigFile) lists(plain any, e Entry, want object) (all []piece) {
	c := f.client
	if f.holds(MCP) && c.shape.input && (want == nil || refersToken(want)) { // may be shared
		ours := func(v any) bool { return dig(v, "id") == promptID }
		all = append(all, piece{part: MCP, path: []string{"inputs"}, want: tokenPrompt, ours: ours})
	}
	if f.holds(Hooks) && c.hooks.plugin != "" {
		all = append(all, inList(Hooks, []string{"plugin"}, c.hooks.plugin))
	} else if f.holds(Hooks) {
		all = append(all, f.hookLists(plain, e)...)
	}
	if f.holds(Permission) && c.permit.list != nil {
		all = append(all, inList(Permission, c.permit.list, "mcp__"+Server))
	}
	return all
}

// promptID is the id of the input with which VS Code prompts for a token.
const promptID = "blue-token"

var tokenPrompt = obj("type", "promptString", "id", promptID, "description", "Token of Blue", "password", true)

// refersToken reports whether the entry refers to the prompt.
func refersToken(entry object) bool {
	headers, _ := entry.find("headers")
	list, _ := headers.(object)
	_, token := list.find("Authorization")
	return token
}

// inList returns the piece that is one string in a list.
func inList(part Component, path []string, text string) piece {
	return piece{part: part, path: path, want: text, ours: func(v any) bool { return v == text }}
}

// The marks of Blue's block in a file that models read. The text between them is Blue's, all
// other text is the user's.
const (
	blockMark = "<!-- blue:begin"
	blockEnd  = "<!-- blue:end -->"
)

const block = blockMark + ` (kept by ` + "`blue setup`" + `) -->
## Project notes: Blue
This project keeps decisions, causes of errors and open work as notes in Blue.
- Before you decide or debug: ` + "`blue_search`" + `, then ` + "`blue_read`" + ` what fits. Not in your tools? Ask your tool search for it, or run ` + "`blue search WORDS`" + ` in a shell.
- After a decision, or a cause that was hard to find: ` + "`blue_write`" + ` it with the reason, one matter a note. Work left open: type ` + "`checkpoint`" + `.
- A note that is wrong by now: ` + "`blue_edit`" + `. Never write secrets.
` + blockEnd

// putBlock returns before with the block at the place of the former one, or at the end if end is 0.
// A text without a final newline stays without one, by which dropBlock knows what was added.
func putBlock(before []byte, start, end int, block string) []byte {
	nl := newline(before)
	text := strings.ReplaceAll(block, "\n", nl)
	if end > 0 {
		return replace(before, start, end, text)
	}
	return appendApart(before, text+nl)
}

// dropBlock returns before without the block; nil means that nothing is left.
func dropBlock(before []byte, start, end int) []byte {
	if end == 0 {
		return before
	}
	nl := newline(before)
	head, tail := string(before[:start]), strings.TrimPrefix(string(before[end:]), nl)
	switch {
	case end == len(before):
		head = strings.TrimSuffix(strings.TrimSuffix(head, nl), nl)
	case strings.HasSuffix(head, "\n"+nl):
		head = strings.TrimSuffix(head, nl)
	}
	if head+tail == "" {
		return nil
	}
	return []byte(head + tail)
}

// findBlock returns the offsets of the block; end is 0 if there is none. It rejects marks that do
// not pair.
func findBlock(text []byte) (start, end int, err error) {
	start, end = bytes.Index(text, []byte(blockMark)), bytes.Index(text, []byte(blockEnd))
	if start < 0 && end < 0 {
		return 0, 0, nil
	}
	pairs := bytes.Count(text, []byte(blockMark)) == 1 && bytes.Count(text, []byte(blockEnd)) == 1
	if !pairs || end < start {
		return 0, 0, fault{lineAt(text, max(start, end)), "the marks of Blue's block do not pair"}
	}
	return start, end + len(blockEnd), nil
}

// importsAgents matches an import of AGENTS.md in CLAUDE.md or .claude/CLAUDE.md.
var importsAgents = regexp.MustCompile(`(?m)(?:^|\s)@(?:\.{1,2}/)?AGENTS\.md(?:$|[\s.,;:)])`)

// replacing returns the file of the project that the client reads instead of the usual one, ""
// if there is none. A file that already holds the block takes precedence.
func (r reading) replacing(p Environment) (name string) {
	for _, other := range r.instead {
		text, err := Load(under(p.Project, other))
		switch {
		case p.Project == "" || err != nil || text == nil:
		case bytes.Contains(text, []byte(blockMark)):
			return other
		case importsAgents.Match(text):
			return ""
		case name == "":
			name = other
		}
	}
	return name
}

// AgentsFile returns the instructions file that most clients read.
func AgentsFile(p Environment) ConfigFile { return Client{}.contextFile(p) }

// Blocks returns the instructions files of the project that hold the block, and that the client reads
// now or read before another took their place.
func (c Client) Blocks(p Environment) (found []ConfigFile) {
	f := c.contextFile(p)
	if f.Path == "" {
		return nil
	}
	for _, name := range below(c.reads.instead, cmp.Or(c.reads.name, agentsFile)) {
		other := f
		other.Path = under(p.Project, name)
		if text, _ := other.Load(); bytes.Contains(text, []byte(blockMark)) {
			found = append(found, other)
		}
	}
	return found
}

// Shares returns the part of Blue in a file that several clients may read, the block or the skill, and
// "" for other files.
func (f ConfigFile) Shares() Component {
	if len(f.Holds) == 1 && (f.Holds[0] == Instructions || f.Holds[0] == Skill) {
		return f.Holds[0]
	}
	return ""
}

// contextFile returns the instructions file that the client reads in the project. Its path is
// empty if the client reads none, or there is no project.
func (c Client) contextFile(p Environment) ConfigFile {
	name := cmp.Or(c.reads.replacing(p), c.reads.name, agentsFile)
	if named := c.contextNames(p); len(named) > 0 && c.reads.settings {
		if name = named[0]; slices.Contains(named, agentsFile) {
			name = agentsFile
		}
	}
	f := ConfigFile{Scope: Project, top: p.Project, Format: Markdown, Holds: []Component{Instructions}, client: c}
	if !c.reads.none && p.Project != "" {
		f.Path = filepath.Join(p.Project, name)
		f.Exists = exists(f.Path)
	}
	return f
}

// contextNames returns the instructions files that the client's own settings name.
func (c Client) contextNames(p Environment) (names []string) {
	for _, f := range c.Files(p) {
		text, err := Load(f.Path)
		if err != nil || f.Format == TOML {
			continue
		}
		plain, _ := f.parse(text)
		for _, name := range list(dig(plain, "context", "fileName")) {
			if name != "" && name == filepath.Base(name) && filepath.IsLocal(name) {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			break
		}
	}
	return names
}

// printOnly returns the error for a file that Blue does not edit.
func printOnly(client, path string) *errors.Error {
	return errors.E(errors.Invalid, "left %s untouched: Blue does not edit this file", errors.Quote(path)).
		Hint("setup", client+" --scope user --print", "show what to do instead")
}
