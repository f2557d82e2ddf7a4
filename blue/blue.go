// Package blue keeps a project's notes. It is the core that all doors call: the
// terminal (blue/cli), MCP (mcp), the page (blue/page) and hooks (blue/hook).
//
// A [Blue] belongs to a process. It holds what is derived and open, the stores and indexes of
// the projects seen so far, but no current project: each call says in its [Call] what it knows
// about the project that it means, and [Blue.Open] decides which one that is, or fails (package
// marker has the rules). A [Project] is the project for one call; its methods are the verbs.
// Package notebook implements them, except for those that need other projects.
//
// The files are the only truth. A verb that reads first brings the index in line with them. A
// verb that writes does all of it under the lock of the store, in steps that survive a crash.
// Results are plain structs, which package result describes: the JSON that `--json` prints and
// that a tool returns, with a method Text for people and models.
package blue

import (
	"cmp"
	"context"
	"io/fs"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"blue/blue/internal/notebook"
	"blue/blue/internal/sessions"
	"blue/blue/internal/trust"
	"blue/blue/result"
	"blue/marker"
)

// Project is the project of one call. Its methods are the verbs.
type Project struct {
	*notebook.Notebook
	b *Blue
}

// Blue holds the open projects of this process.
type Blue struct {
	o     Options
	rules marker.Rules
	trust *trust.List
	known *registry
	apart marker.Rules // for projects other than that of a call, so that one that hangs blocks no other call

	personalDir string // directory of the notes about the user, empty if unknown

	mu     sync.Mutex
	open   map[string]*notebook.Handles // by root and identity
	served map[string]*hostedIndex      // of projects in a database, by directory

	sessions map[string]*sessions.Shelf // past sessions, by the key of open

	servedSize int64 // total cost of these
	builds     *notebook.Builds
}

// New returns the Blue of a process. It opens nothing and looks for nothing before a call.
func New(o Options) *Blue {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	b := &Blue{o: o, known: openRegistry(o.Directory("state")), open: map[string]*notebook.Handles{}, served: map[string]*hostedIndex{}, sessions: map[string]*sessions.Shelf{}, builds: notebook.NewBuilds()}
	b.trust = trust.OpenList(b.Directory("state"))
	b.rules = marker.NewRules(o.Home)
	b.rules.Trusted = b.trust.Opens
	for _, name := range []string{"SystemRoot", "ProgramFiles", "ProgramFiles(x86)"} { // Windows
		if dir := o.Env(name); dir != "" {
			b.rules.Installed = append(b.rules.Installed, dir)
		}
	}
	b.apart = b.rules.Apart(askedMost)
	if filepath.IsAbs(o.Data) {
		b.personalDir = filepath.Join(b.Directory("data"), "me")
	}
	return b
}

// Env returns a variable of the environment that the process was given.
func (b *Blue) Env(name string) string { return b.o.Env(name) }

// Home returns the user's home directory, empty if it is unknown.
func (b *Blue) Home() string { return b.o.Home }

// Directory returns where Blue keeps files of a kind: "state", "config", "cache" or "data".
func (b *Blue) Directory(kind string) string { return b.o.Directory(kind) }

// TokenFile returns the path of the file with the tokens of the user's servers.
func (b *Blue) TokenFile() string { return filepath.Join(b.Directory("config"), "token") }

// ReadTokens returns the tokens of such a file. See [notebook.ReadTokens].
func ReadTokens(path string) (tokens []string, info fs.FileInfo, err error) {
	return notebook.ReadTokens(path)
}

// Open decides which project the call is about and opens it. A detection error contains the
// trace in its detail.
func (b *Blue) Open(ctx context.Context, c Call) (*Project, error) {
	p, err := b.Peek(ctx, c)
	if err == nil {
		b.recordUse(p.Found)
	}
	return p, err
}

// Peek is Open without an entry in the registry, for a command line that is still being typed.
func (b *Blue) Peek(ctx context.Context, c Call) (*Project, error) {
	found, err := b.Choose(ctx, c)
	if err != nil {
		return nil, err
	}
	return b.openProject(found, c)
}

