package notesync

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/errors"
)

// serverBackend keeps the notes of one project on a blue server, for one sync. Its commits are
// digests of lists of revisions, and the ids of texts are their revisions. The base is such a list
// in the state directory; its texts are in the history of the server.
//
// Every answer is limited and checked before it is used, and only the notes that are passed to Push
// are sent.
type serverBackend struct {
	client    client
	file      string // of the base
	confirmed bool   // ask the server to confirm its list as if the client had just written it
	base      snapshot
	begun     begun
	remote    snapshot              // what the server has
	listed    map[string]RemoteNote // existing notes, by name
	removals  map[string]RemoteNote // the last removal of each name, nil if the server is at the base
	names     map[string]string     // a name of each text that the server has, by revision
	marks     map[string][]byte     // tombstones, by revision
	read      *spool                // texts that were read for their uids
	pushed    string                // stand of the server after a push, empty if others wrote concurrently
	removed   map[string]removal    // the last removals, by name
	reached   bool                  // a sync with the server has succeeded before
	setBack   bool                  // the server has lost what it had at the base
	forgotten map[string]string     // revisions of its notes that it had removed, by uid
}

func openServer(at address, token Credential, file string, confirmed, reached bool) *serverBackend {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true
	redirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the token is for this host only
	base := load[snapshot](file, snapshotLimit)
	base.tree = base.clone()
	return &serverBackend{
		client: client{at, token, http.Client{Transport: transport, CheckRedirect: redirect}},
		file:   file, confirmed: confirmed, reached: reached, base: base, begun: loadBegun(file, base.Commit),
		names: map[string]string{}, marks: map[string][]byte{}, read: newSpool(filepath.Dir(file)),
	}
}

// Heal returns err: nothing on this machine can be damaged.
func (s *serverBackend) Heal(_ context.Context, err error) error { return err }

// ID returns the revision of a text.
func (s *serverBackend) ID(text []byte) string { return store.Revision(text) }

// Unchanged reports whether the server is still at the base, and the base at commit.
func (s *serverBackend) Unchanged(ctx context.Context, commit string) bool {
	if s.base.Commit != commit || s.base.Stand == "" {
		return false
	}
	a, err := s.client.ask(ctx, Request{Ask: AskList, Stand: s.base.Stand})
	return err == nil && a.Same && a.Project == s.base.Project
}

// Heads returns the heads of the notes. With ask it lists the notes of the server.
func (s *serverBackend) Heads(ctx context.Context, ask bool) (heads, error) {
	if ask {
		if err := s.list(ctx); err != nil {
			return heads{}, err
		}
	}
	return heads{base: s.base.Commit, fork: s.base.Commit, remote: s.remote.Commit, project: s.remote.Project, taken: s.begun.Taken,
		setBack: s.setBack, forgotten: s.forgotten}, nil
}

// list asks the server for its notes.
func (s *serverBackend) list(ctx context.Context) error {
	former := s.base
	a, err := s.client.ask(ctx, Request{Ask: AskList, Stand: s.base.Stand, Sure: s.confirmed})
	if err == nil && s.base.Project != "" && a.Project != s.base.Project {
		if s.base, s.begun = (snapshot{tree: newTree()}), (begun{}); a.Same {
			a, err = s.client.ask(ctx, Request{Ask: AskList, Sure: s.confirmed})
		}
	}
	if err != nil {
		return err
	}
	trees := []tree{s.base.tree}
	for _, taken := range s.begun.Taken {
		trees = append(trees, taken.Differ)
	}
	for _, t := range trees {
		for _, n := range t.Notes {
			s.names[n.blob] = n.name
		}
	}
	s.listed, s.removals = map[string]RemoteNote{}, nil
	s.remote, s.removed = s.base, map[string]removal{}
	if maps.Copy(s.removed, s.base.Removals); a.Same {
		return nil
	}
	s.removals = map[string]RemoteNote{}
	if err := s.readList(ctx, a); err != nil {
		return err
	}
	for _, t := range trees {
		if err := s.forgetLost(ctx, t.Notes); err != nil {
			return err
		}
	}
	s.findForgotten(former.Commit == "" && s.reached)
	if err := s.addSent(ctx); err != nil {
		return err
	}
	if s.base.Stand == "" { // it may have changed
		s.base.Commit = digest(s.base.tree)
	}
	return nil
}

