package notesync

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// errKilled is what a sync panics with where a scene kills it.
var errKilled = errors.New("killed")

// machine is a notebook on a machine of a scene.
type machine struct {
	t       testing.TB
	store   *store.Store
	replica *Replica
	stamps  int
	alive   int    // steps of the sync until it is killed, 0 if it is not
	beside  func() // what happens then, if it is not killed
}

// step counts a step of a sync, and kills the sync at the last one.
func (m *machine) step() {
	if m.alive > 0 {
		if m.alive--; m.alive == 0 && m.beside == nil {
			panic(errKilled)
		} else if m.alive == 0 {
			m.beside()
		}
	}
}

func (m *machine) Row(string) (row index.Row, ok bool) { return row, false }
func (m *machine) OfUID(string) []index.Row            { return nil }
func (m *machine) Conflicts(string) []result.Clash     { return nil }
func (m *machine) Stamps() map[string]index.Stamp      { return nil }
func (m *machine) Written()                            {}
func (m *machine) Token(string) (Credential, error)    { return Credential{}, nil }

func (m *machine) Stamp(context.Context) (string, error) {
	m.stamps++
	return fmt.Sprint(m.stamps), nil
}

func (m *machine) Lock(ctx context.Context) (*store.Held, error) {
	m.step()
	return m.store.Lock(ctx)
}

// killable is a backend before and after whose changes a sync can be killed.
type killable struct {
	backend
	m *machine
}

func (k killable) Move(ctx context.Context, commit string, t tree) error {
	k.m.step()
	defer k.m.step()
	return k.backend.Move(ctx, commit, t)
}

func (k killable) Push(ctx context.Context, h heads, t tree, texts textSource, message string) (string, error) {
	k.m.step()
	if k.m.alive == 1 && k.m.beside == nil { // nothing arrives
		unsent, cancel := context.WithCancel(ctx)
		cancel()
		_, _ = k.backend.Push(unsent, h, t, texts, message)
	}
	k.m.step()
	commit, err := k.backend.Push(ctx, h, t, texts, message)
	k.m.step()
	return commit, err
}

// sync syncs. It reports whether the sync has succeeded; with alive, it is killed at that step.
func (m *machine) sync(alive int) (out result.Synced, ok bool) {
	m.t.Helper()
	m.alive = alive
	defer func() {
		if err := recover(); err != nil && err != error(errKilled) {
			panic(err)
		}
		m.alive, m.beside = 0, nil
	}()
	m.replica.server = nil
	ctx := m.t.Context()
	s, err := m.replica.open(ctx, Options{AcceptRemovals: true})
	if err != nil {
		m.t.Fatal(err)
	}
	defer s.close()
	s.backend = killable{s.backend, m}
	if out, err = s.sync(ctx, m.replica.list(ctx)); err != nil {
		m.t.Fatalf("sync: %v", err)
	}
	return out, true
}

