// Package server serves projects whose notes are in a database. It identifies callers, selects
// the project of a call among those that the caller may see, and opens it with an index that is
// up to date. It also implements the commands that administer a server. docs/server.md
// describes each step of a call.
package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"

	"blue/blue"
	"blue/blue/internal/oidc"
	"blue/blue/internal/postgres"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// Options configure a server.
type Options struct {
	Store      string // URL of the database
	Blue       *blue.Blue
	CacheSize  int64  // bytes of the indexes
	StaleReads bool   // whether reads use the index alone while the database does not answer
	Issuer     Issuer // whose tokens are accepted besides those of the database; none without a URL
}

// Issuer configures the issuer of access tokens.
type Issuer = oidc.Options

// Server serves the projects of a database to many callers.
type Server struct {
	o      Options
	d      *postgres.Database
	issuer *oidc.Issuer // nil for none
	known  callers
}

// Open opens the database of a server. It succeeds if the database cannot be reached yet, and
// fails if the tables have another version.
func Open(ctx context.Context, o Options) (*Server, error) {
	s := &Server{o: o}
	if o.Issuer.URL != "" {
		var err error
		if s.issuer, err = oidc.Open(o.Issuer); err != nil {
			return nil, err
		}
	}
	d, err := postgres.Open(o.Store)
	if err != nil {
		return nil, err
	}
	if err := d.Check(ctx); err != nil && !errors.Is(err, errors.Busy) {
		d.Close()
		return nil, err
	}
	s.d = d
	return s, nil
}

// Close closes the connections.
func (s *Server) Close() { s.d.Close() }

// Ready returns why calls cannot be answered now, or nil.
func (s *Server) Ready(ctx context.Context) error { return s.d.Check(ctx) }

// Open opens the project that a call means, among those that the caller may see. Others do not
// exist for the caller.
func (s *Server) Open(ctx context.Context, a blue.Asked) (*blue.Project, error) {
	c, err := s.callerOf(ctx, a)
	if err != nil {
		return nil, err
	}
	seen, named, err := choose(c.Seen, a)
	if err != nil {
		return nil, err
	}
	found := marker.Found{Address: marker.Address{ID: seen.ID, Name: seen.Name}, Source: named.Source, Value: named.Value}
	h := blue.Hosted{Project: found, Subject: c.Subject, Client: a.Client, Stale: c.stale}
	if a.Cwd != nil {
		h.Project.Trace = append(h.Project.Trace, marker.Tried{Source: marker.Argument, Value: a.Cwd, Outcome: marker.Absent, Detail: "not seen from here"})
	}
	stand, err := s.stand(ctx, seen.ID, c)
	if errors.Is(err, errors.Busy) && s.o.StaleReads {
		h.Stale = true
		stand.Own, _ = s.known.own.get([2]string{seen.ID, c.Subject})
	} else if err != nil {
		return nil, err
	}
	owner := "" // a project has one index for all, and one for each subject with private notes there
	if stand.Own {
		owner = c.Subject
	}
	sum := sha256.Sum256([]byte(seen.ID + "\x00" + owner))
	h.Index = filepath.Join("served", hex.EncodeToString(sum[:16]))
	h.Notes = notes{h.Stale, s.d.Notes(ctx, postgres.Access{
		Project: seen.ID, Subject: c.Subject, Client: a.Client, Role: seen.Role, Stand: stand,
	})}
	p, err := s.o.Blue.OpenHosted(ctx, h)
	s.o.Blue.BoundHosted(s.o.CacheSize)
	return p, err
}

// callerOf returns the caller of a call. On a server that asks for no token it sees everything.
func (s *Server) callerOf(ctx context.Context, a blue.Asked) (*Caller, error) {
	if c, ok := a.Caller.(*Caller); ok {
		return c, nil
	}
	everything, err := s.d.Everything(ctx)
	return &Caller{Caller: everything}, err
}

