// Package setup is what Blue does outside a project: it registers Blue with MCP
// clients, looks for what is wrong on a machine, and finds the servers that run.
//
// A [Machine] has the verbs, setup ([Machine.Setup], [Machine.Clients]) and doctor
// ([Machine.Doctor]). Setup alone writes, and only the files of the client that is
// named, and AGENTS.md when it is asked to. No result shows a token.
package setup

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"blue/blue"
	"blue/blue/internal/clients"
	"blue/errors"
	"blue/marker"
)

// Machine is where setup and doctor look: this user's clients, Blue's own files and
// the servers that run.
type Machine struct {
	Blue *blue.Blue
	Self string // path of this binary, for the files of a person and for comparison
}

// Registration says which client is to know Blue, and how.
type Registration struct {
	Client   string // "" with AgentsMD alone
	Scope    string // "project" or "user"; "" takes the first that the client has
	HTTP     string // URL of a server, or Running; "" registers a command that starts Blue
	Only     string // parts, with commas between them; "" is all
	NoNudge  bool   // without the hook that asks for a note at the end
	Allow    bool   // also let the model use the tools without a question
	Print    bool   // only show the files, also without a project
	Remove   bool   // take everything out
	DryRun   bool   // only show the difference
	AgentsMD bool   // keep the block in the project's AGENTS.md, whatever the client reads
}

// Configured is the answer to setup for one client.
type Configured struct {
	blue.About
	Client  string      `json:"client,omitempty"`
	Title   string      `json:"title,omitempty"`
	Scope   string      `json:"scope"`
	Files   []Rewritten `json:"files"`             // empty when they were only printed
	Prints  []Shown     `json:"prints"`            // what is to be put in by hand
	Command string      `json:"command,omitempty"` // the client's own, which writes the entry
	Spawn   string      `json:"spawn,omitempty"`   // where the client starts the server
	Source  string      `json:"source,omitempty"`  // what will name the project of calls without cwd
	Notes   []string    `json:"notes"`
}

// Rewritten is what became of one file.
type Rewritten struct {
	Path    string `json:"path"`
	Holds   string `json:"holds"`          // what of Blue's it holds, in words
	Outcome string `json:"outcome"`        // written, removed, unchanged, or planned by a dry run
	Diff    string `json:"diff,omitempty"` // of a dry run
}

// Shown is text for a file.
type Shown struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Text says what was done or is to be done, and what will name the project.
func (c Configured) Text() string {
	var b strings.Builder
	if c.Client != "" {
		fmt.Fprintf(&b, "%s, %s scope\n", c.Title, c.Scope)
	}
	for _, f := range c.Files {
		fmt.Fprintf(&b, "%s: %s in %s\n%s", f.Outcome, f.Holds, f.Path, f.Diff)
	}
	for _, p := range c.Prints {
		fmt.Fprintf(&b, "in %s:\n\n%s\n", p.Path, p.Text)
	}
	if c.Command != "" {
		fmt.Fprintf(&b, "The client's own command: %s\n", c.Command)
	}
	if c.Source != "" {
		fmt.Fprintf(&b, "The project will be named by: %s\n", namedBy(c.Source))
	}
	if c.Spawn != "" {
		fmt.Fprintf(&b, "The server will start in: %s\n", c.Spawn)
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(&b, "Warning: %s\n", w)
	}
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "- %s\n", n)
	}
	return b.String()
}

// namedBy shows what names the project of a call.
func namedBy(source string) string {
	if source == string(marker.Argument) {
		return "cwd of each call alone"
	}
	return source
}

// place is where the configuration files of clients lie.
func (m Machine) place(project string) clients.Place {
	return clients.Place{Home: m.Blue.Home(), Project: project, OS: runtime.GOOS, Env: m.Blue.Env}
}

// Setup puts Blue in the files of a client, or takes it out, and keeps every other
// byte: the entry that starts it, the hooks by which it speaks unasked, and the block
// in the file that the model reads. Files of the project need one, unless they are
// only printed.
func (m Machine) Setup(ctx context.Context, c blue.Call, r Registration) (Configured, error) {
	done, err := m.register(ctx, c, r)
	return done, m.maskError(err)
}

