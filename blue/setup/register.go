package setup

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"blue/blue"
	"blue/blue/internal/clients"
	"blue/errors"
)

// setupRun is one run of the verb setup.
type setupRun struct {
	m      Machine
	r      Registration
	client clients.Client
	place  clients.Place
	file   clients.File
	entry  clients.Entry
	done   Configured
}

// findFile finds the project and the file.
func (s *setupRun) findFile(ctx context.Context, c blue.Call) error {
	found, missing := s.m.Blue.Choose(ctx, c)
	s.place = s.m.place(found.Root)
	if missing == nil {
		s.done.About = blue.AboutFound(found)
	}
	scopes := s.client.Scopes()
	needed := s.r.AgentsMD || s.r.Scope == string(clients.Project) && slices.Contains(scopes, clients.Project)
	switch {
	case missing == nil || !needed:
	case s.r.Print:
		s.place.Project = c.Cwd
		s.addNote("there is no project here yet: blue init makes one")
	case slices.Contains(scopes, clients.User) && !s.r.AgentsMD:
		return errors.Of(missing).Hint("setup", s.client.Name+" --scope user", "or write the person's own file")
	default:
		return missing
	}
	var err error
	s.file, err = s.client.Target(s.place, clients.Scope(s.r.Scope))
	return err
}

func (s *setupRun) addNote(text string) { s.done.Notes = append(s.done.Notes, text) }

// printEntry fills in what a person can put in by hand.
func (s *setupRun) printEntry() error {
	p, err := s.file.Print(s.entry)
	if err != nil {
		return err
	}
	s.done.Command = s.hideTokens(p.Command)
	s.done.Prints = append(s.done.Prints, Shown{s.file.Path, s.hideTokens(p.Entry)})
	if s.r.AgentsMD {
		block, err := clients.AgentsBlock(s.agentsFile(), nil)
		if err != nil {
			return err
		}
		s.done.Prints = append(s.done.Prints, Shown{s.agentsFile(), string(block)})
	}
	return s.explainSource([]byte(p.Entry))
}

func (s *setupRun) agentsFile() string { return filepath.Join(s.place.Project, "AGENTS.md") }

// hideTokens takes tokens out of a text that is shown, and says so.
func (s *setupRun) hideTokens(text string) string {
	shown := s.m.maskTokens(text)
	if shown != text {
		s.addNote("TOKEN stands for a token that is not shown; those of your servers are in " + s.m.Blue.TokenFile())
	}
	return shown
}

// rewrite is a file before and after.
type rewrite struct {
	path          string
	before, after []byte
	mode          fs.FileMode
}

// changeFiles edits the files: all are made ready before the first is written.
func (s *setupRun) changeFiles() error {
	var all []rewrite
	if s.file.PrintOnly {
		if err := s.tellCommand(); err != nil {
			return err
		}
	} else {
		w, err := s.editEntry()
		if err != nil {
			return err
		}
		all = append(all, w)
	}
	if s.r.AgentsMD {
		w, err := editAgents(s.agentsFile())
		if err != nil {
			return err
		}
		all = append(all, w)
	}
	for _, w := range all {
		if err := s.writeFile(w); err != nil {
			return err
		}
	}
	s.mentionOthers()
	return nil
}

// tellCommand is what is left for a file that the client rewrites at will.
func (s *setupRun) tellCommand() error {
	p, err := s.file.Print(s.entry)
	if err != nil {
		return err
	}
	s.addNote(fmt.Sprintf("%s was left alone, because %s rewrites it at any moment: run the command", s.file.Path, s.client.Title))
	if s.r.Remove {
		s.done.Command = p.Remove
		return nil
	}
	s.done.Command = s.hideTokens(p.Command)
	return s.explainSource([]byte(p.Entry))
}

// editEntry makes the client's file ready.
func (s *setupRun) editEntry() (rewrite, error) {
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
	if s.entry.URL != "" && s.entry.Token == "" && s.m.holdsToken(string(kept)) {
		if kept, err = s.file.Remove(kept); err != nil { // our token is not for the server of that URL
			return w, err
		}
	}
	if w.after, err = s.file.Edit(kept, s.entry); err != nil {
		return w, err
	}
	return w, s.explainSource(w.after)
}

func editAgents(path string) (rewrite, error) {
	before, err := clients.Load(path)
	if err != nil {
		return rewrite{}, err
	}
	after, err := clients.AgentsBlock(path, before)
	return rewrite{path, before, after, 0o644}, err
}

func (s *setupRun) writeFile(w rewrite) error {
	change := Rewritten{Path: w.path, Outcome: "written"}
	switch {
	case bytes.Equal(w.before, w.after):
		change.Outcome = "unchanged"
	case s.r.DryRun:
		change.Outcome, change.Diff = "planned", s.hideTokens(clients.Diff(w.path, w.before, w.after))
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

// mentionOthers names the other files in which the client finds an entry.
func (s *setupRun) mentionOthers() {
	for _, f := range s.client.Files(s.place) {
		found, _ := readEntries(f) // what does not parse is doctor's matter
		for _, r := range found {
			if f.Path != s.file.Path && r.Name == clients.Server {
				s.addNote(fmt.Sprintf("%s also has an entry, for the scope %s", f.Path, f.Scope))
			}
		}
	}
}

// readEntries returns the entries of a file that exists.
func readEntries(f clients.File) ([]clients.Registered, error) {
	if !f.Exists {
		return nil, nil
	}
	data, err := clients.Load(f.Path)
	if err != nil {
		return nil, err
	}
	return f.Read(data)
}

// explainSource says what will name the project in the server of the entry in text.
func (s *setupRun) explainSource(text []byte) error {
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
		s.addNote("the entry carries no token: add that of the server, if it wants one")
	}
	return nil
}
