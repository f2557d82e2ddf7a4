package setup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"blue/blue/internal/clients"
)

// rewrite is a file before and after.
type rewrite struct {
	clients.File
	before, after []byte
}

// changeFiles edits the files: all are made ready before the first is written.
func (s *setupRun) changeFiles() error {
	var all []rewrite
	for _, f := range s.files {
		if f.PrintOnly {
			if err := s.tellCommand(f); err != nil {
				return err
			}
			continue
		}
		w, err := s.edit(f)
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
	if slices.Contains(s.parts, clients.MCP) {
		s.mentionOthers()
	}
	return nil
}

// tellCommand is what is left for a file that the client rewrites at will.
func (s *setupRun) tellCommand(f clients.File) error {
	p, err := f.Print(s.entry)
	if err != nil {
		return err
	}
	s.addNote(fmt.Sprintf("%s was left alone, because %s rewrites it at any moment: run the command", f.Path, s.client.Title))
	if s.r.Remove {
		s.done.Command = p.Remove
		return nil
	}
	s.done.Command = s.hideTokens(p.Command)
	return s.explainParts(f, []byte(p.Entry))
}

// edit makes a file ready.
func (s *setupRun) edit(f clients.File) (rewrite, error) {
	w := rewrite{File: f}
	var err error
	if w.before, err = clients.Load(f.Path); err != nil {
		return w, err
	}
	if s.r.Remove {
		var originals [][]byte
		if copied := clients.Copied(f.Path); copied != nil {
			originals = append(originals, copied)
		}
		w.after, err = f.Remove(w.before, originals...)
		return w, err
	}
	kept := w.before
	if s.entry.URL != "" && s.entry.Token == "" && s.m.holdsToken(string(kept)) {
		if kept, err = f.Remove(kept); err != nil { // our token is not for the server of that URL
			return w, err
		}
	}
	if w.after, err = f.Edit(kept, s.entry); err != nil {
		return w, err
	}
	return w, s.explainParts(f, w.after)
}

func (s *setupRun) writeFile(w rewrite) error {
	var holds []string
	for _, part := range w.Holds {
		holds = append(holds, part.String())
	}
	change := Rewritten{Path: w.Path, Holds: strings.Join(holds, ", "), Outcome: "written"}
	switch {
	case bytes.Equal(w.before, w.after) && (w.before == nil) == (w.after == nil):
		change.Outcome = "unchanged"
	case s.r.DryRun:
		change.Outcome, change.Diff = "planned", s.hideTokens(clients.Diff(w.Path, w.before, w.after))
	default:
		if s.r.Remove {
			change.Outcome = "removed"
		}
		if err := clients.Write(w.Path, w.before, w.after, w.Mode()); err != nil {
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
			written := slices.ContainsFunc(s.files, func(w clients.File) bool { return w.Path == f.Path })
			if !written && r.Name == clients.Server {
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
