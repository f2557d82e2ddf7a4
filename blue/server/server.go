// Package server serves projects whose notes are in a database. It identifies callers, selects
// the project of a call among those that the caller may see, and opens it with an index that is
// up to date. It also implements the commands that administer a server.
//
// A call looks up the token and the project in one round trip. It then reads the mark of the
// project's last change, and brings the index up to it. If the database lacks the change that the
// index ends with, a standby or a backup has taken its place, and the index is compared with all
// notes. A read answers from the index. A write locks the project, brings the index up to date
// again, compares the revision, and commits. docs/server.md says what a caller can rely on.
package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"blue/blue"
	"blue/blue/internal/oidc"
	"blue/blue/internal/postgres"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// Options configure a server.
type Options struct {
	Store     string // URL of the database
	Blue      *blue.Blue
	Log       *slog.Logger
	CacheSize int64  // bytes of all indexes
	Issuer    Issuer // its tokens are accepted like those of the database; none without a URL
}

// Issuer configures the issuer of access tokens.
type Issuer = oidc.Options

// Server serves the projects of a database to many callers.
type Server struct {
	o      Options
	d      *postgres.Database
	issuer *oidc.Issuer // nil for none

	indexes int // maximum number of open indexes; 0 for any number
}

// Open opens the database of a server. It succeeds even if the database cannot be reached yet,
// and fails if the tables have another version.
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
	if err := d.Check(ctx); errors.Is(err, errors.Busy) {
		e := errors.Of(err)
		o.Log.Warn("not ready", "reason", e.Message, "hint", e.Hints[0].Text)
	} else if err != nil {
		d.Close()
		return nil, err
	}
	s.d = d
	return s, nil
}

// Close closes the connections.
func (s *Server) Close() { s.d.Close() }

// Ready returns the reason why calls cannot be answered now, or nil.
func (s *Server) Ready(ctx context.Context) error { return s.d.Check(ctx) }

// Open opens the project that a call means, among those that the caller may see. For the caller
// no other projects exist.
func (s *Server) Open(ctx context.Context, a blue.Asked) (*blue.Project, error) {
	c, err := s.callerOf(ctx, a)
	if err != nil {
		return nil, err
	}
	seen, named, err := choose(ctx, c, a)
	if err != nil {
		return nil, err
	}
	found := marker.Found{Address: marker.Address{ID: seen.ID, Name: seen.Name}, Source: named.Source, Value: named.Value}
	h := blue.Hosted{Project: found, Subject: c.Subject, Client: a.Client}
	if a.Cwd != nil {
		h.Project.Trace = append(h.Project.Trace, marker.Tried{Source: marker.Argument, Value: a.Cwd, Outcome: marker.Absent, Detail: "not seen from here"})
	}
	stand, err := s.d.Stand(ctx, seen.ID, c.Subject)
	if err != nil {
		return nil, err
	}
	owner := "" // a project has one public index, and one for each subject with private notes there
	if stand.Own {
		owner = c.Subject
	}
	h.Index, h.Erased, h.View = filepath.Join(indexes, hashed(seen.ID)), stand.Erased, hashed(owner)
	h.Notes = notes{s.d.Notes(ctx, postgres.Access{
		Project: seen.ID, Subject: c.Subject, Client: a.Client, Role: seen.Role, Stand: stand,
	})}
	p, err := s.o.Blue.OpenHosted(ctx, h)
	s.o.Blue.BoundHosted(s.o.CacheSize, s.indexes)
	return p, err
}

// indexes is the directory of the indexes in the cache.
const indexes = "hosted"

func hashed(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:16])
}

// callerOf returns the caller of a call. On a server that asks for no token, the caller sees
// everything.
func (s *Server) callerOf(ctx context.Context, a blue.Asked) (*Caller, error) {
	if c, ok := a.Caller.(*Caller); ok {
		return c, nil
	}
	look := func(ctx context.Context, l Look) (*Caller, error) {
		everything, err := s.d.Everything(ctx, l)
		return &Caller{Caller: everything}, err
	}
	named := a.Named().Value
	if !isText(named) {
		named = "" // choose refuses it
	}
	c, err := look(ctx, Look{Named: named})
	c.named, c.look = named, look
	return c, err
}

