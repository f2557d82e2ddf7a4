// Package remote keeps the notes of a working copy with a blue server, as package ref keeps
// them with git. A commit here is a list of notes by their revisions. What the files were
// last in line with, the base, is such a list in the state directory of the user; the texts
// of it are in the history of the server.
//
// What a server says is bounded and checked before anything else sees it, and it gets
// nothing but the notes of notes/ that were given to [Server.Commit].
package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/blue/internal/exchange"
	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/store"
	"blue/errors"
)

// Options are what a server is asked with.
type Options struct {
	At    Address
	Token Token
	Base  string    // the file of what the files were last in line with
	Sure  bool      // notes may be sent: a list that has them already is as good as a write
	Code  *ref.Repo // the repository of the code, nil for none
}

// Server is a project on a server, for one sync.
type Server struct {
	o      Options
	client client
	base   snapshot
	there  snapshot
	next   snapshot // what the files are to be in line with
	listed map[string]Entry
	names  map[string]string // a note of each text that the server has, by revision
	texts  map[string][]byte // tombstones, by revision
	inCode map[string]string // a blob of each text that the commits of the code have, by revision
	fresh  map[string]bool   // revisions that the server may not have, which read gives
	read   func(id string) ([]byte, error)
}

// snapshot is the notes of a project at a moment.
type snapshot struct {
	Project string            `json:"project"`
	Stand   string            `json:"stand"` // of the server when it had these, empty when it never had just these
	Commit  string            `json:"commit"`
	Notes   map[string]string `json:"notes"` // revision by name
	Trash   map[string]string `json:"trash"` // revision of the tombstone by name
}

// Open makes no connection.
func Open(o Options) *Server {
	s := &Server{o: o, client: newClient(o.At, o.Token), names: map[string]string{}, texts: map[string][]byte{}, inCode: map[string]string{}}
	if text, err := os.ReadFile(o.Base); err != nil || json.Unmarshal(text, &s.base) != nil {
		s.base = snapshot{} // a sync without it does more, and the same
	}
	return s
}

// Quiet reports whether the server has just what the files were last in line with.
func (s *Server) Quiet(ctx context.Context, commit string) (bool, error) {
	if s.base.Commit != commit || s.base.Stand == "" {
		return false, nil
	}
	a, err := s.client.ask(ctx, Request{Ask: List, Stand: s.base.Stand})
	return err == nil && a.Same && a.Project == s.base.Project, err
}

// Heads reads the base, and with ask what the server has.
func (s *Server) Heads(ctx context.Context, ask bool) (ref.Heads, error) {
	if ask {
		if err := s.list(ctx); err != nil {
			return ref.Heads{}, err
		}
	}
	return ref.Heads{Base: s.base.Commit, Remote: s.there.Commit, Project: s.there.Project}, nil
}

func (s *Server) list(ctx context.Context) error {
	a, err := s.client.ask(ctx, Request{Ask: List, Stand: s.base.Stand, Sure: s.o.Sure})
	if err == nil && a.Project != s.base.Project {
		if s.base = (snapshot{}); a.Same {
			a, err = s.client.ask(ctx, Request{Ask: List, Sure: s.o.Sure})
		}
	}
	if err != nil {
		return err
	}
	s.listed = map[string]Entry{}
	if s.there = s.base; !a.Same {
		if err := s.take(a); err != nil {
			return err
		}
		if err := s.forgetLost(ctx); err != nil {
			return err
		}
	}
	for _, list := range []map[string]string{s.base.Notes, s.there.Notes} {
		for name, revision := range list {
			s.names[revision] = name
		}
	}
	return nil
}

// forgetLost takes out of the base what the server knows of no more, as after a backup was
// put back: a note that is neither there nor removed, and one whose text it never had. They
// count as written apart, so that nothing of them is undone here.
func (s *Server) forgetLost(ctx context.Context) error {
	known, changed := map[string]string{}, map[string]string{}
	for name, revision := range s.base.Notes {
		switch now := s.there.Notes[name]; {
		case now == revision || now == "" && s.there.Trash[name] != "":
			known[name] = revision
		case now != "":
			changed[name] = revision
		}
	}
	there, err := s.Former(ctx, "", changed)
	for name := range there {
		known[name] = changed[name]
	}
	if len(known) < len(s.base.Notes) {
		s.base.Notes, s.base.Stand = known, ""
	}
	return err
}

