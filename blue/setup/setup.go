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
	"slices"
	"strings"

	"blue/blue"
	"blue/blue/internal/clients"
	"blue/errors"
)

// Setup puts Blue in the files of a client, or takes it out, and keeps every other
// byte: the entry that starts it, the hooks by which it speaks unasked, and the block
// in the file that the model reads. Files of the project need one, unless they are
// only printed.
func (m Machine) Setup(ctx context.Context, c blue.Call, r Registration) (Configured, error) {
	done, err := m.register(ctx, c, r)
	return done, m.maskError(err)
}

func (m Machine) register(ctx context.Context, c blue.Call, r Registration) (Configured, error) {
	s := setupRun{m: m, r: r, done: Configured{removing: r.Remove, forced: r.Force, Scope: string(clients.Project), Tried: []Finding{}, Files: []Rewritten{}, Prints: []Shown{}, Notes: []string{}}}
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
	if err := s.changeFiles(); err != nil {
		return s.done, err
	}
	s.tryHooks(ctx)
	return s.done, nil
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
			return e, errors.E(errors.Invalid, "no server of Blue runs on this machine").
				Hint("mcp", "--http 127.0.0.1:7865", "start one").
				Hint("setup", "CLIENT --http URL", "or give the URL that it will have")
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
	return b.String() + s.Head() + "Next: blue setup CLIENT\n"
}

// Clients lists the clients of this machine, for a person who has named none.
func (m Machine) Clients(ctx context.Context, c blue.Call) (Known, error) {
	s := Known{Clients: []Seen{}, Others: []string{}, Servers: []string{}}
	found, missing := m.Blue.Choose(ctx, c)
	if missing == nil {
		s.About = m.Blue.AboutFound(found)
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
			entries, _ := f.Entries() // what does not parse is doctor's matter
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