// findForgotten finds the notes that the server has without the last removal that is known of them,
// as after a restored backup. If the base is lost, it may be any that was removed here.
func (s *serverBackend) findForgotten(lost bool) {
	s.forgotten = map[string]string{}
	for uid, n := range s.remote.Notes {
		now, before := s.removals[n.name].Removed, s.removed[n.name]
		if now < before.At && s.base.Notes[uid].name == "" || now == 0 && lost {
			s.forgotten[uid] = before.Revision
		}
	}
}

// forgetLost removes from notes, which the server had once, those whose texts the server has no
// record of, as after a restored backup. They count as new on both sides, so that nothing of
// them is undone here. The same holds for a removal that was followed by a restoration which the
// server has lost. A note that is neither present nor removed on the server, but whose text
// the server has had, was erased there and counts as removed.
func (s *serverBackend) forgetLost(ctx context.Context, notes map[string]noteFile) error {
	changed, uids := map[string]string{}, map[string]string{} // by name
	for uid, n := range notes {
		if e, there := s.removals[n.name], s.listed[n.name].Name != ""; !there && e.Removed > 0 && e.Removed <= s.base.Removals[n.name].At {
			delete(notes, uid)
			s.base.Stand, s.setBack = "", true
		} else if n.name != "" && s.listed[n.name].Revision != n.blob && s.removals[n.name].Revision != n.blob {
			changed[n.name], uids[n.name] = n.blob, uid
		}
	}
	former, err := s.former(ctx, changed)
	for name, uid := range uids {
		if err == nil && !former[name] {
			delete(notes, uid)
			s.base.Stand, s.setBack = "", true
			if s.removed[name].At == 0 {
				s.removed[name] = removal{At: 1} // if it is removed here, it stays so
			}
		}
	}
	return err
}

// addSent moves the base forward by what an interrupted push has sent, if it has arrived.
func (s *serverBackend) addSent(ctx context.Context) error {
	asked := map[string]string{}
	for _, e := range s.begun.Sent {
		if e.Revision != "" && e.Revision != s.listed[e.Name].Revision && e.Before != "" && !e.Again {
			asked[e.Name] = e.Revision
		}
	}
	former, err := s.former(ctx, asked)
	for _, e := range s.begun.Sent {
		now, removal := s.listed[e.Name].Revision, s.removals[e.Name]
		removed := removal.Removed != e.Removed
		switch arrived := now == e.Revision || former[e.Name] || removed && removal.Revision == e.Revision; {
		case e.Revision != "" && arrived:
			s.base.Notes[e.UID], s.base.Stand = noteFile{e.Name, e.Revision, e.Revision}, ""
			s.names[e.Revision] = e.Name
		case e.Revision == "" && removed && s.base.Notes[e.UID].name == e.Name:
			delete(s.base.Notes, e.UID)
			s.base.Stand = ""
			if mark := s.remote.Trash[e.UID]; mark != "" {
				s.base.Trash[e.UID] = mark
			}
		}
	}
	return err
}

