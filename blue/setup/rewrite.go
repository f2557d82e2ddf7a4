package setup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"blue/blue"
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
	s.leaveShared()
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
	s.mentionOthers()
	return nil
}

// leaveShared leaves the block in a file that another client of the project reads too.
func (s *setupRun) leaveShared() {
	if !s.r.Remove || s.r.AgentsMD || s.r.Only != "" {
		return
	}
	s.files = slices.DeleteFunc(s.files, func(f clients.File) bool {
		for _, other := range clients.All() {
			if !f.IsBlock() || other.Name == s.client.Name || !s.isSetUp(other) {
				continue
			}
			if read, _ := other.Targets(s.place, clients.Project, clients.Instructions); len(read) > 0 && read[0].Path == f.Path {
				s.addNote(fmt.Sprintf("%s keeps the block, which %s reads too", f.Path, other.Title))
				return true
			}
		}
		return false
	})
}

// isSetUp reports a client that has an entry in the project, apart from the files of this run.
func (s *setupRun) isSetUp(c clients.Client) bool {
	f, err := c.Target(s.place, clients.Project)
	if err != nil || slices.ContainsFunc(s.files, func(own clients.File) bool { return own.Path == f.Path }) {
		return false
	}
	found, _ := f.Entries() // what does not parse is doctor's matter
	return slices.ContainsFunc(found, clients.Registered.IsBlue)
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
	if w.before, err = f.Load(); err != nil {
		return w, err
	}
	if s.r.Remove {
		copied := f.Copied()
		if present := f.Present(w.before); len(present) > 0 {
			w.Holds = present
		}
		w.after, err = f.Remove(w.before, copied)
		if w.after == nil && w.before != nil && copied != nil && clients.IsEmpty(copied) {
			w.after = copied // the file is older than Blue's part
		}
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
		change.Outcome, change.Diff = "planned", s.hideTokens(diff(w.before, w.after))
	default:
		if s.r.Remove {
			change.Outcome = "removed"
		}
		if err := s.replaceFile(w); err != nil {
			return err
		}
	}
	if s.r.Remove && !s.r.DryRun && !s.holdsBlue(w.File, w.after) {
		if err := w.DropCopy(); err != nil {
			return err
		}
	}
	s.done.Files = append(s.done.Files, change)
	return nil
}

// replaceFile keeps a copy of what the file was before Blue came to it, and writes.
func (s *setupRun) replaceFile(w rewrite) error {
	fresh := !s.r.Remove && w.before != nil && (w.Copied() == nil || !s.holdsBlue(w.File, w.before))
	if fresh {
		if err := w.KeepCopy(w.before); err != nil {
			return err
		}
	}
	err := w.Write(w.before, w.after)
	if err != nil && fresh {
		_ = w.DropCopy() // nothing was written
	}
	return err
}

// holdsBlue reports whether the text of a file holds any part of Blue, also one that
// this run leaves alone.
func (s *setupRun) holdsBlue(f clients.File, text []byte) bool {
	if s.r.Client != "" {
		all, _ := s.client.Targets(s.place, clients.Scope(s.r.Scope), clients.MCP, clients.Hooks, clients.Permission, clients.Instructions)
		if i := slices.IndexFunc(all, func(other clients.File) bool { return other.Path == f.Path }); i >= 0 {
			f = all[i]
		}
	}
	without, err := f.Remove(text)
	return err != nil || !bytes.Equal(without, text)
}

// diff shows what changes in a file, each change with one line beside it: few, for the
// neighbours of Blue's entry may hold secrets of other servers.
func diff(before, after []byte) string {
	lines := blue.Diff(string(before), string(after))
	changes := func(i int) bool {
		return i >= 0 && i < len(lines) && (lines[i].How == "gone" || lines[i].How == "new")
	}
	var b strings.Builder
	for i, line := range lines {
		sign := map[string]string{"gone": "-", "new": "+"}[line.How]
		switch {
		case changes(i):
			b.WriteString(sign + line.Text + "\n")
		case line.How == "same" && (changes(i-1) || changes(i+1)):
			b.WriteString(" " + line.Text + "\n")
		case changes(i - 2):
			b.WriteString("…\n")
		}
	}
	return b.String()
}

// mentionOthers names the other files in which the client finds an entry, or hooks.
func (s *setupRun) mentionOthers() {
	for _, scope := range []clients.Scope{clients.Project, clients.User} {
		f, _ := s.client.HookFile(s.place, scope)
		text, _ := clients.Load(f.Path) // what cannot be read is doctor's matter
		if found, _ := f.HasHooks(text, s.m.Self); found && !s.r.Remove && string(scope) != s.r.Scope && slices.Contains(s.parts, clients.Hooks) {
			s.addNote(fmt.Sprintf("%s also has hooks, for the scope %s: with both, Blue is asked twice", f.Path, scope))
		}
	}
	for _, f := range s.client.Files(s.place) {
		found, _ := f.Entries() // what does not parse is doctor's matter
		for _, r := range found {
			written := slices.ContainsFunc(s.files, func(w clients.File) bool { return w.Path == f.Path })
			if !written && r.Name == clients.Server && slices.Contains(s.parts, clients.MCP) {
				s.addNote(fmt.Sprintf("%s also has an entry, for the scope %s", f.Path, f.Scope))
			}
		}
	}
}