// change changes files as a user does.
func (m *machine) change(do func(h *store.Held) error) {
	m.t.Helper()
	h, err := m.store.Lock(m.t.Context())
	if err == nil {
		err = do(h)
		_ = h.Unlock()
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

// texts returns the notes by name.
func (m *machine) texts() map[string]string {
	m.t.Helper()
	all := map[string]string{}
	for f, err := range m.store.Files(m.t.Context()) {
		if err == nil {
			var data []byte
			data, _, err = m.store.Read(f.Name)
			all[f.Name] = string(data)
		}
		if err != nil {
			m.t.Fatal(err)
		}
	}
	return all
}

// newMachines returns machines that share a remote: a git repository, or a server at url.
func newMachines(t testing.TB, size int, url string) (all []*machine) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args, err, out)
		}
	}
	if url == "" {
		if _, err := exec.LookPath("git"); err != nil {
			t.Skip("SKIPPED: there is no git")
		}
		git("init", "-q", "--bare", filepath.Join(dir, "remote"))
	}
	for n := range size {
		root := filepath.Join(dir, fmt.Sprint(n))
		place := marker.Place{Root: root, Below: ".blue/notebook"}
		must(t, os.MkdirAll(filepath.Join(place.Dir(), "notes"), 0o755))
		if url == "" {
			git("init", "-q", root)
			git("-C", root, "remote", "add", "origin", filepath.Join(dir, "remote"))
			git("-C", root, "config", "user.email", fmt.Sprintf("u%d@example.com", n))
			git("-C", root, "config", "user.name", "U")
		}
		files, err := store.Open(root, place.Below)
		must(t, err)
		t.Cleanup(func() { files.Close() })
		m := &machine{t: t, store: files}
		found := marker.Found{Address: marker.Address{Root: root, ID: "shop"}, Notes: place, Notebook: true, Fetched: true, Sync: marker.DefaultSync()}
		m.replica = New(Config{Found: found, Store: files, Notes: m, StateFile: filepath.Join(root, "state", "x.json"),
			Env: func(string) string { return "" }, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		if url != "" {
			must(t, marker.SetDestination(place, marker.Destination{Remote: url, Ref: "shop"}))
		}
		all = append(all, m)
	}
	return all
}

// pretender answers like blue server, from memory.
type pretender struct {
	mu      sync.Mutex
	clock   int // of the changes, never set back
	stand   int
	notes   map[string]RemoteNote   // that exist
	removed map[string][]RemoteNote // the oldest first
	past    map[string]map[string]RemoteNote
}

func newPretender(t testing.TB) (url string, p *pretender) {
	p = &pretender{notes: map[string]RemoteNote{}, removed: map[string][]RemoteNote{}, past: map[string]map[string]RemoteNote{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		var q Request
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &q); err != nil {
			t.Error(err)
		}
		a, ok := p.answer(q)
		if !ok {
			var f RemoteFailure
			f.Error.Kind, f.Error.Message = string(errors.Conflict), "changed"
			w.WriteHeader(http.StatusConflict)
			_ = json.NewEncoder(w).Encode(f)
			return
		}
		_ = json.NewEncoder(w).Encode(a)
	}))
	t.Cleanup(server.Close)
	return server.URL, p
}

func (p *pretender) answer(q Request) (a Answer, ok bool) {
	a = Answer{Project: "p", Stand: fmt.Sprint(p.stand)}
	switch a.Same = q.Stand == a.Stand; q.Ask {
	case AskList:
		for _, name := range slices.Sorted(maps.Keys(p.past)) {
			if len(q.Notes) > 0 && !slices.ContainsFunc(q.Notes, func(n RemoteNote) bool { return n.Name == name }) {
				continue
			}
			if n, there := p.notes[name]; there {
				n.Text = nil
				a.Notes = append(a.Notes, n)
			}
			a.Notes = append(a.Notes, p.removed[name]...)
		}
		if a.Same {
			a.Notes = nil
		}
	case AskPast, AskTexts:
		for _, n := range q.Notes {
			if was, there := p.past[n.Name][n.Revision]; there {
				if q.Ask == AskPast {
					was.Text = nil
				}
				a.Notes = append(a.Notes, was)
			}
		}
	case AskWrite:
		for _, n := range q.Notes {
			if p.notes[n.Name].Revision != n.Before || n.Revision != "" && store.Revision(n.Text) != n.Revision {
				return a, false
			}
		}
		for _, n := range q.Notes {
			p.write(n)
		}
		a.Stand = fmt.Sprint(p.stand)
	}
	return a, true
}

func (p *pretender) write(n RemoteNote) {
	p.clock++
	p.stand = p.clock
	if n.Revision == "" {
		gone := RemoteNote{Name: n.Name, Revision: n.Before, Removed: int64(p.stand) * int64(time.Second), Size: p.notes[n.Name].Size}
		p.removed[n.Name] = append(p.removed[n.Name], gone)
		delete(p.notes, n.Name)
		return
	}
	if p.past[n.Name] == nil {
		p.past[n.Name] = map[string]RemoteNote{}
	}
	n.Before, n.Size = "", int64(len(n.Text))
	p.notes[n.Name], p.past[n.Name][n.Revision] = n, n
}

// copy returns a function that restores what the server has now, as a backup of a database does.
func (p *pretender) copy() (restore func()) {
	stand, notes, removed, past := p.stand, maps.Clone(p.notes), maps.Clone(p.removed), map[string]map[string]RemoteNote{}
	for name, texts := range p.past {
		past[name] = maps.Clone(texts)
	}
	return func() {
		p.stand, p.notes, p.removed, p.past = stand, maps.Clone(notes), maps.Clone(removed), map[string]map[string]RemoteNote{}
		for name, texts := range past {
			p.past[name] = maps.Clone(texts)
		}
	}
}
