// Package remote keeps the notes of a working copy with a blue server, as package ref keeps
// them with git. A commit here is a list of notes by their revisions. What the files were
// last in line with, the base, is such a list in the state directory of the user; the texts
// of it are in the history of the server.
//
// What a server says is bounded and checked before anything else sees it, and it gets
// nothing but the notes of notes/ that were given to [Server.Commit].
package remote

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
	Base  string // the file of what the files were last in line with
	Sure  bool   // notes may be sent: a list that has them already is as good as a write
}

// Server is a project on a server, for one sync.
type Server struct {
	o      Options
	client client
	base   ref.Snapshot
	there  ref.Snapshot
	next   ref.Snapshot // what the files are to be in line with
	listed map[string]Entry
	names  map[string]string // a note of each text that the server has, by revision
	texts  map[string][]byte // tombstones, by revision
	read   *exchange.Shelf   // texts that were read for their uids
	fresh  map[string]bool   // revisions that the server may not have, which own gives
	own    func(id string) ([]byte, error)
}

// Open makes no connection.
func Open(o Options) *Server {
	return &Server{o: o, client: newClient(o.At, o.Token), base: ref.LoadSnapshot(o.Base), names: map[string]string{}, texts: map[string][]byte{}, read: exchange.NewShelf(filepath.Dir(o.Base))}
}

// Close gives up what is open.
func (s *Server) Close() { s.read.Close() }

// Heal knows no help.
func (s *Server) Heal(_ context.Context, err error) error { return err }

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
		if s.base = (ref.Snapshot{}); a.Same {
			a, err = s.client.ask(ctx, Request{Ask: List, Sure: s.o.Sure})
		}
	}
	if err != nil {
		return err
	}
	for _, n := range s.base.Notes {
		s.names[n[1]] = n[0]
	}
	s.listed = map[string]Entry{}
	if s.there = s.base; !a.Same {
		if err := s.take(ctx, a); err != nil {
			return err
		}
		return s.forgetLost(ctx)
	}
	return nil
}

// forgetLost takes out of the base what the server knows of no more, as after a backup was
// put back: a note that is neither there nor removed, and one whose text it never had. They
// count as written apart, so that nothing of them is undone here.
func (s *Server) forgetLost(ctx context.Context) error {
	known, changed, uids := map[string][3]string{}, map[string]string{}, map[string]string{}
	for uid, n := range s.base.Notes {
		switch now := s.there.Notes[uid]; {
		case now[1] == n[1] || now[1] == "" && s.there.Trash[uid] != "":
			known[uid] = n
		case now[1] != "":
			changed[n[0]], uids[n[0]] = n[1], uid
		}
	}
	former, err := s.former(ctx, changed)
	for name := range former {
		known[uids[name]] = s.base.Notes[uids[name]]
	}
	if len(known) < len(s.base.Notes) {
		s.base.Notes, s.base.Stand = known, ""
	}
	return err
}