// take makes a snapshot of what the server has listed.
func (s *Server) take(a Answer) error {
	if len(a.Notes) > mostNotes {
		return errors.ServerOdd(s.o.At.URL, fmt.Sprintf("it has more than %d notes", mostNotes))
	}
	s.there = snapshot{Project: a.Project, Stand: a.Stand, Notes: map[string]string{}, Trash: map[string]string{}}
	total := int64(0)
	for _, e := range a.Notes {
		s.listed[e.Name] = e
		if e.Removed == 0 && refuse(e) == "" {
			s.there.Notes[e.Name] = e.Revision
			total += e.Size
		}
	}
	for _, e := range a.Notes {
		if e.Removed > 0 && refuse(e) == "" && s.there.Notes[e.Name] == "" {
			mark := exchange.Tombstone{ID: note.IDOf(e.Name), Revision: e.Revision, Removed: time.Unix(0, e.Removed), By: e.Author}.Text()
			s.there.Trash[e.Name] = s.ID(mark)
			s.texts[s.ID(mark)] = mark
		}
	}
	if total > mostBytes {
		return errors.ServerOdd(s.o.At.URL, fmt.Sprintf("its notes have more than %d MiB", mostBytes>>20))
	}
	s.there.Commit = s.there.digest()
	return nil
}

// refuse says why an entry is left out, empty when it is not.
func refuse(e Entry) string {
	switch {
	case e.Size < 0 || e.Size > store.Limit:
		return "it is larger than 1 MiB"
	case !store.IsRevision(e.Revision):
		return "its revision is none"
	}
	return store.SafeName(e.Name)
}

// digest names what a snapshot holds.
func (n snapshot) digest() string {
	var b strings.Builder
	for _, list := range []map[string]string{n.Notes, n.Trash} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			b.WriteString(list[name] + " " + name + "\n")
		}
		b.WriteString("\n")
	}
	return store.Revision([]byte(b.String()))
}

// ReadTree is the notes of a commit: of the base, or of what the server has.
func (s *Server) ReadTree(_ context.Context, commit string) (ref.Tree, error) {
	t := ref.NewTree()
	from := s.base
	if commit != s.base.Commit {
		from = s.there
		for name, e := range s.listed {
			if why := refuse(e); why != "" {
				t.Refused[name] = why
			}
		}
	}
	maps.Copy(t.Notes, from.Notes)
	maps.Copy(t.Trash, from.Trash)
	return t, nil
}

// ID is the revision of a text.
func (s *Server) ID(text []byte) string { return store.Revision(text) }

// MergeBase is the first of two: what the server has always comes from the base.
func (s *Server) MergeBase(_ context.Context, one, _ string) (string, error) { return one, nil }

// Authors says who has last changed each note.
func (s *Server) Authors(context.Context, string, string) (map[string]string, error) {
	authors := map[string]string{}
	for name, e := range s.listed {
		authors[name] = e.Author
	}
	return authors, nil
}

// Move keeps what the server has as the base: the files hold all of it, and what they hold
// beside it is still to go there.
func (s *Server) Move(context.Context, ref.Heads, string) error {
	if s.base.Stand == s.there.Stand && s.base.Commit == s.there.Commit {
		return nil
	}
	if s.base = s.there; !s.o.Sure {
		s.base.Stand = "" // the next sync that sends notes asks for a list that is sure
	}
	return s.save()
}

func (s *Server) save() error {
	text, err := json.Marshal(s.base)
	if err != nil {
		return err
	}
	return atomicfile.File{Path: s.o.Base}.Replace(text)
}

// Commit makes a snapshot of a tree. Those of its texts that the server may not have are
// fresh, and given by read, which [Server.Push] calls.
func (s *Server) Commit(_ context.Context, t ref.Tree, fresh []string, read func(id string) ([]byte, error), _ string, _ []string) (string, error) {
	s.next = snapshot{Project: s.there.Project, Notes: maps.Clone(t.Notes), Trash: maps.Clone(t.Trash)}
	s.next.Commit = s.next.digest()
	s.fresh, s.read = map[string]bool{}, read
	for _, id := range fresh {
		s.fresh[id] = true
	}
	return s.next.Commit, nil
}
