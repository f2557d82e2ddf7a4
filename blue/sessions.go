package blue

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/notebook"
	"blue/blue/internal/sessions"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

const (
	inSessions = "sessions" // value of [Query.In] for past sessions
	inAll      = "all"      // and for all that can be searched

	mostLevel        = 2               // of an answer
	sessionsUnasked  = 2               // exchanges at the end of a search that does not ask for them
	sessionsShown    = 3               // after notes
	sessionsPatience = time.Second     // for a call that a client waits for
	sessionsMost     = 5 * time.Minute // at a terminal
)

// sessionSettings returns what the user has decided about past sessions.
func (b *Blue) sessionSettings() sessions.Settings {
	return sessions.Settings(filepath.Join(b.Directory("state"), "sessions"))
}

// SessionsOn reports whether past sessions are searched.
func (b *Blue) SessionsOn() bool { return b.sessionSettings().On() }

// SessionsDecided reports whether the user has ever switched past sessions on or off.
func (b *Blue) SessionsDecided() bool { return b.sessionSettings().Decided() }

// SwitchSessions switches past sessions on or off for this user. Off removes all that was kept of
// them, but not the list of what was forgotten.
func (b *Blue) SwitchSessions(on bool) error {
	err := b.sessionSettings().Switch(on)
	if err == nil && !on {
		err = b.removeSessions()
	}
	if err != nil {
		return errors.SaveFailed("whether past sessions are searched", err)
	}
	return nil
}

// removeSessions removes the indexes of past sessions of all projects.
func (b *Blue) removeSessions() error {
	b.closeSessions()
	dirs, err := filepath.Glob(filepath.Join(b.Directory("cache"), "*", inSessions))
	return errors.Join(err, sessions.Remove(dirs))
}

// closeSessions closes the past sessions of all projects.
func (b *Blue) closeSessions() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, s := range b.sessions {
		delete(b.sessions, key)
		s.Close()
	}
}

// mayTellSessions reports whether an answer to this call may tell of past sessions: it goes to the
// user of this process alone, and they have switched them on.
func (p *Project) mayTellSessions() bool {
	if !p.Call.Private || p.Root() == "" {
		return false
	}
	on := p.b.sessionSettings().On()
	if !on {
		p.b.closeSessions() // of this process, if another one has switched them off
	}
	return on
}

// requireSessions returns an error unless past sessions may be told.
func (p *Project) requireSessions() error {
	switch {
	case !p.Call.Private || p.Root() == "":
		return errors.E(errors.Denied, "past sessions are for the person at this machine alone, and are not told here").
			Hint("sessions", "", "see them at a terminal")
	case !p.mayTellSessions():
		return errors.E(errors.Denied, "past sessions are not searched: nobody has switched them on").
			Hint("sessions", "--on", "to search what was said to coding agents on this machine, for this user alone")
	}
	return nil
}

// sessionShelf returns the past sessions of the project. It opens them on the first call.
func (p *Project) sessionShelf() *sessions.Shelf {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	key := openKey(p.Found)
	if s := p.b.sessions[key]; s != nil {
		return s
	}
	s := sessions.Open(sessions.Config{
		Dir:      filepath.Join(p.b.o.IndexDir(p.Found.ID, p.Found.Root), inSessions),
		Settings: p.b.sessionSettings(),
		Homes:    p.sessionHomes,
		Ours:     p.ours,
	})
	p.b.sessions[key] = s
	return s
}

// sessionHomes returns where clients keep transcripts.
func (p *Project) sessionHomes() sessions.Homes {
	return sessions.Homes{User: p.b.o.Home, Getenv: p.b.o.Env, Roots: p.roots()}
}

// roots returns the root of the project and its counterparts in the other working trees of git.
func (p *Project) roots() []string {
	all := []string{p.Root()}
	at := git.FindDirectories(p.Root())
	below, err := filepath.Rel(at.Top, p.Root())
	for _, top := range at.Worktrees() {
		if root := filepath.Join(top, below); err == nil && root != p.Root() {
			all = append(all, root)
		}
	}
	return all
}

// ours returns a function that reports whether calls from a directory are about this project, in any
// of its working trees. For a directory that is gone, the one counts that it was in. The function is
// not safe for concurrent use.
func (p *Project) ours() func(dir string) bool {
	roots, known := p.roots(), map[string]bool{}
	return func(dir string) bool {
		is, ok := known[dir]
		if !ok {
			is = filepath.IsAbs(dir) && p.isAbout(nearestDirectory(dir), roots)
			known[dir] = is
		}
		return is
	}
}