func (m Machine) register(ctx context.Context, c blue.Call, r Registration) (Configured, error) {
	s := setupRun{m: m, r: r, done: Configured{Scope: string(clients.Project), Files: []Rewritten{}, Prints: []Shown{}, Notes: []string{}}}
	err := s.checkFlags()
	if err == nil && (r.Client != "" || !r.AgentsMD) {
		s.client, err = clients.Named(r.Client)
	}
	if err != nil {
		return Configured{}, err
	}
	s.chooseParts()
	if err := s.findFiles(ctx, c); err != nil {
		return s.done, err
	}
	if s.entry, err = m.newEntry(ctx, r); err != nil {
		return s.done, err
	}
	if r.Print {
		return s.done, s.printFiles()
	}
	return s.done, s.changeFiles()
}

// newEntry is what is to be written.
func (m Machine) newEntry(ctx context.Context, r Registration) (clients.Entry, error) {
	e := clients.Entry{Command: m.Self, Quiet: r.NoNudge}
	if r.HTTP == "" || r.Remove {
		return e, nil
	}
	urls, _ := m.findServers(ctx)
	e.URL = r.HTTP
	if r.HTTP == Running {
		switch len(urls) {
		case 0:
			return e, errors.NoServer()
		case 1:
			e.URL = urls[0]
		default:
			return e, errors.BadValue("http", Running, "one of "+strings.Join(urls, ", "))
		}
	}
	if host, _ := splitAddress(e.URL); host == "" {
		return e, errors.BadValue("http", e.URL, "the URL of a server such as http://127.0.0.1:7865/mcp, or "+Running)
	}
	if !isLocal(e.URL) && !slices.Contains(urls, e.URL) { // no other server may see the token
		return e, nil
	}
	token, err := m.firstToken()
	e.Token = token
	return e, err
}

// Known is the answer to setup without a client.
type Known struct {
	blue.About
	Clients []Seen   `json:"clients"` // found on this machine
	Others  []string `json:"others"`  // names of those that were not
	Servers []string `json:"servers"` // URLs of this user's servers that run
}

// Seen is one client.
type Seen struct {
	Client string   `json:"client"`
	Title  string   `json:"title"`
	Files  []string `json:"files"` // that hold an entry for Blue
}

// Text lists the clients.
func (s Known) Text() string {
	var b strings.Builder
	b.WriteString("Clients found on this machine:\n")
	for _, c := range s.Clients {
		state := "not registered"
		if len(c.Files) > 0 {
			state = "registered in " + strings.Join(c.Files, ", ")
		}
		fmt.Fprintf(&b, "  %-14s  %s: %s\n", c.Client, c.Title, state)
	}
	if len(s.Clients) == 0 {
		b.WriteString("  none\n")
	}
	if len(s.Others) > 0 {
		fmt.Fprintf(&b, "Also known: %s\n", strings.Join(s.Others, ", "))
	}
	for _, url := range s.Servers {
		fmt.Fprintf(&b, "Running server: %s\n", url)
	}
	return b.String() + "Next: blue setup CLIENT\n"
}

// Clients lists the clients of this machine, for a person who has named none.
func (m Machine) Clients(ctx context.Context, c blue.Call) (Known, error) {
	s := Known{Clients: []Seen{}, Others: []string{}, Servers: []string{}}
	found, missing := m.Blue.Choose(ctx, c)
	if missing == nil {
		s.About = blue.AboutFound(found)
	}
	urls, _ := m.findServers(ctx)
	s.Servers = append(s.Servers, urls...)
	place := m.place(found.Root)
	for _, client := range clients.All() {
		if !client.Found(place) {
			s.Others = append(s.Others, client.Name)
			continue
		}
		seen := Seen{Client: client.Name, Title: client.Title, Files: []string{}}
		for _, f := range client.Files(place) {
			entries, _ := readEntries(f) // what does not parse is doctor's matter
			if slices.ContainsFunc(entries, clients.Registered.IsBlue) {
				seen.Files = append(seen.Files, f.Path)
			}
		}
		s.Clients = append(s.Clients, seen)
	}
	return s, nil
}

// ClientChoices are the MCP clients that Blue can be registered with, as words for a
// command line.
func ClientChoices() (found []blue.Choice) {
	for _, c := range clients.All() {
		found = append(found, blue.Choice{Word: c.Name, Means: c.Title})
	}
	return found
}