// take makes a snapshot of what the server has listed.
func (s *Server) take(ctx context.Context, a Answer) error {
	if len(a.Notes) > mostNotes {
		return errors.ServerOdd(s.o.At.URL, fmt.Sprintf("it has more than %d notes", mostNotes))
	}
	inBase := map[string]string{} // uid by name
	for uid, n := range s.base.Notes {
		inBase[n[0]] = uid
	}
	claims, unread, total := map[string][]string{}, map[string][]string{}, int64(0) // names, by uid and by revision
	for _, e := range a.Notes {
		if there, twice := s.listed[e.Name]; !twice || there.Removed > 0 { // one that came back is listed as removed too
			s.listed[e.Name] = e
		}
		if e.Removed > 0 || refuse(e) != "" {
			continue
		}
		s.names[e.Revision] = e.Name
		total += e.Size
		if uid := inBase[e.Name]; uid != "" && s.base.Notes[uid][1] == e.Revision {
			claims[uid] = append(claims[uid], e.Name)
		} else {
			unread[e.Revision] = append(unread[e.Revision], e.Name)
		}
	}
	if total > mostBytes {
		return errors.ServerOdd(s.o.At.URL, fmt.Sprintf("its notes have more than %d MiB", mostBytes>>20))
	}
	err := s.ReadTexts(ctx, slices.Collect(maps.Keys(unread)), func(revision string, text []byte) error {
		s.read.Put(revision, text)
		for _, name := range unread[revision] {
			n := note.ParseText(name, text)
			claims[n.Identity()] = append(claims[n.Identity()], name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.there = ref.Snapshot{Project: a.Project, Stand: a.Stand, Notes: map[string][3]string{}, Trash: map[string]string{}}
	for claimed, names := range claims {
		slices.Sort(names)
		for i, uid := range ref.AssignUIDs(claimed, names, s.base.Notes[claimed][0]) {
			revision := s.listed[names[i]].Revision
			s.there.Notes[uid] = [3]string{names[i], revision, revision}
		}
	}
	for _, e := range a.Notes {
		uid := cmp.Or(inBase[e.Name], ref.NoUID+e.Name)
		if e.Removed == 0 || refuse(e) != "" || s.there.Notes[uid][0] != "" {
			continue
		}
		mark := exchange.Tombstone{UID: uid, ID: note.IDOf(e.Name), Revision: e.Revision, Removed: time.Unix(0, e.Removed), By: e.Author}.Text()
		s.there.Trash[uid] = s.ID(mark)
		s.texts[s.ID(mark)] = mark
	}
	s.there.Commit = digest(s.there.Tree())
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

// digest names what a tree holds.
func digest(t ref.Tree) string {
	var b strings.Builder
	for _, uid := range slices.Sorted(maps.Keys(t.Notes)) {
		b.WriteString(uid + " " + t.Notes[uid].Blob + " " + t.Notes[uid].Name + "\n")
	}
	b.WriteString("\n")
	for _, uid := range slices.Sorted(maps.Keys(t.Trash)) {
		b.WriteString(uid + " " + t.Trash[uid] + "\n")
	}
	return store.Revision([]byte(b.String()))
}

// ReadTree is the notes of a commit: of the base, or of what the server has.
func (s *Server) ReadTree(_ context.Context, commit string) (ref.Tree, error) {
	if commit == s.base.Commit {
		return s.base.Tree(), nil
	}
	t := s.there.Tree()
	for name, e := range s.listed {
		if why := refuse(e); why != "" {
			t.Refused[name] = why
		}
	}
	return t, nil
}

// ID is the revision of a text.
func (s *Server) ID(text []byte) string { return store.Revision(text) }

// Authors says who has last changed each note.
func (s *Server) Authors(context.Context, string, string) (map[string]string, error) {
	authors := map[string]string{}
	for uid, n := range s.there.Notes {
		authors[uid] = s.listed[n[0]].Author
	}
	for uid, n := range s.base.Notes {
		if e := s.listed[n[0]]; e.Removed > 0 {
			authors[uid] = e.Author
		}
	}
	return authors, nil
}

// Move keeps what the files are in line with: what the server had, or what it was sent.
func (s *Server) Move(_ context.Context, commit string, t ref.Tree) error {
	to := s.next
	if commit == s.there.Commit {
		to = s.there
		if !s.o.Sure {
			to.Stand = "" // the next sync that sends notes asks for a list that is sure
		}
	}
	if s.base.Stand == to.Stand && s.base.Commit == commit {
		return nil
	}
	s.base = to
	s.base.Put(t)
	s.base.Trash = maps.Clone(t.Trash)
	for name, mark := range s.there.Trash { // of notes that the base knows of no more
		if !note.IsUID(name) {
			s.base.Trash[name] = mark
		}
	}
	return s.base.Save(s.o.Base)
}

// Commit makes a snapshot of a tree. Those of its texts that the server may not have are
// fresh, and given by own, which [Server.Push] calls.
func (s *Server) Commit(_ context.Context, _ string, t ref.Tree, fresh map[string]bool, own func(id string) ([]byte, error), _ string) (string, error) {
	s.next = ref.Snapshot{Project: s.there.Project, Commit: digest(t)}
	s.next.Put(t)
	s.fresh, s.own = fresh, own
	return s.next.Commit, nil
}