// stand returns the state of a project's notes. It fails for a caller from the cache, which only
// gets stale reads even if the database answers again.
func (s *Server) stand(ctx context.Context, project string, c *Caller) (postgres.Stand, error) {
	if c.stale {
		return postgres.Stand{}, errors.DatabaseAway(nil)
	}
	stand, err := s.d.Stand(ctx, project, c.Subject)
	if err == nil && s.o.StaleReads {
		s.known.own.put([2]string{project, c.Subject}, stand.Own)
	}
	return stand, err
}

// choose returns the project that a call names, or the only one.
func choose(seen []postgres.Seen, a blue.Asked) (postgres.Seen, blue.NamedProject, error) {
	var names []string
	for _, s := range seen {
		names = append(names, s.Name)
	}
	if len(a.Names) > 0 { // the first counts, and what it names is not there or is meant
		named := a.Names[0]
		if meant, ok := find(seen, named.Value); ok {
			return meant, named, nil
		}
		near := errors.Near(named.Value, names...)
		others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(near, name) })
		return postgres.Seen{}, named, mustChoose(errors.NotDetected, "no project "+errors.Quote(named.Value)+" here",
			append(near, others...))
	}
	switch {
	case len(seen) == 1:
		return seen[0], blue.NamedProject{Source: "the only project"}, nil
	case a.Cwd != nil:
		return postgres.Seen{}, blue.NamedProject{}, mustChoose(errors.NoProject,
			"cwd is a path of your machine, which this server cannot see", names)
	}
	return postgres.Seen{}, blue.NamedProject{}, mustChoose(errors.NoProject, "the call names no project", names)
}

// mustChoose returns an error that names the projects of the caller and how to choose one.
func mustChoose(kind errors.Kind, message string, names []string) *errors.Error {
	names = errors.Lines(names, len(names), 80)
	e := errors.E(kind, "%s", message).With(map[string]any{"candidates": names})
	if len(names) == 0 {
		return e.Hint("", "", "you have no access to any project here: ask the people who run the server")
	}
	return e.Hint("", "", "name one of them: "+errors.List(names, 12)).
		Hint("", "", "with blue_use project=NAME, ?project=NAME in the URL, or the header Blue-Project: NAME")
}

// find finds a project by its name, its id, or the id of its checkouts when no other has it.
func find(seen []postgres.Seen, named string) (meant postgres.Seen, ok bool) {
	for _, key := range []func(s postgres.Seen) string{
		func(s postgres.Seen) string { return s.Name },
		func(s postgres.Seen) string { return s.ID },
		func(s postgres.Seen) string { return s.Checkout },
	} {
		count := 0
		for _, s := range seen {
			if named != "" && key(s) == named {
				meant = s
				count++
			}
		}
		if count == 1 {
			return meant, true
		}
	}
	return meant, false
}

// notes implements [blue.HostedNotes].
type notes struct {
	stale bool
	*postgres.Notes
}

// Texts returns a reader of many notes.
func (n notes) Texts() blue.Texts { return n.Notes.Texts() }

// Committed returns the notes without the changes of the current write.
func (n notes) Committed() blue.Notes { return notes{n.stale, n.Notes.Committed()} }

// Lock begins a write.
func (n notes) Lock(ctx context.Context, verb string) (blue.Writer, error) {
	if n.stale {
		return nil, errors.DatabaseAway(nil)
	}
	return n.Notes.Lock(ctx, verb)
}

// Changes returns what has changed since a change.
func (n notes) Changes(since store.Mark) (all []blue.HostedChange, known bool, err error) {
	changes, known, err := n.Notes.Changes(since)
	for _, c := range changes {
		all = append(all, blue.HostedChange(c))
	}
	return all, known, err
}

// Pool returns the number of open connections, of those in use, and the limit.
func (s *Server) Pool() (open, busy, most int) { return s.d.Pool() }

// Cache returns the size of the indexes and the number of open ones.
func (s *Server) Cache() (bytes int64, open int) {
	return s.o.Blue.BoundHosted(cmp.Or(s.o.CacheSize, 1))
}