// choose returns the project that a call names, or the only one.
func choose(ctx context.Context, c *Caller, a blue.Asked) (postgres.Seen, blue.NamedProject, error) {
	named := a.Named() // the first one counts: it is meant, or it does not exist
	if !isText(named.Value) {
		return postgres.Seen{}, named, errors.BadValue("project", errors.Visible(named.Value), "the name of a project, as text in UTF-8")
	}
	if named.Value != c.named {
		again, err := c.look(ctx, Look{Named: named.Value})
		if err != nil {
			return postgres.Seen{}, named, err
		}
		again.named, again.look = named.Value, c.look
		c = again
	}
	if len(a.Names) > 0 {
		if meant, ok := find(c.Seen, named.Value); ok {
			return meant, named, nil
		}
		return postgres.Seen{}, named, c.mustChoose(ctx, errors.NotDetected, "no project "+errors.Quote(named.Value)+" here")
	}
	switch {
	case len(c.Seen) == 1:
		return c.Seen[0], blue.NamedProject{Source: "the only project"}, nil
	case a.Cwd != nil:
		return postgres.Seen{}, named, c.mustChoose(ctx, errors.NoProject, "cwd is a path of your machine, which this server cannot see")
	}
	return postgres.Seen{}, named, c.mustChoose(ctx, errors.NoProject, "the call names no project")
}

// isText reports whether a database takes a text. No project has a name that it does not take.
func isText(name string) bool { return utf8.ValidString(name) && !strings.ContainsRune(name, 0) }

const (
	mostOffered = 100 // projects that a failure considers
	mostShown   = 12  // projects that its text names
)

// mustChoose returns an error that lists projects of the caller, first those that it may have
// meant, and how to choose one.
func (c *Caller) mustChoose(ctx context.Context, kind errors.Kind, message string) error {
	page, err := c.look(ctx, Look{Most: mostOffered + 1})
	if err != nil {
		return err
	}
	names := page.Projects()
	many := len(names) > mostOffered
	near := errors.Near(c.named, names...)
	if many && c.named != "" {
		like, err := c.look(ctx, Look{Part: c.named, Most: mostOffered})
		if err != nil {
			return err
		}
		near = append(like.Projects(), near...)
	}
	names = slices.Concat(near, names)
	for i := 0; i < len(names); i++ {
		rest := slices.DeleteFunc(names[i+1:], func(name string) bool { return name == names[i] })
		names = names[:i+1+len(rest)]
	}
	names = errors.Lines(names, mostOffered, 80)
	e := errors.E(kind, "%s", message).With(map[string]any{"candidates": names})
	if len(names) == 0 {
		return e.Hint("", "", "you have no access to any project here: ask the people who run the server")
	}
	shown := errors.List(names, mostShown)
	if many {
		shown = strings.Join(names[:mostShown], ", ") + "; there are more: name a part of one to see those that have it"
	}
	return e.Hint("", "", "name one of them: "+shown).
		Hint("", "", "with blue_use project=NAME, ?project=NAME in the URL, or the header Blue-Project: NAME")
}

// find finds a project by its name, by its id, or by the id of its checkouts if no other
// project has it.
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
type notes struct{ *postgres.Notes }

// Texts returns a reader of many notes.
func (n notes) Texts() blue.Texts { return n.Notes.Texts() }

// Committed returns the notes without the changes of the current write.
func (n notes) Committed() blue.Notes { return notes{n.Notes.Committed()} }

// Lock begins a write.
func (n notes) Lock(ctx context.Context, verb string) (blue.Writer, error) {
	return n.Notes.Lock(ctx, verb)
}

// Changes returns what has changed since a mark.
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
	return s.o.Blue.BoundHosted(cmp.Or(s.o.CacheSize, 1), s.indexes)
}

// Builds returns the number of index builds that wait, and of those in progress.
func (s *Server) Builds() (waiting, running int64) {
	b := s.o.Blue.Builds()
	return b.Waiting.Load(), b.Running.Load()
}

// LimitFiles bounds the files that indexes may have open. It must be called before the first call
// is served.
func (s *Server) LimitFiles(files int) { s.indexes = files / indexFiles }

const indexFiles = 4 // maximum of an open index: a base and a delta, and those that replace them

// Observe sets functions that are called with the duration of each transaction of the database
// and of each build of an index. It must be called before the first call is served.
func (s *Server) Observe(database, build func(took time.Duration)) {
	s.d.Observe, s.o.Blue.Builds().Took = database, build
}
