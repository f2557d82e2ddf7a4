// Package notesync brings the notes of a notebook in line with those of others, which travel on a
// ref of a git repository or on a blue server.
//
// A sync makes rounds until nothing has changed under it. One round:
//
//	files ─────────► tree ─┐
//	base ──────────► tree ─┼► merged tree ─► files ─► move base ─► push ─► read the remote again
//	remote ────────► tree ─┘
//
// A process that is killed at any point leaves a state from which the next sync goes on. Notes are
// matched by uid; the name of a file is an attribute like the title. The base is what the remote had
// when the files were last in line with it. It moves after the files were written: until then their
// changes look as if both sides had made them. Only a removal through Blue, which leaves the note in
// the trash, removes it for others; a file that is missing otherwise is restored. No decision
// depends on a clock.
package notesync

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/blue/internal/index"
	"blue/blue/internal/result"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// Config describes a notebook on this machine.
type Config struct {
	Found     marker.Found
	Store     *store.Store
	Notes     Index
	StateFile string // what this machine knows of the last sync
	User      string // who removes notes here
	Env       func(string) string
	Now       func() time.Time
	Log       *slog.Logger
	Lock      func(context.Context) (*store.Held, error)
	Received  func(name, revision string) error     // records a note that came from others in the ledger
	Refresh   func(context.Context) (string, error) // updates the index and returns the stamp of the files
	Written   func()                                // updates the index after files were written
	Token     func(host string) (Token, error)      // returns the token for a server
}

// Index is what a replica asks of the index of the notes.
type Index interface {
	Row(name string) (index.Row, bool)
	OfUID(uid string) []index.Row
	Conflicts(id string) []result.Clash
	Stamps() map[string]index.Stamp
}

// Replica is the notebook of a project on this machine.
type Replica struct {
	Config
	server *address // nil until it is known; empty for git
}

// New returns the replica that c describes.
func New(c Config) *Replica { return &Replica{Config: c} }

// serverAddress returns the server that the notes travel to, empty for git: the one that the user
// has named, or else that of the last sync.
func (r *Replica) serverAddress() address {
	if r.server == nil {
		last := loadLastSync(r.StateFile)
		r.server = &address{last.Server, last.Project}
	}
	return *r.server
}

// chooseServer sets the server that the options name, if any.
func (r *Replica) chooseServer(o Options) error {
	carry := r.Found.Sync
	switch {
	case strings.Contains(o.Remote, "://"):
		at, err := parseAddress(o.Remote, o.Project)
		r.server = &at
		return err
	case o.Project != "":
		return errors.Missing("URL", "name the server of the project: blue sync https://notes.example.com --project NAME")
	case o.Remote == carry.Remote || o.Remote == "" && o.Branch != "":
		r.server = &address{}
	case o.Remote != "":
		want := "the URL of a server, or " + carry.Remote + "; another remote of git is named by the key remote of .blue/project.yaml"
		return errors.BadValue("remote", o.Remote, want)
	}
	return nil
}

// lastSync is what this machine keeps of the last sync with one remote. It serves the offline status
// and detects that nothing has changed. Without it a sync reads more and does the same.
type lastSync struct {
	Last     time.Time      `json:"last"`             // start of the last successful sync
	Commit   string         `json:"commit"`           // the base
	Stamp    string         `json:"stamp"`            // stamp of the files at that commit, empty if the sync wrote files
	Reported []string       `json:"told,omitempty"`   // files in the trash whose removal was pushed
	Loose    int            `json:"loose,omitempty"`  // notes that were pushed since objects were packed
	Packed   string         `json:"packed,omitempty"` // commit at which objects were packed
	Behind   int            `json:"behind"`           // notes that others had changed at the last query
	Withheld []result.Named `json:"withheld,omitempty"`

	Server  string `json:"server,omitempty"`  // URL of the server in use, whose own state is another file; empty for git
	Project string `json:"project,omitempty"` // on the server
}

const (
	lastSyncLimit    = 1 << 20 // bytes that are read
	lastSyncWithheld = 100     // withheld notes that are kept
)

// loadLastSync reads a state; it is empty if the file cannot be read.
func loadLastSync(path string) (s lastSync) {
	if !readJSON(path, lastSyncLimit, &s) {
		s = lastSync{}
	}
	return s
}

func (s lastSync) save(path string) error {
	s.Withheld = s.Withheld[:min(len(s.Withheld), lastSyncWithheld)]
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return atomicfile.File{Path: path, Volatile: true}.Replace(text)
}

// stateFile returns the state file of the remote in use, with another extension. Git and each server
// have their own.
func (r *Replica) stateFile(extension string) string {
	path := strings.TrimSuffix(r.StateFile, ".json")
	if at := r.serverAddress(); at.url != "" {
		path += "-" + store.Revision([]byte(at.url+"\x00"+at.project))
	}
	return path + extension
}

func (r *Replica) loadState() lastSync {
	s := loadLastSync(r.stateFile(".json"))
	s.Server, s.Project = "", ""
	return s
}

// saveState saves s, and the server in use for the next sync.
func (r *Replica) saveState(s lastSync) {
	err := s.save(r.stateFile(".json"))
	if at := r.serverAddress(); at.url != "" && err == nil {
		if main := loadLastSync(r.StateFile); main.Server != at.url || main.Project != at.project {
			main.Server, main.Project = at.url, at.project
			err = main.save(r.StateFile)
		}
	}
	if err != nil {
		r.Log.Warn("state of the sync not kept", "project", r.Found.Root, "err", err)
	}
}

// loadBase reads the notes of the base.
func (r *Replica) loadBase() tree { return loadSnapshot(r.stateFile(".base")).tree }

// LastSync describes where the notes travel, and returns when a sync last succeeded.
func (r *Replica) LastSync() (travels string, last time.Time) {
	travels = r.Found.Sync.Ref + " of " + r.Found.Sync.Remote
	if at := r.serverAddress(); at.url != "" {
		travels = at.project + " of " + at.url
	}
	return travels, r.loadState().Last
}
