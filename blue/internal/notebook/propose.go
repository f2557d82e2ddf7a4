package notebook

import (
	"context"
	"strings"

	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/errors"
)

// proposes reports whether what this call writes waits for a person.
func (nb *Notebook) proposes() bool { return nb.Found.Propose && !nb.Call.Door.Terminal }

// onlyVerifies reports whether an edit says that a note still holds, and nothing else.
func (c Change) onlyVerifies() bool {
	return c == Change{ID: c.ID, Revision: c.Revision, Verified: true}
}

// refuseAgent returns an error if an agent changes a note that is no proposal, in a project in which agents
// propose.
func (nb *Notebook) refuseAgent(name string, data []byte) error {
	status := note.ParseText(name, data).Status
	if !nb.proposes() || note.IsProposed(status) {
		return nil
	}
	return errors.E(errors.Denied, "the status of %s is %s: in this project agents change proposals alone", errors.Quote(note.IDOf(name)), errors.Quote(note.State(status))).
		Hint("", "", "write a note that supersedes it; it is in force when a person has accepted it")
}

// propose gives the note that an agent has changed the status proposed again, if a former text took it away.
// It refuses any other status.
func (nb *Notebook) propose(n *note.Text, c Change) error {
	if !nb.proposes() || c.onlyVerifies() {
		return nil
	}
	if c.Status != nil && !note.IsProposed(*c.Status) {
		return errors.E(errors.Denied, "the status %s is for a person to give: in this project agents propose", errors.Quote(*c.Status)).
			Hint("", "", "leave the status out; a person runs blue review --proposed")
	}
	if note.IsProposed(n.Status) {
		return nil
	}
	return n.SetKey("status", note.Proposed)
}

// Proposal names a note that is accepted or rejected. With a Revision, or the beginning of one, the note must
// still have it.
type Proposal struct{ ID, Revision string }

// Accept puts proposed notes in force. It changes nothing if one of them is not proposed.
func (nb *Notebook) Accept(ctx context.Context, all ...Proposal) (result.Decided, error) {
	return nb.decide(ctx, all, func(n note.Text) Change {
		status := note.Accepted
		if n.Type != note.TypeDecision {
			status = note.Active
		}
		return Change{Status: &status}
	})
}

// Reject sets proposed notes aside, and adds the reason to their text if there is one. It changes
// nothing if one of them is not proposed.
func (nb *Notebook) Reject(ctx context.Context, why string, all ...Proposal) (result.Decided, error) {
	return nb.decide(ctx, all, func(note.Text) Change {
		status := note.Rejected
		if why = strings.TrimSpace(why); why == "" {
			return Change{Status: &status}
		}
		reason := "Rejected: " + why
		return Change{Status: &status, Append: &reason}
	})
}

// decide makes the change of each proposal.
func (nb *Notebook) decide(ctx context.Context, all []Proposal, change func(note.Text) Change) (s result.Decided, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return s, err
	}
	err = nb.Update(ctx, "edit", func(tx *Tx) error {
		s = result.Decided{About: tx.About(), Notes: []result.Edited{}}
		names, changes := []string{}, map[string]Change{}
		for _, p := range all {
			name, n, revision, err := tx.readProposal(p)
			if err != nil {
				return err
			}
			if _, twice := changes[name]; !twice {
				names = append(names, name)
			}
			c := change(n)
			c.Revision = revision
			changes[name] = c
		}
		for _, name := range names {
			done, err := tx.edit(name, changes[name])
			if err != nil && tx.files != nil { // a database takes back what was done
				return s.Stopped(err)
			}
			if err != nil {
				return err
			}
			done.About, done.Status = result.About{}, *changes[name].Status
			s.Notes = append(s.Notes, done)
		}
		return nil
	})
	return s, err
}

// readProposal reads a note, which must be proposed.
func (tx *Tx) readProposal(p Proposal) (name string, n note.Text, revision string, err error) {
	row, err := tx.findNote(p.ID)
	if err != nil {
		return "", n, "", err
	}
	data, revision, err := tx.store.Read(row.Name)
	if err != nil {
		return "", n, "", err
	}
	n = note.ParseText(row.Name, data)
	id := row.ID
	switch {
	case !note.IsProposed(n.Status):
		err = errors.E(errors.Invalid, "%s is not proposed: its status is %s", errors.Quote(id), errors.Quote(note.State(n.Status))).
			Hint("review", "--proposed", "see what is").
			Hint("edit", id+" --status rejected", "or set this note aside")
	case !strings.HasPrefix(revision, p.Revision):
		err = errors.E(errors.Conflict, "the proposal %s has changed: it is not of the revision %s any more", errors.Quote(id), errors.Quote(p.Revision)).
			Hint("read", id, "read it again, and accept or reject what it says now")
	}
	return row.Name, n, revision, err
}
