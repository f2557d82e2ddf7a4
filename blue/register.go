package blue

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"blue/blue/internal/clients"
	"blue/errors"
)

// setup is one run of the verb.
type setup struct {
	b      *Blue
	r      Registration
	client clients.Client
	place  clients.Place
	file   clients.File
	entry  clients.Entry
	done   Configured
}

// locate finds the project and the file.
func (s *setup) locate(ctx context.Context, c Call) error {
	found, missing := s.b.choose(ctx, c)
	s.place = s.b.place(found.Root)
	if missing == nil {
		s.done.About = (&Project{b: s.b, found: found}).About()
	}
	scopes := s.client.Scopes()
	needed := s.r.AgentsMD || s.r.Scope == string(clients.Project) && slices.Contains(scopes, clients.Project)
	switch {
	case missing == nil || !needed:
	case s.r.Print:
		s.place.Project = c.Cwd
		s.note("there is no project here yet: blue init makes one")
	case slices.Contains(scopes, clients.User) && !s.r.AgentsMD:
		return errors.Of(missing).Hint("setup", s.client.Name+" --scope user", "or write the person's own file")
	default:
		return missing
	}
	var err error
	s.file, err = s.client.Target(s.place, clients.Scope(s.r.Scope))
	return err
}

func (s *setup) note(text string) { s.done.Notes = append(s.done.Notes, text) }

// print fills in what a person can put in by hand.
func (s *setup) print() error {
	p, err := s.file.Print(s.entry)
	if err != nil {
		return err
	}
	s.done.Command = s.hide(p.Command)
	s.done.Prints = append(s.done.Prints, Shown{s.file.Path, s.hide(p.Entry)})
	if s.r.AgentsMD {
		block, err := clients.AgentsBlock(s.agents(), nil)
		if err != nil {
			return err
		}
		s.done.Prints = append(s.done.Prints, Shown{s.agents(), string(block)})
	}
	return s.explain([]byte(p.Entry))
}

func (s *setup) agents() string { return filepath.Join(s.place.Project, "AGENTS.md") }

// hide takes tokens out of a text that is shown, and says so.
func (s *setup) hide(text string) string {
	shown := s.b.withoutTokens(text)
	if shown != text {
		s.note("TOKEN stands for a token that is not shown; those of your servers are in " + s.b.TokenFile())
	}
	return shown
}

// rewrite is a file before and after.
type rewrite struct {
	path          string
	before, after []byte
	mode          fs.FileMode
}

// change edits the files: all are made ready before the first is written.
func (s *setup) change() error {
	var all []rewrite
	if s.file.PrintOnly {
		if err := s.command(); err != nil {
			return err
		}
	} else {
		w, err := s.rewrite()
		if err != nil {
			return err
		}
		all = append(all, w)
	}
	if s.r.AgentsMD {
		w, err := agentsBlock(s.agents())
		if err != nil {
			return err
		}
		all = append(all, w)
	}
	for _, w := range all {
		if err := s.write(w); err != nil {
			return err
		}
	}
	s.mention()
	return nil
}

// command is what is left for a file that the client rewrites at will.
func (s *setup) command() error {
	p, err := s.file.Print(s.entry)
	if err != nil {
		return err
	}
	s.note(fmt.Sprintf("%s was left alone, because %s rewrites it at any moment: run the command", s.file.Path, s.client.Title))
	if s.r.Remove {
		s.done.Command = p.Remove
		return nil
	}
	s.done.Command = s.hide(p.Command)
	return s.explain([]byte(p.Entry))
}

// rewrite makes the client's file ready.
func (s *setup) rewrite() (rewrite, error) {
	w := rewrite{path: s.file.Path, mode: s.file.Mode()}
	var err error
	if w.before, err = clients.Load(w.path); err != nil {
		return w, err
	}
	if s.r.Remove {
		w.after, err = s.file.Remove(w.before)
		return w, err
	}
	kept := w.before
	if s.entry.URL != "" && s.entry.Token == "" && s.b.holdsToken(string(kept)) {
		if kept, err = s.file.Remove(kept); err != nil { // our token is not for the server of that URL
			return w, err
		}
	}
	if w.after, err = s.file.Edit(kept, s.entry); err != nil {
		return w, err
	}
	return w, s.explain(w.after)
}

func agentsBlock(path string) (rewrite, error) {
	before, err := clients.Load(path)
	if err != nil {
		return rewrite{}, err
	}
	after, err := clients.AgentsBlock(path, before)
	return rewrite{path, before, after, 0o644}, err
}

func (s *setup) write(w rewrite) error {
	change := Rewritten{Path: w.path, Outcome: "written"}
	switch {
	case bytes.Equal(w.before, w.after):
		change.Outcome = "unchanged"
	case s.r.DryRun:
		change.Outcome, change.Diff = "planned", s.hide(clients.Diff(w.path, w.before, w.after))
	default:
		if s.r.Remove {
			change.Outcome = "removed"
		}
		if err := clients.Write(w.path, w.before, w.after, w.mode); err != nil {
			return err
		}
	}
	s.done.Files = append(s.done.Files, change)
	return nil
}

// mention names the other files in which the client finds an entry.
func (s *setup) mention() {
	for _, f := range s.client.Files(s.place) {
		found, _ := read(f) // what does not parse is doctor's matter
		for _, r := range found {
			if f.Path != s.file.Path && r.Name == clients.Server {
				s.note(fmt.Sprintf("%s also has an entry, for the scope %s", f.Path, f.Scope))
			}
		}
	}
}

// read returns the entries of a file that exists.
func read(f clients.File) ([]clients.Registered, error) {
	if !f.Exists {
		return nil, nil
	}
	data, err := clients.Load(f.Path)
	if err != nil {
		return nil, err
	}
	return f.Read(data)
}

// explain says what will name the project in the server of the entry in text.
func (s *setup) explain(text []byte) error {
	found, err := s.file.Read(text)
	if err != nil {
		return err
	}
	for _, r := range found {
		if r.Name != clients.Server {
			continue
		}
		source := s.client.Source(s.file.Scope, r)
		s.done.Source, s.done.Spawn = source.Name, source.Spawn
		notes := s.client.Notes(s.file.Scope, r)
		if source.OnlyCwd() { // its first note says so
			s.done.Warnings = append(slices.Clone(s.done.Warnings), notes[0])
			notes = notes[1:]
		}
		s.done.Notes = append(s.done.Notes, notes...)
	}
	if s.entry.URL != "" && s.entry.Token == "" {
		s.note("the entry carries no token: add that of the server, if it wants one")
	}
	return nil
}
