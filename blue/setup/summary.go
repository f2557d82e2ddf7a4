package setup

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue/internal/clients"
	"blue/blue/result"
)

// Summary is the result of setup for several clients.
type Summary struct {
	result.About
	Clients []Configured `json:"clients"`
}

// Sound reports that the hooks of all clients can work, or that the user does not mind.
func (s Summary) Sound() bool {
	return !slices.ContainsFunc(s.Clients, func(c Configured) bool { return !c.Sound() })
}

// Text says what was written, what is still to do, and once what the agents will read.
func (s Summary) Text() string {
	var b, todo, tried strings.Builder
	sample := ""
	for _, c := range s.Clients {
		if !c.writes {
			b.WriteString(c.Text())
			continue
		}
		fmt.Fprintf(&b, "%s %s\n", c.name(), c.written())
		for _, w := range c.Warnings {
			fmt.Fprintf(&todo, "- %s: warning: %s\n", c.name(), w)
		}
		for _, n := range c.Notes {
			fmt.Fprintf(&todo, "- %s: %s\n", c.name(), c.withoutTitle(n))
		}
		if c.Command != "" {
			fmt.Fprintf(&todo, "- %s: run %s\n", c.name(), c.Command)
		}
		for _, p := range c.Prints {
			fmt.Fprintf(&todo, "in %s:\n\n%s\n", p.Path, p.Text)
		}
		for _, f := range c.Tried {
			_, text, reads := strings.Cut(f.Text, sampleIntro)
			switch {
			case !reads:
				tried.WriteString(f.lines())
			case sample == "":
				sample = text
			}
		}
	}
	if todo.Len() > 0 {
		b.WriteString("Still to do, or to know:\n" + todo.String())
	}
	b.WriteString(tried.String() + s.Head())
	if sample != "" {
		fmt.Fprintf(&b, "The hooks ran. At the start of a session the agent reads %s\n", strings.ReplaceAll(sample, "\n", "\n  "))
	}
	return b.String()
}

// withoutTitle cuts the name of the client from the beginning of a sentence about it.
func (c Configured) withoutTitle(text string) string {
	first, _, _ := strings.Cut(c.Title, " ")
	for _, name := range []string{c.Title, first} {
		if rest, ok := strings.CutPrefix(text, name+" "); ok {
			return rest
		}
	}
	return text
}

// name returns what the summary calls the client.
func (c Configured) name() string {
	if c.Title == "" {
		return "AGENTS.md"
	}
	if c.Scope == string(clients.User) {
		return c.Title + " (user scope)"
	}
	return c.Title
}

// written lists the files of a client that were written, relative to the project, and those that were as
// they should be.
func (c Configured) written() string {
	by := map[string][]string{}
	for _, f := range c.Files {
		path := f.Path
		if c.Project != nil {
			if below, err := filepath.Rel(c.Project.Root, path); err == nil && filepath.IsLocal(below) {
				path = below
			}
		}
		by[f.Outcome] = append(by[f.Outcome], f.Holds+" in "+path)
	}
	var parts []string
	for _, outcome := range []string{"written", "unchanged"} {
		if len(by[outcome]) > 0 {
			parts = append(parts, outcome+": "+strings.Join(by[outcome], ", "))
		}
	}
	if len(parts) == 0 {
		return "nothing was written"
	}
	return strings.Join(parts, "; ")
}
