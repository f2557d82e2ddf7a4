// Package blue keeps a project's notes: it is the core that both doors, the
// terminal (blue/cli) and MCP (mcp), translate to.
//
// A [Blue] belongs to a process. It holds what is derived and open, the stores
// and indexes of the projects seen so far, and no current project: each call
// says again, with [Call], what it knows of the project meant, and [Blue.Open]
// decides which one that is or fails (package marker has the rules). A
// [Project] is the answer for one call; its methods are the verbs, one a file.
//
// The files are the only truth. A verb that reads first brings the index in line
// with them; a verb that writes does all of it under the lock of the store, with
// the steps of the store that survive a crash. Results are plain structs, which package
// reply describes: the JSON that `--json` prints and that a tool returns, with a method
// Text for people and models.
package blue

import (
	"cmp"
	"context"
	"iter"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/follow"
	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/known"
	"blue/blue/internal/note"
	"blue/blue/internal/notesync"
	"blue/blue/internal/shelves"
	"blue/blue/internal/storage"
	"blue/blue/internal/store"
	"blue/blue/internal/trust"
	"blue/errors"
	"blue/marker"
)

// Options are what a process gives to its Blue.
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

// Blue is the notes of all projects of this process.
type Blue struct {
	o     Options
	rules marker.Rules
	trust *trust.List
	known known.Projects

	mu     sync.Mutex
	open   map[string]*opened      // by root and identity
	served map[string]*hostedIndex // of projects in a database, by directory

	servedSize int64           // of the files of these
	warns      map[string]bool // disagreements of sources already logged
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

// New makes the Blue of a process. Nothing is opened or looked for before a call.
func New(o Options) *Blue {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	b := &Blue{o: o, open: map[string]*opened{}, served: map[string]*hostedIndex{}, warns: map[string]bool{}}
	b.trust = trust.OpenList(b.Directory("state"))
	b.rules = marker.NewRules(o.Home)
	b.rules.Trusted = b.trust.Opens
	for _, name := range []string{"SystemRoot", "ProgramFiles", "ProgramFiles(x86)"} { // Windows
		if dir := o.Env(name); dir != "" {
			b.rules.Installed = append(b.rules.Installed, dir)
		}
	}
	b.rules.Ceilings = filepath.SplitList(o.Env("BLUE_CEILING_DIRECTORIES"))
	b.rules.AcrossFilesystems = o.Env("BLUE_DISCOVERY_ACROSS_FILESYSTEM") == "1"
	b.known = known.Projects{Registry: known.OpenRegistry(b.Directory("state")), Rules: b.rules, Apart: b.rules.Apart(known.Most), Now: o.Now, Log: o.Log}
	if filepath.IsAbs(o.Data) {
		b.known.Personal = filepath.Join(b.Directory("data"), "me")
	}
	return b
}

// Env is a variable of the environment that the process was given.
func (b *Blue) Env(name string) string { return b.o.Env(name) }

// Home is the user's home directory, empty when it is unknown.
func (b *Blue) Home() string { return b.o.Home }

// Directory is where Blue keeps files of a kind, "state", "config", "cache" or "data".
func (b *Blue) Directory(kind string) string {
	base := map[string]string{"state": b.o.State, "config": b.o.Config, "cache": b.o.Cache, "data": b.o.Data}[kind]
	return filepath.Join(base, "blue")
}

// Directories are the home of the user and those in which Blue keeps files.
func (b *Blue) Directories() []string {
	return []string{b.o.Home, b.o.State, b.o.Config, b.o.Cache, b.o.Data}
}

// TokenFile is where the tokens of the user's servers stand.
func (b *Blue) TokenFile() string { return filepath.Join(b.Directory("config"), "token") }

// Open decides which project the call is about and opens it. The error is one of
// detection, with the trace in its detail.
func (b *Blue) Open(ctx context.Context, c Call) (*Project, error) {
	found, err := b.Choose(ctx, c)
	if err != nil {
		return nil, err
	}
	p, err := b.openProject(found, c)
	if err == nil {
		b.recordUse(found)
	}
	return p, err
}

// recordUse enters a project that was opened in the registry. A failure costs its entry, and
// no call. That of the notes about the user is not entered: it is found by its place.
func (b *Blue) recordUse(found marker.Found) {
	if found.Root == b.known.Personal {
		return
	}
	err := b.known.RecordUse(known.Project{Root: found.Root, Name: found.Name, ID: found.ID, Used: b.o.Now().UTC().Truncate(time.Second)})
	if err != nil {
		b.o.Log.Debug("project not registered", "root", found.Root, "err", err)
	}
}

// Choose decides which project the call is about, and opens nothing. The error is one
// of detection, as that of [Blue.Open] is.
func (b *Blue) Choose(ctx context.Context, c Call) (marker.Found, error) {
	rules := b.rules
	rules.Allowed, rules.Cwd, rules.Door, rules.Survey = c.Allowed, c.Cwd, c.Door, c.Survey
	if !c.Door.Terminal {
		rules.Door.Opened = func() []marker.Opened { return b.known.Within(c.Allowed) }
	}
	found, err := marker.Choose(ctx, rules, c.From)
	marker.LogChoice(ctx, cmp.Or(c.Log, b.o.Log), found, err, b.isFirstWarning)
	return found, err
}

// isFirstWarning reports whether a disagreement of sources has not been logged yet.
func (b *Blue) isFirstWarning(pair string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := !b.warns[pair]
	b.warns[pair] = true
	return first
}

// openProject opens what was found, or takes the handles that are open already when
// they still lead to the same directory.
func (b *Blue) openProject(found marker.Found, c Call) (*Project, error) {
	found, restored, err := b.recoverNotebook(found)
	if err != nil {
		return nil, err
	}
	o, err := b.openHandles(found)
	if err != nil {
		return nil, err
	}
	p := b.projectOf(found, o, c)
	if restored {
		replica := p.replica()
		err = replica.RestoreMissing(context.Background())
		p.found = replica.Found
	}
	return p, err
}

func (b *Blue) openHandles(found marker.Found) (*opened, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := openKey(found)
	o := b.open[key]
	if o == nil || !o.store.Same() {
		var err error
		if o, err = b.openStore(found); err != nil {
			return nil, err
		}
		b.open[key] = o
	}
	return o, nil
}

// projectOf is a project of this machine for one call.
func (b *Blue) projectOf(found marker.Found, o *opened, c Call) *Project {
	return &Project{b: b, found: found, store: storage.Files{Store: o.store}, opened: o, client: c.Client, call: c, trusted: b.isTrusted(found)}
}

// isTrusted is [Project.Trusted] for a project that was found. The directory of the notes
// about the user is theirs.
func (b *Blue) isTrusted(found marker.Found) bool {
	return found.Root == b.known.Personal || b.trust.Trusts(found.ID, marker.Home(found.Root))
}

// openKey is the key of a project's handles.
func openKey(found marker.Found) string { return found.Notes.Dir() + "\x00" + found.ID }

// Forget lets go of what is derived: after a fault nobody knows what state it is
// in. The next call begins anew from the files.
func (b *Blue) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.open)
	clear(b.served)
	b.servedSize = 0
}

