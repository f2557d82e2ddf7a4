package setup

import (
	"fmt"
	"slices"
	"strings"

	"blue/blue"
)

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
	Force    bool   // that the hooks cannot work is no failure
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
	Tried   []Finding   `json:"tried"` // what came of the hooks

	removing, forced bool
}

// Sound reports that the hooks can work, or that the person does not mind.
func (c Configured) Sound() bool {
	return c.forced || !slices.ContainsFunc(c.Tried, func(f Finding) bool { return f.State == mend })
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
	files := c.Files
	if c.removing { // what was not there needs no word
		files = slices.DeleteFunc(slices.Clone(files), func(f Rewritten) bool { return f.Outcome == "unchanged" })
	}
	for _, f := range files {
		fmt.Fprintf(&b, "%s: %s in %s\n%s", f.Outcome, f.Holds, f.Path, f.Diff)
	}
	if c.removing && len(files) == 0 && c.Command == "" {
		b.WriteString("Nothing to remove\n")
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
	if !c.removing {
		b.WriteString(c.Head())
	}
	for _, f := range c.Tried {
		b.WriteString(f.lines())
	}
	return b.String()
}