// recordUse enters an opened project in the registry. It only logs failures. The project of the
// notes about the user is found by its place and is not entered.
func (b *Blue) recordUse(found marker.Found) {
	if found.Root == b.personalDir {
		return
	}
	err := b.known.recordUse(result.Known{Address: found.Address, Used: b.o.Now().UTC().Truncate(time.Second)})
	if err != nil {
		b.o.Log.Debug("project not registered", "root", found.Root, "err", err)
	}
}

// Choose decides which project the call is about, as [Blue.Open] does, but opens nothing.
func (b *Blue) Choose(ctx context.Context, c Call) (marker.Found, error) {
	rules := b.rulesOf(c)
	if !c.Door.Terminal {
		rules.Door.Opened = func() []marker.Opened { return b.within(c.Allowed) }
	}
	found, err := marker.Choose(ctx, rules, c.From)
	marker.LogChoice(ctx, cmp.Or(c.Log, b.o.Log), found, err)
	return found, err
}

// rulesOf returns the rules by which the project of a call is found.
func (b *Blue) rulesOf(c Call) marker.Rules {
	rules := b.rules
	rules.Allowed, rules.Cwd, rules.Door, rules.Memory = c.Allowed, c.Cwd, c.Door, c.Memory
	return rules
}

// candidate returns the only candidate of a call.
func candidate(source marker.Source, value string) iter.Seq[marker.Candidate] {
	return slices.Values([]marker.Candidate{{Source: source, Value: value}})
}

// openProject opens a found project. It uses handles that are already open if they still lead
// to the same directory.
func (b *Blue) openProject(found marker.Found, c Call) (*Project, error) {
	found, restored, err := notebook.Recover(&b.o, found)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	key := openKey(found)
	h := b.open[key]
	if h == nil || !h.Same() {
		if h, err = notebook.OpenFiles(&b.o, found); err == nil {
			b.open[key] = h
		}
	}
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	p := b.projectOf(found, h, c)
	if restored {
		err = p.RestoreMissing(context.Background())
	}
	return p, err
}

// projectOf returns a project on this machine for one call.
func (b *Blue) projectOf(found marker.Found, h *notebook.Handles, c Call) *Project {
	return &Project{notebook.New(&b.o, found, h, c, b.isTrusted(found)), b}
}

// isTrusted reports whether the notes of a project may be told unasked.
func (b *Blue) isTrusted(found marker.Found) bool {
	return found.Root == b.personalDir || b.trust.Trusts(found.ID, marker.Home(found.Root))
}

// AboutFound describes a project that was found but is not open.
func (b *Blue) AboutFound(f marker.Found) result.About { return notebook.AboutFound(f, b.isTrusted(f)) }

// openKey is the key of a project's handles.
func openKey(found marker.Found) string { return found.Notes.Dir() + "\x00" + found.ID }

// Process returns the working directory of the process as a candidate, which is unusable if the
// directory is gone.
func (b *Blue) Process(dir string) marker.Candidate {
	if dir == "" {
		return marker.Candidate{Source: marker.Cwd, Outcome: marker.Unusable, Detail: "the working directory is gone"}
	}
	return marker.Candidate{Source: marker.Cwd, Value: dir}
}

// Forget drops everything derived, whose state is unknown after a fault. The next call reads
// the files again.
func (b *Blue) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.open)
	clear(b.served)
	clear(b.sessions)
	b.servedSize = 0
}

// Underway returns what is being read for the calls of the process, and how far it is; what is
// empty if nothing is.
func (b *Blue) Underway() (what string, done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, h := range b.open {
		if what, done, total = h.Underway(); what != "" {
			return what, done, total
		}
	}
	for _, s := range b.sessions {
		if done, total, ok := s.Progress(); ok {
			return inSessions, done, total
		}
	}
	return "", 0, 0
}

// Close releases everything that is open.
func (b *Blue) Close() error {
	b.closeSessions()
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, x := range b.served {
		delete(b.served, name)
		_ = x.Close()
	}
	for key, h := range b.open {
		delete(b.open, key)
		_ = h.Close()
	}
	return nil
}