// isAbout reports whether a call from a directory is about this project.
func (p *Project) isAbout(dir string, roots []string) bool {
	found, err := marker.Choose(context.Background(), p.b.apart, candidate(marker.Known, dir))
	return err == nil && found.ID == p.Found.ID && slices.Contains(roots, found.Root)
}

// nearestDirectory returns the nearest directory at or above a path that exists.
func nearestDirectory(path string) string {
	for path = filepath.Clean(path); filepath.Dir(path) != path; path = filepath.Dir(path) {
		if _, err := filepath.EvalSymlinks(path); err == nil {
			break
		}
	}
	return path
}

// readSessions brings past sessions in line with the transcripts, and returns how far they are read
// if that takes longer than the call may wait.
func (p *Project) readSessions(ctx context.Context) (s *sessions.Shelf, reading string, err error) {
	s = p.sessionShelf()
	patience := sessionsMost
	if p.Call.Serving || p.Call.Client != "" {
		patience = sessionsPatience
	}
	err = s.Refresh(ctx, patience)
	if err == index.ErrGoesOn && ctx.Err() == nil {
		err, reading = nil, s.Count().Reading
	}
	return s, reading, err
}

// Sessions describes the past sessions of the project and of this machine.
func (p *Project) Sessions(ctx context.Context) (r result.Sessions, err error) {
	defer p.NameProject(&err)
	r.On = p.mayTellSessions()
	if r.About = p.About(); !r.On {
		return r, nil
	}
	r.Clients = map[string]int{}
	for _, t := range sessions.List(p.sessionHomes()) {
		r.Clients[t.Client]++
	}
	s, _, err := p.readSessions(ctx)
	count := s.Count()
	r.Shelf = &count
	return r, err
}

// Session returns a past session of the project, or one exchange of it.
func (p *Project) Session(ctx context.Context, id string) (r result.Session, err error) {
	defer p.NameProject(&err)
	if err := p.requireSessions(); err != nil {
		return r, err
	}
	s, reading, err := p.readSessions(ctx)
	if err != nil {
		return r, err
	}
	name, number, err := s.Named(id)
	if err != nil && reading != "" {
		return r, errors.StillReading(reading)
	}
	if err != nil {
		return r, err
	}
	r = s.Session(name, number)
	r.About = p.About()
	return r, nil
}

// ForgetSession makes Blue forget a past session of the project for good.
func (p *Project) ForgetSession(ctx context.Context, id string) (r result.Sessions, err error) {
	defer p.NameProject(&err)
	if err := p.requireSessions(); err != nil {
		return r, err
	}
	s, _, err := p.readSessions(ctx)
	if err != nil {
		return r, err
	}
	name, _, err := s.Named(id)
	if err != nil {
		return r, err
	}
	return p.forgetSessions("the session "+Label(name, result.PathShown), func(s sessions.Settings) error { return s.ForgetSession(name) })
}

// ForgetSessionsBefore makes Blue forget, in all projects, what was said before a day.
func (p *Project) ForgetSessionsBefore(day string) (r result.Sessions, err error) {
	defer p.NameProject(&err)
	if err := p.requireSessions(); err != nil {
		return r, err
	}
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return r, errors.BadValue("before", day, "a day such as 2026-01-31")
	}
	return p.forgetSessions("what was said before "+day, func(s sessions.Settings) error { return s.ForgetBefore(at) })
}

// forgetSessions adds to what is forgotten. It removes all indexes, because a file of an index
// holds what was dropped from it until it is written anew.
func (p *Project) forgetSessions(what string, forget func(sessions.Settings) error) (r result.Sessions, err error) {
	if err := errors.Join(forget(p.b.sessionSettings()), p.b.removeSessions()); err != nil {
		return r, errors.SaveFailed("what is forgotten of past sessions", err)
	}
	return result.Sessions{About: p.About(), On: true, Forgot: what}, nil
}

// cutSessions takes past sessions from the names of what a search covers, and reports whether they
// are to be searched. only reports whether nothing else is.
func (p *Project) cutSessions(names []string) (others []string, asked, only bool, err error) {
	if slices.Contains(names, inAll) {
		return []string{"notes", "documents", "commits", "code"}, p.mayTellSessions(), false, nil
	}
	others = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == inSessions })
	if len(others) == len(names) {
		return names, false, false, nil
	}
	return others, true, len(others) == 0, p.requireSessions()
}

