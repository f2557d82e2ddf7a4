// Package clients knows the configuration files of MCP clients: where they lie,
// how an entry for Blue looks in each, and which source will name the project
// in a server that such an entry starts.
//
// One table (table.go) holds a row for each client; what it says comes from
// One edit (edit.go) puts Blue's entry in a
// file or takes it out and keeps every other byte: comments, order, indentation,
// unknown keys, line ends, byte order mark. A file that does not parse is left
// alone, and so is one in which the edit would change anything but the entry.
//
// JSON is edited at the offsets that the parser of hujson gives. Its Patch takes
// out the comment behind a removed member and writes new ones without indentation.
// TOML is edited at the positions that the parser of go-toml gives. A library
// that writes the whole text anew, as tomledit does, changes blanks, blank
// lines and line ends that are the person's own.
// The YAML library does not keep blanks and line ends: its encoder serves for
// the entry of Blue alone, and the nodes' lines and columns for the rest.
//
// The package starts no program and reads no environment: home, project,
// system and the few documented variables come in a [Place].
package clients

import (
	"io/fs"
	"slices"

	"blue/errors"
)

// Server is the name of Blue's entry in every file: no "_", which Gemini
// splits names on, and none of the names that clients reserve.
const Server = "blue"

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
// comments alone, as Gemini reads it.
const (
	JSON      Format = "json"
	JSONC     Format = "jsonc"
	Commented Format = "json with comments"
	TOML      Format = "toml"
	YAML      Format = "yaml"
)

// Place is where to look. Env answers for documented variables of the clients
// (APPDATA, LOCALAPPDATA, XDG_CONFIG_HOME, CLAUDE_CONFIG_DIR, CODEX_HOME,
// CLINE_MCP_SETTINGS_PATH); nil means that none is set.
type Place struct {
	Home    string
	Project string // the project's root, "" without one
	OS      string // as runtime.GOOS
	Env     func(string) string
}

// Client is one row of the table.
type Client struct {
	Name  string // as `blue setup` takes it
	Title string // as people call it

	files []where
	shape shape
	knows knows
	adds  vendor
	notes []note
}

// note is a remark for one case: a scope, "stdio", "http", or "" for all.
type note struct{ when, text string }

// All returns the clients in the order of the table.
func All() []Client { return slices.Clone(table) }

// Named returns the client of that name, or a failure that names near ones.
func Named(name string) (Client, error) {
	var known []string
	for _, c := range table {
		if c.Name == name {
			return c, nil
		}
		known = append(known, c.Name)
	}
	return Client{}, errors.NoClient(name, errors.Near(name, known...)...)
}

// Scopes returns the scopes for which `setup` can write or print an entry, the
// default first: the project's file where the client has one.
func (c Client) Scopes() []Scope {
	var scopes []Scope
	for _, w := range c.files {
		if w.scope != Local && !w.readOnly && !slices.Contains(scopes, w.scope) {
			scopes = append(scopes, w.scope)
		}
	}
	return scopes
}

// Files returns the files that the client reads at p, existing or not. Project
// files are left out when p has no project.
func (c Client) Files(p Place) []File {
	var files []File
	for _, w := range c.files {
		if w.scope != User && p.Project == "" {
			continue
		}
		path := w.path(p)
		if path == "" {
			continue
		}
		files = append(files, File{
			Path: path, Scope: w.scope, Format: w.format, Exists: exists(path),
			PrintOnly: w.printOnly, client: c, at: w.container(p, c.shape.at), readOnly: w.readOnly, list: w.list,
		})
	}
	return files
}

// Target returns the file of the scope that `setup` writes: the one that has
// an entry of Blue, else the first that exists, else the first of the table.
// The empty scope means the default.
func (c Client) Target(p Place, scope Scope) (File, error) {
	scopes := c.Scopes()
	if scope == "" {
		scope = scopes[0]
	}
	if !slices.Contains(scopes, scope) {
		return File{}, errors.NoScope(c.Name, string(scope), texts(scopes)...)
	}
	var found []File
	for _, f := range c.Files(p) {
		if f.Scope == scope && !f.readOnly {
			found = append(found, f)
		}
	}
	if len(found) == 0 { // no project, or no home
		return File{}, errors.NoPlace(c.Name, string(scope))
	}
	for _, f := range found {
		if f.holdsBlue() {
			return f, nil
		}
	}
	i := max(0, slices.IndexFunc(found, func(f File) bool { return f.Exists }))
	return found[i], nil
}

// Found reports whether the client seems to be in use at p: one of its files
// exists, or the directory of its own that would hold one.
func (c Client) Found(p Place) bool {
	return slices.ContainsFunc(c.Files(p), func(f File) bool {
		return f.Exists || f.Scope == User && f.ownDirectory(p)
	})
}

// Notes returns what to say when the entry is written: what the person must
// still do, and what the client will not do.
func (c Client) Notes(scope Scope, r Registered) []string {
	told := []string{}
	if c.Source(scope, r).OnlyCwd() {
		told = append(told, c.Title+" tells the server no project: each call must pass cwd")
	}
	way := "stdio"
	if r.URL != "" {
		way = "http"
	}
	for _, n := range c.notes {
		if n.when == "" || n.when == string(scope) || n.when == way {
			told = append(told, n.text)
		}
	}
	return told
}

func texts(scopes []Scope) []string {
	var list []string
	for _, s := range scopes {
		list = append(list, string(s))
	}
	return list
}

// File is one configuration file of a client.
type File struct {
	Path      string
	Scope     Scope // a Project file is committed, the others are not
	Format    Format
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
	data, err := Load(f.Path)
	if err != nil {
		return false
	}
	found, err := f.Read(data)
	return err == nil && slices.ContainsFunc(found, func(r Registered) bool { return r.Name == Server })
}