// readList sets s.remote from a list of the server.
func (s *serverBackend) readList(ctx context.Context, a Answer) error {
	if len(a.Notes) > mostNotes {
		return s.client.odd(fmt.Sprintf("it has more than %d notes", mostNotes))
	}
	inBase := uidsOf(s.base.tree)
	claims, unread, total := map[string][]noteFile{}, map[string][]string{}, int64(0) // by uid; names by revision
	claim := func(uid, name, revision string) {
		claims[uid] = append(claims[uid], noteFile{name, revision, revision})
	}
	for _, e := range a.Notes {
		if e.Removed == 0 {
			s.listed[e.Name] = e
		} else if e.Removed > s.removals[e.Name].Removed { // a restored note is listed as removed too
			if s.removals[e.Name] = e; e.Removed > s.removed[e.Name].At {
				s.removed[e.Name] = removal{e.Removed, e.Revision}
			}
		}
		if e.Removed > 0 || refuseEntry(e) != "" {
			continue
		}
		s.names[e.Revision] = e.Name
		total += e.Size
		if uid := inBase[e.Name]; uid != "" && s.base.Notes[uid].blob == e.Revision {
			claim(uid, e.Name, e.Revision)
		} else {
			unread[e.Revision] = append(unread[e.Revision], e.Name)
		}
	}
	if total > mostBytes {
		return s.client.odd(fmt.Sprintf("its notes have more than %d MiB", mostBytes>>20))
	}
	err := s.ReadTexts(ctx, slices.Collect(maps.Keys(unread)), func(revision string, text []byte) error {
		s.read.put(revision, text)
		for _, name := range unread[revision] {
			n := note.ParseText(name, text)
			claim(n.Identity(), name, revision)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.remote = snapshot{Project: a.Project, Stand: a.Stand, tree: newTree()}
	for uid, files := range claims {
		assignUIDs(s.remote.Notes, uid, files, s.base.Notes[uid].name)
	}
	for _, e := range s.removals {
		uid := cmp.Or(inBase[e.Name], noUID+e.Name)
		if refuseEntry(e) != "" || s.remote.Notes[uid].name != "" {
			continue
		}
		mark := tombstone(uid, note.IDOf(e.Name), e.Revision, time.Unix(0, e.Removed), e.Author)
		s.remote.Trash[uid] = s.ID(mark)
		s.marks[s.ID(mark)] = mark
	}
	s.remote.Commit = digest(s.remote.tree)
	return nil
}

// uidsOf returns the uids of the notes of t by name.
func uidsOf(t tree) map[string]string {
	uids := map[string]string{}
	for uid, n := range t.Notes {
		uids[n.name] = uid
	}
	return uids
}

// refuseEntry returns the reason why an entry is left out, empty if it is not.
func refuseEntry(e RemoteNote) string {
	switch {
	case e.Size < 0 || e.Size > store.Limit:
		return "it is larger than 1 MiB"
	case !store.IsRevision(e.Revision):
		return "its revision is none"
	}
	return store.SafeName(e.Name)
}

// digest returns a hash of a tree.
func digest(t tree) string {
	var b strings.Builder
	for _, uid := range slices.Sorted(maps.Keys(t.Notes)) {
		b.WriteString(uid + " " + t.Notes[uid].blob + " " + t.Notes[uid].name + "\n")
	}
	b.WriteString("\n")
	for _, uid := range slices.Sorted(maps.Keys(t.Trash)) {
		b.WriteString(uid + " " + t.Trash[uid] + "\n")
	}
	return store.Revision([]byte(b.String()))
}

// ReadTree returns the notes of the base, or else those of the server.
func (s *serverBackend) ReadTree(_ context.Context, commit string) (tree, error) {
	if commit == s.base.Commit {
		return s.base.clone(), nil
	}
	for _, taken := range s.begun.Taken {
		if t := s.base.clone(); commit == taken.Commit {
			maps.Copy(t.Notes, taken.Differ.Notes)
			maps.Copy(t.Trash, taken.Differ.Trash)
			maps.DeleteFunc(t.Notes, func(_ string, n noteFile) bool { return n.name == "" })
			return t, nil
		}
	}
	t := s.remote.clone()
	for _, entries := range []map[string]RemoteNote{s.removals, s.listed} {
		for name, e := range entries {
			if why := refuseEntry(e); why != "" {
				t.Refused[name] = why
			}
		}
	}
	return t, nil
}

// Authors returns the author of the last change of each note, by uid.
func (s *serverBackend) Authors(context.Context, string, string) (map[string]string, error) {
	authors := map[string]string{}
	for uid, n := range s.remote.Notes {
		authors[uid] = s.listed[n.name].Author
	}
	for uid, n := range s.base.Notes {
		if _, there := s.listed[n.name]; !there {
			authors[uid] = s.removals[n.name].Author
		}
	}
	return authors, nil
}

// Take records that files are about to be written from a commit with tree t.
func (s *serverBackend) Take(_ context.Context, now taking, t tree) error {
	now.Differ = tree{Notes: map[string]noteFile{}, Trash: t.Trash}
	for _, uid := range s.base.differing(t) {
		now.Differ.Notes[uid] = t.Notes[uid]
	}
	s.begun.Taken = append(s.begun.Taken, now)
	return s.begun.save(s.file)
}

// Move saves t as the base: what the server had, or what Push has sent.
func (s *serverBackend) Move(_ context.Context, commit string, t tree) error {
	to := snapshot{Project: s.remote.Project, Stand: s.pushed, Commit: commit}
	if commit == s.remote.Commit {
		if to.Stand = s.remote.Stand; !s.confirmed {
			to.Stand = "" // the next sync that sends notes asks for a confirmed list
		}
	}
	if s.base.Stand == to.Stand && s.base.Commit == commit {
		return nil
	}
	to.tree = t.clone()
	for name, mark := range s.remote.Trash { // of notes that the base no longer has
		if !note.IsUID(name) {
			to.Trash[name] = mark
		}
	}
	to.Removals = s.removed
	s.base = to
	err := save(atomicfile.Target{Path: s.file}, s.base)
	if err == nil {
		s.begun.drop(s.file)
		s.begun.Base = commit
	}
	return err
}

// ReadTexts calls each once for every text of ids that the server has or that was read before.
func (s *serverBackend) ReadTexts(ctx context.Context, ids []string, each func(id string, text []byte) error) error {
	var wanted []RemoteNote
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if text, known := s.marks[id]; known {
			if err := each(id, text); err != nil {
				return err
			}
		} else if s.read.has(id) {
			text, err := s.read.get(id)
			if err == nil {
				err = each(id, text)
			}
			if err != nil {
				return err
			}
		} else if name := s.names[id]; name != "" { // else a tombstone that the server has dropped
			wanted = append(wanted, RemoteNote{Name: name, Revision: id})
		}
	}
	for some := range slices.Chunk(wanted, MostEntries) {
		if err := s.readSome(ctx, some, each); err != nil {
			return err
		}
	}
	return nil
}

// readSome asks the server for texts until it has sent all.
func (s *serverBackend) readSome(ctx context.Context, wanted []RemoteNote, each func(id string, text []byte) error) error {
	missing := map[string]bool{}
	for _, e := range wanted {
		missing[e.Revision] = true
	}
	for len(wanted) > 0 {
		a, err := s.client.ask(ctx, Request{Ask: AskTexts, Notes: wanted})
		if err != nil {
			return err
		}
		var later []RemoteNote
		for _, e := range a.Notes {
			switch {
			case store.Revision(e.Text) == e.Revision && len(e.Text) <= store.Limit:
				if !missing[e.Revision] {
					continue
				}
				delete(missing, e.Revision)
				if err := each(e.Revision, e.Text); err != nil {
					return err
				}
			case len(e.Text) == 0 && s.names[e.Revision] != "":
				later = append(later, RemoteNote{Name: e.Name, Revision: e.Revision})
			default:
				return s.client.odd("a text is not that of its revision")
			}
		}
		if len(later) >= len(wanted) {
			return s.client.odd("it lists texts that it does not send")
		}
		wanted = later
	}
	for _, e := range s.listed { // a former text may have been erased
		if e.Removed == 0 && missing[e.Revision] {
			return s.client.odd("it lists texts that it does not have")
		}
	}
	return nil
}

// Had reports whether a note of a name had a text.
func (s *serverBackend) Had(ctx context.Context, name, id string) (bool, error) {
	former, err := s.former(ctx, map[string]string{name: id})
	return former[name], err
}

// former returns the names of the notes that have, or had, the given revision on the server.
func (s *serverBackend) former(ctx context.Context, ids map[string]string) (map[string]bool, error) {
	var asked []RemoteNote
	for name, id := range ids {
		asked = append(asked, RemoteNote{Name: name, Revision: id})
	}
	former := map[string]bool{}
	for some := range slices.Chunk(asked, MostEntries) {
		a, err := s.client.ask(ctx, Request{Ask: AskPast, Notes: some})
		if err != nil {
			return nil, err
		}
		for _, e := range a.Notes {
			if e.Revision == ids[e.Name] {
				former[e.Name] = true
			}
		}
	}
	return former, nil
}

// Push sends the notes in which t differs from the server, in batches. Each replaces the revision
// that the server had; Push returns [errMoved] if the server has another one now. Sending a note
// twice, because an answer was lost, changes nothing.
func (s *serverBackend) Push(ctx context.Context, _ heads, t tree, texts textSource, _ string) (commit string, err error) {
	changes := s.changes(t)
	if err := s.listRemovals(ctx, changes); err != nil {
		return "", err
	}
	uids := uidsOf(s.remote.tree)
	maps.Copy(uids, uidsOf(t))
	var left []sentNote
	for _, e := range changes {
		e.Removed = s.removals[e.Name].Removed
		again := e.Before != "" && texts.isOld(e.Name, e.Revision)
		left = append(left, sentNote{e, uids[e.Name], again})
	}
	slices.SortStableFunc(left, func(a, b sentNote) int { return cmp.Compare(a.UID, b.UID) })
	s.begun.Sent = left
	if err := s.begun.save(s.file); err != nil {
		return "", err
	}
	alone, stand := true, s.remote.Stand
	for len(left) > 0 {
		batch, err := s.withTexts(left, texts)
		if err != nil {
			return "", err
		}
		left = left[len(batch):]
		a, err := s.client.ask(ctx, Request{Ask: AskWrite, Stand: stand, Notes: batch})
		if errors.Is(err, errors.Conflict) {
			return "", errMoved
		}
		if err == nil {
			err = s.verify(ctx, batch, a.Stand)
		}
		if err != nil {
			return "", err
		}
		alone, stand = alone && a.Same, a.Stand
	}
	if s.pushed = stand; !alone { // the next sync takes what others have written
		s.pushed = ""
	}
	return digest(t), nil
}

// listRemovals asks for the last removals of the names that are changed, unless they are known.
func (s *serverBackend) listRemovals(ctx context.Context, changes []RemoteNote) error {
	if s.removals != nil {
		return nil
	}
	s.removals = map[string]RemoteNote{}
	for some := range slices.Chunk(changes, MostEntries) {
		a, err := s.client.ask(ctx, Request{Ask: AskList, Notes: some})
		if err != nil {
			return err
		}
		for _, e := range a.Notes {
			if e.Removed > s.removals[e.Name].Removed {
				s.removals[e.Name] = e
			}
		}
	}
	return nil
}

// changes returns the notes in which t differs from the server, by name, without texts.
func (s *serverBackend) changes(t tree) (all []RemoteNote) {
	next, there := blobs(t), blobs(s.remote.tree)
	for name, revision := range next {
		if before := there[name]; before != revision {
			all = append(all, RemoteNote{Name: name, Revision: revision, Before: before})
		}
	}
	for name, before := range there {
		if next[name] == "" {
			all = append(all, RemoteNote{Name: name, Before: before})
		}
	}
	slices.SortFunc(all, func(a, b RemoteNote) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// blobs returns the blobs of the notes of t by name.
func blobs(t tree) map[string]string {
	all := map[string]string{}
	for _, n := range t.Notes {
		all[n.name] = n.blob
	}
	return all
}

// withTexts returns the first changes, as many as fit into a request, with their texts. It does not
// separate the two changes of a note that has a new name: others would have the note twice.
func (s *serverBackend) withTexts(changes []sentNote, texts textSource) (batch []RemoteNote, err error) {
	size := 0
	for _, c := range changes[:min(len(changes), batchEntries)] {
		e := RemoteNote{Name: c.Name, Revision: c.Revision, Before: c.Before}
		if e.Text = s.marks[e.Revision]; e.Text == nil && texts.fresh[e.Revision] {
			if e.Text, err = texts.read(e.Revision); err != nil {
				return nil, err
			}
		}
		if size += len(e.Text); len(batch) > 0 && size > MostText {
			break
		}
		batch = append(batch, e)
	}
	n := len(batch)
	for n > 1 && n < len(changes) && changes[n].UID == changes[n-1].UID {
		n--
	}
	return batch[:n], nil
}

// verify asks for the notes that were sent, after which the server was at stand. It returns an
// error unless the server has them, or had them before another change.
func (s *serverBackend) verify(ctx context.Context, sent []RemoteNote, stand string) error {
	var names []RemoteNote
	for _, e := range sent {
		names = append(names, RemoteNote{Name: e.Name})
	}
	a, err := s.client.ask(ctx, Request{Ask: AskList, Notes: names})
	if err != nil {
		return err
	}
	there := map[string]RemoteNote{}
	for _, e := range a.Notes {
		if e.Removed == 0 || there[e.Name].Name == "" {
			there[e.Name] = e
		}
	}
	changed := map[string]string{}
	for _, e := range sent {
		is := there[e.Name]
		if is.Removed > 0 {
			s.removed[e.Name] = removal{is.Removed, is.Revision}
			is.Revision = ""
		}
		if is.Revision != e.Revision {
			changed[e.Name] = e.Revision
		}
	}
	former, err := s.former(ctx, changed)
	for name, revision := range changed {
		if err == nil && (a.Stand == stand || revision != "" && !former[name]) {
			err = notTaken(s.client.at.url, name)
		}
	}
	return err
}

// askTime is the time limit of one request with its answer.
const askTime = 60 * time.Second

// address is a project on a server.
type address struct{ url, project string } // url is without the path of MCP

// parseAddress parses the URL of a server, with or without the path of MCP. Its query may name the
// project too.
func parseAddress(text, project string) (address, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "" || u.Fragment != "":
		return address{}, badServer(text, "it is no URL")
	case u.User != nil:
		return address{}, badServer(u.Redacted(), "a name or a password does not belong there")
	case u.Scheme != "https" && (u.Scheme != "http" || u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback()):
		return address{}, badServer(text, "only https keeps the token and the notes from others; http is for 127.0.0.1 alone")
	}
	if project = cmp.Or(project, u.Query().Get("project")); project == "" {
		return address{}, errors.Missing("project", "name the project on the server: --project NAME")
	}
	u.RawQuery, u.Path = "", strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/mcp")
	return address{strings.TrimSuffix(u.String(), "/"), project}, nil
}

// host returns the host of the server, with the port if the URL has one.
func (a address) host() string {
	u, err := url.Parse(a.url)
	if err != nil {
		return ""
	}
	return u.Host
}

// client sends requests to one project of a server.
type client struct {
	at    address
	token Credential
	http  http.Client
}

// Credential authenticates the user at a server.
type Credential struct {
	Text string // empty if there is none
	File string // that holds it, or should
}

// ask sends a request and returns the checked answer.
func (c *client) ask(ctx context.Context, q Request) (a Answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	body, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.at.url+syncPath+"?project="+url.QueryEscape(c.at.project), bytes.NewReader(body))
	if err != nil {
		return a, badServer(c.at.url, "it is no URL")
	}
	r.Header.Set("Content-Type", "application/json")
	if c.token.Text != "" {
		r.Header.Set("Authorization", "Bearer "+c.token.Text)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return a, c.silent(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer+1))
	switch {
	case err != nil:
		return a, c.silent(err)
	case len(data) > mostAnswer:
		return a, c.odd("its answer is longer than 64 MiB")
	case response.StatusCode != http.StatusOK:
		return a, c.explain(response, data)
	case json.Unmarshal(data, &a) != nil || a.Project == "" || a.Stand == "":
		return a, c.odd("its answer is not that of blue server")
	}
	return a, nil
}

// silent returns the error of a request without an answer. It shows the URL and no header.
func (c *client) silent(err error) error {
	if at, ok := errors.AsType[*url.Error](err); ok {
		err = at.Err
	}
	return errors.E(errors.Timeout, "the server %s does not answer: %s",
		errors.Quote(c.at.url), errors.Reason(err.Error())).
		Hint("", "", "nothing is lost; try again when it can be reached")
}

// explain returns the error of a refused request.
func (c *client) explain(r *http.Response, data []byte) error {
	var said RemoteFailure
	_ = json.Unmarshal(data, &said) // a proxy may answer something else
	switch {
	case r.StatusCode == http.StatusUnauthorized && c.token.Text == "":
		return errors.E(errors.Denied, "the server %s wants a token", errors.Quote(c.at.url)).
			Hint("", "", "put the line that blue server token add has printed into "+errors.Argument(c.token.File)+
				", and run: chmod 600 "+errors.Argument(c.token.File))
	case r.StatusCode == http.StatusUnauthorized:
		return errors.E(errors.Denied, "the server %s does not know the token in %s: it is wrong, expired or revoked",
			errors.Quote(c.at.url), errors.Quote(c.token.File)).
			Hint("", "", "ask who runs it for another one: blue server token add")
	case r.StatusCode/100 == 3:
		return c.odd("it leads elsewhere: " + r.Header.Get("Location"))
	case r.StatusCode == http.StatusNotFound && said.Error.Kind == "":
		return c.odd("it has no " + syncPath + ", as a blue server of this version has")
	}
	if len(said.Error.Notes) > 0 {
		return erasedError{said.Error.Notes}
	}
	kind, hint := errors.Invalid, "nothing is lost here"
	if slices.Contains(errors.Kinds(), errors.Kind(said.Error.Kind)) {
		kind = errors.Kind(said.Error.Kind)
	}
	if said.Error.Kind == "" && (r.StatusCode == http.StatusTooManyRequests || r.StatusCode >= 500) {
		kind = errors.Busy
	}
	if kind == errors.Busy {
		hint = "nothing is lost; try again in a few seconds"
	}
	return errors.E(kind, "the server %s answers %d: %s",
		errors.Quote(c.at.url), r.StatusCode, errors.Reason(said.Error.Message)).
		Hint("", "", hint)
}

// Kinds of requests. A client POSTs a [Request]; the server answers with an [Answer], or with a
// [RemoteFailure] if the status is 400 or more.
const (
	AskList  = "list"  // existing and removed notes, all or by name
	AskPast  = "past"  // which of the named revisions exist or have existed
	AskTexts = "texts" // the same with texts, as many as fit into an answer
	AskWrite = "write" // write and remove notes, all or none
)

// syncPath is the path of these requests on a server.
const syncPath = "/sync"

// Limits of a request and of its answer.
const (
	MostEntries  = 1000      // notes of a request
	MostText     = 2 << 20   // bytes of the texts of a request or of an answer
	batchEntries = 250       // notes of a write, so that other writers of the project wait briefly
	mostAnswer   = 64 << 20  // bytes of an answer
	mostNotes    = 150_000   // notes of a project
	mostBytes    = 512 << 20 // bytes of all notes of a project
)

// Request is a request of a client.
type Request struct {
	Ask   string       `json:"ask"`
	Stand string       `json:"stand,omitempty"` // version of the server that the client knows; a list at the same version has no notes
	Sure  bool         `json:"sure,omitempty"`  // the server confirms the list as if the client had just written it
	Notes []RemoteNote `json:"notes,omitempty"`
}

// Answer is an answer of a server.
type Answer struct {
	Project string       `json:"project"`        // id
	Stand   string       `json:"stand"`          // version of the notes, different after each change
	Same    bool         `json:"same,omitempty"` // Stand equals that of the request, or did just before the write
	Notes   []RemoteNote `json:"notes,omitempty"`
}

// RemoteNote is a note or one revision of it. Private notes are never sent.
type RemoteNote struct {
	Name     string `json:"name"`               // of the file in notes/
	Revision string `json:"revision,omitempty"` // in a write, empty for a removal
	Before   string `json:"before,omitempty"`   // in a write, the revision that the server has, empty for none
	Author   string `json:"author,omitempty"`   // subject who wrote the revision
	Removed  int64  `json:"removed,omitempty"`  // time of the removal in nanoseconds since 1970, 0 if the note exists
	Size     int64  `json:"size,omitempty"`
	Text     []byte `json:"text,omitempty"`
}

// RemoteFailure is the answer to a request that failed.
type RemoteFailure struct {
	Error struct {
		Kind    string   `json:"kind"`
		Message string   `json:"message"`
		Notes   []string `json:"notes,omitempty"` // names of the notes that were erased there
	} `json:"error"`
}

// erasedError is the error of a write of notes that the server has erased.
type erasedError struct{ names []string }

func (e erasedError) Error() string { return e.names[0] + " was erased on the server" }

// badServer returns the error for a URL that cannot be that of a server.
func badServer(url, reason string) *errors.Error {
	return errors.E(errors.Invalid, "%s cannot be the URL of a blue server: %s", errors.Quote(url), reason).
		Hint("", "", "give it as in: blue sync https://notes.example.com --project shop")
}

// odd returns the error for a server that is not a blue server, or whose answers are not
// plausible.
func (c *client) odd(reason string) *errors.Error {
	return errors.E(errors.Invalid, "the server %s cannot be used: %s", errors.Quote(c.at.url), errors.Reason(reason)).
		Hint("", "", "nothing is lost; check the URL, and ask who runs that server")
}