// searchSessions answers a query that asks for past sessions alone.
func (p *Project) searchSessions(ctx context.Context, q Query) (h result.Hits, err error) {
	if q.Type != "" || len(q.Tags) > 0 {
		return h, errors.Exclusive("in", "type", "tags")
	}
	limit := q.Limit
	if limit == 0 {
		limit = notebook.SearchLimit
	}
	window, err := result.OpenWindow("sessions\x00"+q.Text+"\x00"+q.Since, q.Cursor, limit, q.MaxTokens, q.Whole)
	if err != nil {
		return h, err
	}
	h.About, h.Hits, h.In = p.About(), []result.Hit{}, []string{inSessions}
	found, err := p.findSessions(ctx, &h, q, window.From+window.Limit)
	if err != nil {
		return h, err
	}
	h.Total, h.Searched = found.Total, found.Searched
	for _, hit := range found.Hits[min(window.From, len(found.Hits)):] {
		if len(h.Sessions) == window.Limit || !window.MakeRoom(len(hit.Lines())) && len(h.Sessions) > 0 {
			break
		}
		h.Sessions = append(h.Sessions, hit)
	}
	if len(found.Hits) < window.From+window.Limit { // pieces of the same exchanges are counted
		h.Total = len(found.Hits)
	}
	h.More, h.Cursor = window.CountRest(len(h.Sessions), h.Total)
	h.TellLacking(q.Text, []map[string][]string{found.Lacking})
	return h, nil
}

// findSessions searches past sessions that were asked for.
func (p *Project) findSessions(ctx context.Context, h *result.Hits, q Query, limit int) (found sessions.Found, err error) {
	s, reading, err := p.readSessions(ctx)
	if err != nil {
		return found, err
	}
	if reading != "" {
		h.Reading = append(h.Reading, reading)
	}
	query := index.Query{Text: q.Text, Prefix: q.Prefix, Limit: limit}
	if query.Filter.Since, err = result.ParseSince(q.Since, p.b.o.Now()); err != nil {
		return found, err
	}
	return s.Find(ctx, query, p.b.o.Now())
}

// addSessions adds past sessions to the answer of a search that asks for them too.
func (p *Project) addSessions(ctx context.Context, h *result.Hits, q Query) error {
	if q.Cursor != "" || q.Type != "" || len(q.Tags) > 0 {
		return nil
	}
	found, err := p.findSessions(ctx, h, q, sessionsShown)
	h.Sessions = found.Hits
	return err
}

// mayAddSessions reports whether past sessions may be added to the answer of a search that does not ask
// for them.
func (p *Project) mayAddSessions(q Query) bool {
	return len(q.In) == 0 && q.Type == "" && len(q.Tags) == 0 && q.Cursor == "" && q.About == (Facts{}) && p.mayTellSessions()
}

// addSessionsUnasked adds past sessions to the answer of a search if nothing else was found, or if
// they answer it and neither notes nor documents do. It only takes what has been read before.
func (p *Project) addSessionsUnasked(ctx context.Context, h *result.Hits, q Query) {
	if !q.Level {
		return
	}
	level := h.Level
	if len(h.Hits)+len(h.Also) == 0 {
		level = -1
	}
	if level == mostLevel {
		return
	}
	s := p.sessionShelf()
	if p.Call.Serving {
		defer s.RefreshLater() // for the next search
	}
	if !s.Ready() {
		return
	}
	query := index.Query{Text: q.Text, Prefix: q.Prefix, Limit: sessionsUnasked, Judge: true, Flat: true}
	query.Filter.Since, _ = result.ParseSince(q.Since, p.b.o.Now()) // the search of notes has checked it
	found, err := s.Find(ctx, query, p.b.o.Now())
	if err != nil {
		p.b.o.Log.Debug("past sessions not searched", "project", p.Root(), "err", err)
		return
	}
	for i, hit := range found.Hits {
		if found.Levels[i] > level {
			h.Sessions = append(h.Sessions, hit)
		}
	}
}

// describeSessions returns what the shelf of past sessions holds, or nil if they are not told.
func (p *Project) describeSessions() *result.SessionShelf {
	if !p.mayTellSessions() {
		return nil
	}
	c := p.sessionShelf().Count()
	return &c
}
