package clients

import (
	"io/fs"
	"slices"

	"blue/blue/internal/config"
)

// Scope says for whom a file counts.
type Scope string

// Scopes of a file.
const (
	Project Scope = "project" // lies in the project and is committed with it
	User    Scope = "user"    // the person's own, for all projects
	Local   Scope = "local"   // the person's own, for one project (Claude Code)
)

// Format is the language of a file.
type Format string

// Formats. JSONC is JSON with comments and trailing commas; Commented has
// comments alone, as Gemini reads it. Markdown is a person's text in which Blue
// keeps a block, Script a program that is Blue's from the first byte to the last.
const (
	JSON      Format = "json"
	JSONC     Format = "jsonc"
	Commented Format = "json with comments"
	TOML      Format = "toml"
	YAML      Format = "yaml"
	Markdown  Format = "markdown"
	Script    Format = "script"
)

// Part is a thing that Blue writes for a client.
type Part string

// Parts, in the order in which a file gets them.
const (
	MCP          Part = "mcp"          // the entry that starts or calls the server
	Hooks        Part = "hooks"        // commands that the client runs at its events
	Permission   Part = "permission"   // to use the tools without a question
	Instructions Part = "instructions" // the block in a file that the model reads
)

// String is how people call the part.
func (p Part) String() string {
	return map[Part]string{MCP: "MCP entry", Hooks: "hooks", Permission: "permission", Instructions: "context block"}[p]
}

// File is one configuration file of a client.
type File struct {
	Path      string
	Scope     Scope // a Project file is committed, the others are not
	Format    Format
	Holds     []Part // what Blue writes in it
	Exists    bool
	PrintOnly bool // never edited, because the client rewrites it at will; see Print

	client   Client
	at       []string // keys that lead to the servers
	readOnly bool     // doctor reads it, setup takes another one of that scope
	list     bool     // the servers are a list of objects with a name
}

// Mode is the mode for a file that does not exist yet: a person's own file may
// hold a token.
func (f File) Mode() fs.FileMode {
	if f.Scope == Project {
		return 0o644
	}
	return 0o600
}

func (f File) holdsBlue() bool {
	if !f.Exists {
		return false
	}
	data, err := config.Load(f.Path)
	if err != nil {
		return false
	}
	found, err := f.Read(data)
	return err == nil && slices.ContainsFunc(found, func(r Registered) bool { return r.Name == Server })
}
