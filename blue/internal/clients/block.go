package clients

import (
	"bytes"
	"cmp"
	"path/filepath"
	"regexp"
	"strings"
)

// The marks of Blue's block in a file that models read. What stands between them is
// Blue's; all else is the person's.
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

// putBlock returns before with the block added at the end or brought up to date.
// Marks that do not pair are refused. A text without a line end at its end stays
// so, and dropBlock knows by it what was added.
func putBlock(before []byte) ([]byte, error) {
	nl := newline(before)
	text := strings.ReplaceAll(block, "\n", nl)
	start, end, err := findBlock(before)
	switch {
	case err != nil:
		return nil, err
	case end > 0:
		return replace(before, start, end, text), nil
	}
	return appendApart(before, text+nl), nil
}

// dropBlock returns before without the block; nil means that nothing is left.
func dropBlock(before []byte) ([]byte, error) {
	start, end, err := findBlock(before)
	if err != nil || end == 0 {
		return before, err
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
		return nil, nil
	}
	return []byte(head + tail), nil
}

// findBlock tells where the block stands; end is 0 when there is none.
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

// importsAgents matches the words by which CLAUDE.md, also that in .claude, takes in AGENTS.md.
var importsAgents = regexp.MustCompile(`(?m)(?:^|\s)@(?:\.{1,2}/)?AGENTS\.md(?:$|[\s.,;:)])`)

// replacing returns the first file of the project that the client reads instead of the
// usual one, "" when there is none.
func (r reading) replacing(p Place) (name string) {
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

// AgentsFile is the file that most clients read.
func AgentsFile(p Place) File { return Client{reads: agentsFile}.contextFile(p) }

// IsBlock reports a file that holds nothing of Blue's but the block.
func (f File) IsBlock() bool { return len(f.Holds) == 1 && f.Holds[0] == Instructions }

// contextFile is the one of the project that the client reads; without a path when
// it reads none, or there is no project.
func (c Client) contextFile(p Place) File {
	name := cmp.Or(c.reads.replacing(p), c.reads.name)
	if named := c.contextNames(p); len(named) > 0 && c.reads.settings {
		name = named[0]
		for _, other := range named {
			if other == agentsFile.name {
				name = other
			}
		}
	}
	f := File{Scope: Project, top: p.Project, Format: Markdown, Holds: []Part{Instructions}, client: c}
	if name != "" && p.Project != "" {
		f.Path = filepath.Join(p.Project, name)
		f.Exists = exists(f.Path)
	}
	return f
}

// contextNames are the files that the client's own settings name.
func (c Client) contextNames(p Place) (names []string) {
	for _, f := range c.Files(p) {
		text, err := Load(f.Path)
		if err != nil || f.Format == TOML {
			continue
		}
		plain, _ := f.language().decode(text)
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