// Underway says what is being read for the calls of the process, and how far that is; no
// words mean nothing.
func (b *Blue) Underway() (what string, done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, o := range b.open {
		if done, total, ok := o.reading.Progress(); ok {
			return "notes", done, total
		}
		if what, done, total = o.shelves.Underway(); what != "" {
			return what, done, total
		}
	}
	return "", 0, 0
}

// Close gives up what is open.
func (b *Blue) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closeHosted()
	for key, o := range b.open {
		delete(b.open, key)
		o.close()
	}
	return nil
}

// opened are the handles of one project, shared by the calls of the process.
type opened struct {
	store   *store.Store
	index   catalog.Notes
	removed catalog.Notes // the newest ones in the trash
	ledger  *trust.Ledger

	gitUser func() string // whom git has as its user here

	reading follow.Reading // of the notes
	end     context.CancelFunc

	mu     sync.Mutex // one refresh of the index of a hosted project at a time
	stamp  stamp
	facets facetCache

	shelves shelves.Opened
}

func (o *opened) close() {
	o.end()
	o.reading.Wait()
	o.shelves.Close()
	_ = o.closeIndexes()
	_ = o.store.Close()
}

func (o *opened) closeIndexes() error { return errors.Join(o.index.Close(), o.removed.Close()) }

// openIndexes opens those of the notes and of the trash.
func (o *opened) openIndexes(dir string) {
	o.index, o.removed = catalog.Notes{Index: index.Open(dir)}, catalog.Notes{Index: index.Open(filepath.Join(dir, "trash"))}
}

func (b *Blue) openStore(found marker.Found) (*opened, error) {
	if found.Notebook && !found.Fetched { // of a fresh clone
		if err := marker.MakeNotebook(found.Notes); err != nil {
			return nil, err
		}
	}
	s, err := store.Open(found.Notes.Root, found.Notes.Below)
	if err != nil {
		return nil, err
	}
	if found.Notebook {
		s.BackupDir = b.backupDir(found.Notes)
		if found.Fetched && notesync.RecordNotebook(found, s.BackupDir) != nil {
			s.BackupDir = ""
		}
	}
	ctx, end := context.WithCancel(context.Background())
	o := &opened{store: s, ledger: b.openLedger(found), reading: follow.Reading{Process: ctx}, end: end}
	o.openIndexes(b.indexDir(found.ID, found.Root))
	o.gitUser = sync.OnceValue(func() string { return git.User(ctx, found.Root) })
	return o, nil
}

// openLedger opens the ledger of a project at its place: a copy elsewhere has another one.
func (b *Blue) openLedger(found marker.Found) *trust.Ledger {
	return trust.OpenLedger(b.Directory("state"), rootKey(found.ID, marker.Home(found.Root)))
}

// writer is who writes: the subject that the server of the call has verified, else whom the
// variable BLUE_AUTHOR names, the client of the call, or the person at the terminal.
func (p *Project) writer() string {
	if p.hosted != nil {
		return p.hosted.Subject
	}
	if who := cmp.Or(strings.TrimSpace(p.b.Env("BLUE_AUTHOR")), p.client, p.b.o.User); who != "" || !p.call.Door.Terminal {
		return who
	}
	return p.gitUser()
}

// by says who changes notes in this call, and with which program.
func (p *Project) by() store.By {
	client := p.client
	if p.call.Door.Terminal {
		client = "cli"
	}
	return store.By{Author: note.ShowWord(p.writer()), Client: note.ShowWord(client)}
}
