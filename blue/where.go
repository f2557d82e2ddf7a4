package blue

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"blue/blue/internal/git"
	"blue/blue/internal/note"
	"blue/blue/internal/notesync"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Where returns which project a call is about, why, and what is in it. A missing project or
// unreadable notes are an answer and not an error.
func (b *Blue) Where(ctx context.Context, c Call) (w result.Where, err error) {
	w = result.Where{Trace: []marker.Tried{}, Types: map[string]int{}, Newest: []result.Row{}, Door: c.Door}
	found, err := b.Choose(ctx, c)
	if err != nil {
		return w.Explain(err)
	}
	w.Found, w.Trace, w.Branch = found, found.Trace, note.ShowTitle(git.Branch(found.Start))
	w.About = b.AboutFound(found)
	p, err := b.openProject(found, c)
	if err == nil {
		b.recordUse(found)
		err = p.FillWhere(ctx, &w)
		w.Sessions = p.describeSessions()
		if w.About = p.About(); err == nil {
			w.Warnings = append(w.Warnings, p.Loss(ctx)...)
		}
	}
	if ctx.Err() != nil { // nothing is known about the notes
		return w, err
	}
	w.Unnamed = false
	if err != nil {
		w.Unreadable = errors.Of(err).Message
	}
	return w, nil
}

// Health is what can be learned about a project without changing anything.
type Health struct {
	Notes    int    // files that are served as notes
	Unserved int    // files that cannot be served
	Fault    error  // why not all files could be examined
	Index    string // directory of the index, which may not exist
	Travels  string // where the notes travel
	Synced   string // time of the last successful sync, empty if there was none here
	Trusted  bool
	Twins    []string // roots of other known projects with the same id
}

// Health examines the files of a project. It does not open the index, because that may write.
func (b *Blue) Health(ctx context.Context, found marker.Found) Health {
	h := Health{
		Index:   b.o.IndexDir(found.ID, found.Root),
		Trusted: b.isTrusted(found),
	}
	for _, other := range b.KnownProjects() {
		if _, err := os.Lstat(filepath.Join(other.Root, marker.Name)); err == nil && other.ID == found.ID && marker.Home(other.Root) != marker.Home(found.Root) {
			h.Twins = append(h.Twins, other.Root)
		}
	}
	replica := notesync.New(notesync.Config{Found: found, StateFile: b.o.SyncFile(found)})
	var last time.Time
	if h.Travels, last = replica.LastSync(); !last.IsZero() {
		h.Synced = result.FormatTime(last)
	}
	s, err := store.Open(found.Notes.Root, found.Notes.Below)
	if err != nil {
		h.Fault = err
		return h
	}
	defer s.Close()
	for file, fault := range s.Files(ctx) {
		switch {
		case fault != nil:
			h.Fault = fault
		case file.Problem != "":
			h.Unserved++
		default:
			h.Notes++
		}
	}
	return h
}

// TrustWarning describes what is wrong with the user's list of trusted projects, if anything.
func (b *Blue) TrustWarning() string { return b.trust.Warning() }
