package notebook

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blue/blue/internal/notesync"
	"blue/blue/token"
	"blue/errors"
	"blue/marker"
)

// Options are what a process gives to its notebooks.
type Options struct {
	Home   string // the user's home directory, empty when unknown
	Cache  string // base directory of the indexes
	State  string // base directory of the trust list, the ledgers and the debug log
	Config string // base directory of the token
	Data   string // base directory of the notes about the user; empty: there are none
	User   string // who writes at the terminal
	Env    func(string) string
	Now    func() time.Time
	Log    *slog.Logger
}

// Call is what one call says of its project.
type Call struct {
	From    iter.Seq[marker.Candidate] // in the order of docs/detection.md
	Allowed []string                   // the directories a server may serve; none means all
	Cwd     string                     // shown as the process directory in failures
	Door    marker.Door                // how the call came, for failures
	Survey  bool                       // also look at what lies below the winner, for the log and the trace
	Serving bool                       // the process lives on, and a client waits for the answer: what takes long to read goes on beside the call
	Client  string                     // name of the MCP client, empty at the terminal
	Plain   bool                       // texts do not name a project that the working directory lies in
	Log     *slog.Logger               // where this call is logged, with what the door knows of it
}

// Directory is where Blue keeps files of a kind, "state", "config", "cache" or "data".
func (o *Options) Directory(kind string) string {
	base := map[string]string{"state": o.State, "config": o.Config, "cache": o.Cache, "data": o.Data}[kind]
	return filepath.Join(base, "blue")
}

// IndexDir is the directory of what is derived from a project.
func (o *Options) IndexDir(id, root string) string {
	return filepath.Join(o.Directory("cache"), rootKey(id, root))
}

// BackupDir is the directory of the spare copies of what only this machine has of a notebook.
func (o *Options) BackupDir(at marker.Place) string {
	return filepath.Join(o.Directory("state"), "notebook", rootKey("", at.Dir()))
}

// SyncFile is where this machine keeps what it knows of the last sync of a notebook.
func (o *Options) SyncFile(found marker.Found) string {
	return filepath.Join(o.Directory("state"), "sync", rootKey(found.ID, found.Notes.Dir())+".json")
}

// rootKey names a project among all of this machine: two roots never share a name, even when
// they carry one id.
func rootKey(id, root string) string {
	sum := sha256.Sum256([]byte(id + "\x00" + root))
	return hex.EncodeToString(sum[:16])
}

// serverToken reads the token by which the server of a host knows the user: the first of a
// file that has the name of the host, so that no other server is told of it.
func (o *Options) serverToken(host string) (notesync.Token, error) {
	t := notesync.Token{File: filepath.Join(o.Directory("config"), "servers", strings.ReplaceAll(strings.ToLower(host), ":", "_"))}
	if _, err := os.Lstat(t.File); errors.Is(err, fs.ErrNotExist) {
		return t, nil // the server says whether it wants one
	}
	tokens, _, err := token.Read(t.File)
	if err == nil {
		t.Text = tokens[0]
	}
	return t, err
}
