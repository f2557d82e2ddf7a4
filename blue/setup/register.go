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

// setupRun is one run of the verb setup.
type setupRun struct {
	m      Machine
	r      Registration
	client clients.Client
	parts  []clients.Part
	place  clients.Place
	files  []clients.File
	entry  clients.Entry
	done   Configured
}

// checkFlags refuses flags that contradict one another.
func (s *setupRun) checkFlags() error {
	r := s.r
	for _, part := range r.only() {
		if part != clients.MCP && part != clients.Hooks && part != clients.Instructions {
			return errors.BadValue("only", string(part), "one or more of mcp, hooks, instructions, separated by commas")
		}
	}
	switch {
	case r.Remove && r.Print:
		return errors.Exclusive("--remove", "--print")
	case r.Print && r.DryRun:
		return errors.Exclusive("--print", "--dry-run")
	case r.Allow && r.Only != "" && !slices.Contains(r.only(), clients.MCP):
		return errors.Exclusive("--allow", "--only "+r.Only)
	}
	return nil
}

// only are the parts that were named.
func (r Registration) only() (parts []clients.Part) {
	for name := range strings.SplitSeq(r.Only, ",") {
		if name = strings.TrimSpace(name); name != "" {
			parts = append(parts, clients.Part(name))
		}
	}
	return parts
}

// chooseParts settles the scope and the parts. The person's own files of a client that
// also has files in the project need none, and a block would be no file of the person's.
func (s *setupRun) chooseParts() {
	if s.r.Client == "" {
		s.parts = []clients.Part{clients.Instructions}
		return
	}
	scopes := s.client.Scopes()
	if s.r.Scope == "" {
		s.r.Scope = string(scopes[0])
	}
	s.done.Client, s.done.Title, s.done.Scope = s.client.Name, s.client.Title, s.r.Scope
	all := []clients.Part{clients.MCP, clients.Hooks, clients.Permission, clients.Instructions}
	s.parts = slices.DeleteFunc(all, func(part clients.Part) bool {
		switch only := s.r.only(); {
		case part == clients.Permission: // goes when the entry goes
			return !s.r.Allow && !(s.r.Remove && (only == nil || slices.Contains(only, clients.MCP)))
		case only != nil:
			return !slices.Contains(only, part)
		}
		return part == clients.Instructions && s.r.Scope == string(clients.User) && scopes[0] == clients.Project && !s.r.AgentsMD
	})
	if s.r.Allow && !s.client.Permits() {
		s.addNote("Blue knows no permission entry of " + s.client.Title + ": allow the tools when it asks")
	}
}

// findFiles finds the project and the files.
func (s *setupRun) findFiles(ctx context.Context, c blue.Call) error {
	found, missing := s.m.Blue.Choose(ctx, c)
	s.place = s.m.place(found.Root)
	if missing == nil {
		s.done.About = s.m.Blue.AboutFound(found)
	}
	scopes := s.client.Scopes()
	inProject := s.r.Scope == string(clients.Project) && slices.Contains(scopes, clients.Project)
	named := s.r.AgentsMD || slices.Contains(s.r.only(), clients.Instructions)
	switch {
	case missing == nil || !inProject && !named:
	case s.r.Print:
		s.place.Project = c.Cwd
		s.addNote("there is no project here yet: blue init makes one")
	case slices.Contains(scopes, clients.User) && !named:
		return errors.Of(missing).Hint("setup", s.client.Name+" --scope user", "or use your own configuration file")
	default:
		return missing
	}
	var err error
	if s.r.Client != "" {
		s.files, err = s.client.Targets(s.place, clients.Scope(s.r.Scope), s.parts...)
	}
	if agents := clients.AgentsFile(s.place); s.r.AgentsMD && !slices.ContainsFunc(s.files, func(f clients.File) bool { return f.Path == agents.Path }) {
		s.files = append(s.files, agents)
	}
	if from := s.client.FromRoot(); inProject && !s.r.Remove && (from == clients.MCP || slices.Contains(s.parts, from)) {
		what := map[clients.Part]string{clients.MCP: "these files", clients.Hooks: "the hooks"}[from]
		s.addNote(fmt.Sprintf("%s may find %s only when it is started in %s; for other directories: blue setup %s --scope user", s.client.Title, what, s.place.Project, s.client.Name))
	}
	return err
}

// tryHooks runs the hooks that this run has written, or says why nothing will run them.
func (s *setupRun) tryHooks(ctx context.Context) {
	if s.r.Remove || s.r.DryRun || !slices.Contains(s.parts, clients.Hooks) {
		return
	}
	x := examination{m: s.m, place: s.place}
	for _, f := range x.examineHooks(ctx, s.client, clients.Scope(s.r.Scope)) {
		f.Text, f.Remedy = s.m.maskTokens(f.Text), s.m.maskTokens(f.Remedy)
		s.done.Tried = append(s.done.Tried, f)
	}
}

func (s *setupRun) addNote(text string) { s.done.Notes = append(s.done.Notes, text) }

// printFiles fills in what a person can put in by hand.
func (s *setupRun) printFiles() error {
	for _, f := range s.files {
		p, err := f.Print(s.entry)
		if err != nil {
			return err
		}
		if p.Command != "" {
			s.done.Command = s.hideTokens(p.Command)
		}
		s.done.Prints = append(s.done.Prints, Shown{f.Path, s.hideTokens(p.Entry)})
		if err := s.explainParts(f, []byte(p.Entry)); err != nil {
			return err
		}
	}
	return nil
}

// hideTokens takes tokens out of a text that is shown, and says so.
func (s *setupRun) hideTokens(text string) string {
	shown := s.m.maskTokens(text)
	if shown != text {
		s.addNote("TOKEN stands for a token that is not shown; those of your servers are in " + s.m.Blue.TokenFile())
	}
	return shown
}

// explainParts says what will name the project in the server of the entry in text, and
// what the person must still do.
func (s *setupRun) explainParts(f clients.File, text []byte) error {
	if slices.Contains(f.Holds, clients.Hooks) {
		s.done.Notes = append(s.done.Notes, s.client.HookNotes()...)
	}
	if !slices.Contains(f.Holds, clients.MCP) {
		return nil
	}
	found, err := f.Read(text)
	if err != nil {
		return err
	}
	for _, r := range found {
		if r.Name != clients.Server {
			continue
		}
		if r.Command == clients.Server && s.place.Program(r.Command) == "" {
			s.done.Warnings = append(slices.Clone(s.done.Warnings), "the entry starts blue, which is not on your PATH")
		}
		source := s.client.Source(f.Scope, r)
		s.done.Source, s.done.Spawn = source.Name, source.Spawn
		notes := s.client.Notes(f.Scope, r)
		if source.OnlyCwd() { // its first note says so
			s.done.Warnings = append(slices.Clone(s.done.Warnings), notes[0])
			notes = notes[1:]
		}
		s.done.Notes = append(s.done.Notes, notes...)
	}
	if s.entry.URL != "" && s.entry.Token == "" {
		s.addNote("the entry carries no token: add that of the server, if it wants one")
	}
	return nil
}
