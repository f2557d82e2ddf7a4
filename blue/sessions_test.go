package blue_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/blue"
	"blue/errors"
)

// said is a line of a transcript of Claude Code.
type said struct{ by, text string }

// session writes a transcript of Claude Code about work in a directory.
func session(t testing.TB, u *user, id, dir string, turns ...said) (file string) {
	t.Helper()
	file = filepath.Join(u.Home, ".claude", "projects", strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(dir), id+".jsonl")
	var b strings.Builder
	for i, turn := range turns {
		kind, content := "assistant", any([]map[string]string{{"type": "text", "text": turn.text}})
		if turn.by == "person" {
			kind, content = "user", turn.text
		}
		line, err := json.Marshal(map[string]any{
			"type": kind, "sessionId": id, "cwd": dir, "uuid": fmt.Sprint(id, i), "timestamp": fmt.Sprintf("2026-03-%02dT10:00:00Z", i%28+1),
			"message": map[string]any{"role": kind, "content": content},
		})
		must(t, err)
		b.Write(line)
		b.WriteByte('\n')
	}
	must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	must(t, os.WriteFile(file, []byte(b.String()), 0o600))
	old := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(file, old, old))
	return file
}

// private opens a project as the user's own terminal does.
func private(t testing.TB, u *user, dir string) *blue.Project {
	t.Helper()
	c := at(dir)
	c.Private = true
	p, err := u.Blue(t).Open(t.Context(), c)
	must(t, err)
	return p
}

// searchedSessions returns the ids of what a search finds in past sessions.
func searchedSessions(t testing.TB, p *blue.Project, text string, in ...string) (ids []string) {
	t.Helper()
	h, err := p.Search(t.Context(), blue.Query{Text: text, In: in})
	must(t, err)
	for _, hit := range h.Sessions {
		ids = append(ids, hit.ID)
	}
	return ids
}

var backoff = []said{
	{"person", "Why do the webhooks fail after a deployment?"}, {"agent", "The provider answers 503 for minutes, and we give up after three tries."},
	{"person", "No, use exponential backoff with jitter, at most an hour."}, {"agent", "Done: the retries now wait with exponential backoff and jitter."},
}

// Past sessions of the project are found by their words, with client, date, speaker,
// question and answer, and the command that shows the exchange.
func TestSessionsAreFound(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	other := u.Project(t)
	session(t, u, "aaaa-1111", dir, backoff...)
	session(t, u, "bbbb-2222", filepath.Join(dir, "pay"), said{"person", "Which jitter do we use?"}, said{"agent", "Full jitter."})
	session(t, u, "cccc-3333", other, said{"person", "exponential backoff with jitter elsewhere"})
	p := private(t, u, dir)
	must(t, u.Blue(t).SwitchSessions(true))
	h, err := p.Search(t.Context(), blue.Query{Text: "exponential backoff", In: []string{"sessions"}})
	must(t, err)
	if len(h.Sessions) != 1 {
		t.Fatalf("%+v", h)
	}
	hit := h.Sessions[0]
	if hit.ID != "claude-code/aaaa-1111#2" || hit.Client != "claude-code" || hit.Date != "2026-03-03" || !strings.Contains(hit.Question, "No, use exponential backoff") || !strings.Contains(hit.Answer, "wait with exponential") {
		t.Errorf("%+v", hit)
	}
	for _, want := range []string{"Said in past sessions:\nclaude-code/aaaa-1111#2  (claude-code, 2026-03-03, ", "said by the person)", "blue sessions show " + errors.Argument("claude-code/aaaa-1111#2") + "\n"} {
		if !strings.Contains(h.Text(), want) {
			t.Errorf("lacks %q: %s", want, h.Text())
		}
	}
	if found := searchedSessions(t, p, "full jitter", "sessions"); !slices.Contains(found, "claude-code/bbbb-2222#1") {
		t.Errorf("not found from a subdirectory: %q", found)
	}
	all, err := p.Search(t.Context(), blue.Query{Text: "exponential backoff", In: []string{"all"}})
	must(t, err)
	if len(all.Sessions) != 1 {
		t.Errorf("%+v", all)
	}
	s, err := p.Session(t.Context(), "aaaa")
	must(t, err)
	if text := s.Text(); !strings.Contains(text, "#2  2026-03-03T10:00:00Z") || !strings.Contains(text, "The agent:\nDone: the retries") {
		t.Error(text)
	}
	one, err := p.Session(t.Context(), hit.ID)
	must(t, err)
	if len(one.Exchanges) != 1 || one.Exchanges[0].Number != 2 || len(one.Exchanges[0].Turns) != 2 {
		t.Errorf("%+v", one)
	}
	_, err = p.Session(t.Context(), "zzzz")
	isKind(t, err, errors.NotFound, "an unknown session")
}

// Sessions in linked worktrees belong to the project, those in nested projects do not.
func TestWorktreesAndNestedProjects(t *testing.T) {
	u := newUser(t)
	dir, _ := recorded(t, u)
	tree := filepath.Join(filepath.Dir(dir), filepath.Base(dir)+"-linked")
	gitIn(t, dir, "worktree", "add", "-q", "-b", "side", tree)
	nested := filepath.Join(dir, "vendor", "lamp")
	must(t, os.MkdirAll(nested, 0o755))
	_, err := u.Blue(t).Init(t.Context(), blue.NewProject{Dir: nested, Name: "lamp", Nested: true})
	must(t, err)
	session(t, u, "tree", tree, said{"person", "a zeppelin in the linked worktree"})
	session(t, u, "gone", filepath.Join(dir, "was", "here"), said{"person", "a zeppelin in a directory that is gone"})
	session(t, u, "nested", nested, said{"person", "a zeppelin in the nested project"})
	must(t, u.Blue(t).SwitchSessions(true))
	if found := searchedSessions(t, private(t, u, dir), "zeppelin", "sessions"); !sameElements(found, "claude-code/tree#1", "claude-code/gone#1") {
		t.Errorf("%q", found)
	}
	if found := searchedSessions(t, private(t, u, tree), "zeppelin", "sessions"); !sameElements(found, "claude-code/tree#1", "claude-code/gone#1") {
		t.Errorf("from the worktree: %q", found)
	}
	if found := searchedSessions(t, private(t, u, nested), "zeppelin", "sessions"); !sameElements(found, "claude-code/nested#1") {
		t.Errorf("from the nested project: %q", found)
	}
}

func sameElements(got []string, want ...string) bool {
	slices.Sort(got)
	slices.Sort(want)
	return slices.Equal(got, want)
}

// Off until it is switched on, refused with guidance when asked by name, and nothing is left
// behind by switching it off. It is read-only, and what it keeps is for its user alone.
func TestOffByDefault(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	file := session(t, u, "aaaa", dir, backoff...)
	p := private(t, u, dir)
	_, err := p.Search(t.Context(), blue.Query{Text: "exponential backoff", In: []string{"sessions"}})
	isKind(t, err, errors.Denied, "a search by name while it is off")
	if hints := errors.Of(err).Hints; len(hints) != 1 || hints[0].ForPerson() != "to search what was said to coding agents on this machine, for this user alone: blue sessions --on" {
		t.Errorf("%+v", hints)
	}
	if found := searchedSessions(t, p, "exponential backoff", "all"); len(found) > 0 {
		t.Errorf("%q", found)
	}
	if found := searchedSessions(t, p, "exponential backoff"); len(found) > 0 || len(sessionFiles(t, u)) > 0 {
		t.Errorf("%q, %q", found, sessionFiles(t, u))
	}
	b := u.Blue(t)
	before, err := os.ReadFile(file)
	must(t, err)
	notes := tree(t, dir)
	must(t, b.SwitchSessions(true))
	if found := searchedSessions(t, p, "exponential backoff", "sessions"); len(found) != 1 {
		t.Fatalf("%q", found)
	}
	if tree(t, dir) != notes {
		t.Error("the project was changed, from which commits, exports and syncs are made")
	}
	files := sessionFiles(t, u)
	if len(files) < 3 {
		t.Fatalf("%q", files)
	}
	for _, name := range files {
		info, err := os.Lstat(name)
		must(t, err)
		want := fs.FileMode(0o600)
		if info.IsDir() {
			want = 0o700
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
	after, err := os.ReadFile(file)
	must(t, err)
	if string(after) != string(before) {
		t.Error("the transcript was changed")
	}
	must(t, b.SwitchSessions(false))
	_, err = p.Search(t.Context(), blue.Query{Text: "exponential backoff", In: []string{"sessions"}})
	isKind(t, err, errors.Denied, "a search by name after it is off again")
	if left := slices.DeleteFunc(sessionFiles(t, u), func(name string) bool { return strings.HasPrefix(name, filepath.Join(u.Home, "state")) }); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// sessionFiles returns the directories that Blue keeps of past sessions, and all that is in them.
func sessionFiles(t testing.TB, u *user) (names []string) {
	t.Helper()
	for _, below := range []string{"cache", "state", "data", "config"} {
		_ = filepath.WalkDir(filepath.Join(u.Home, below), func(name string, _ fs.DirEntry, err error) error {
			if err == nil && strings.Contains(name, string(filepath.Separator)+"sessions") {
				names = append(names, name)
			}
			return nil
		})
	}
	return names
}

// A call that does not come from the user's own terminal, client or page is told nothing:
// over HTTP, on a server, for another project.
func TestForThePersonAlone(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	session(t, u, "aaaa", dir, backoff...)
	must(t, u.Blue(t).SwitchSessions(true))
	if found := searchedSessions(t, private(t, u, dir), "exponential backoff", "sessions"); len(found) != 1 {
		t.Fatalf("%q", found)
	}
	p := u.Open(t, dir)
	_, err := p.Search(t.Context(), blue.Query{Text: "exponential backoff", In: []string{"sessions"}})
	isKind(t, err, errors.Denied, "a search that is not private")
	_, err = p.Session(t.Context(), "aaaa")
	isKind(t, err, errors.Denied, "a session that is not private")
	for _, in := range [][]string{nil, {"all"}} {
		if found := searchedSessions(t, p, "exponential backoff", in...); len(found) > 0 {
			t.Errorf("%q: %q", in, found)
		}
	}
	w, err := u.Blue(t).Where(t.Context(), at(dir))
	must(t, err)
	if w.Sessions != nil {
		t.Error("where tells of sessions to others")
	}
	c, err := private(t, u, dir).Context(t.Context(), blue.Moment{For: "Why do the webhooks fail after a deployment?"})
	must(t, err)
	if strings.Contains(c.Text(), "503") {
		t.Errorf("context tells: %s", c.Text())
	}
}

// Secrets are masked before anything is kept, and what is forgotten never comes back.
func TestSecretsAndForgetting(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	secret := "ghp_" + "x7Kq2mVb9Rt4Ws8Yz1Nc6Pd3Lf5Hg0Jk2Qa8"
	session(t, u, "aaaa", dir, said{"person", "deploy the lighthouse with this token:\n" + secret + "\nplease"}, said{"agent", "The lighthouse is deployed."})
	session(t, u, "bbbb", dir, said{"person", "paint the lighthouse red"}, said{"agent", "Red it is."})
	must(t, u.Blue(t).SwitchSessions(true))
	p := private(t, u, dir)
	if found := searchedSessions(t, p, "lighthouse", "sessions"); len(found) != 2 {
		t.Fatalf("%q", found)
	}
	holding := func(text string) (files []string) {
		for _, name := range sessionFiles(t, u) {
			if data, err := os.ReadFile(name); err == nil && strings.Contains(strings.ToLower(string(data)), text) {
				files = append(files, name)
			}
		}
		return files
	}
	if files := holding("x7kq2mvb"); len(files) > 0 {
		t.Errorf("the secret is in %q", files)
	}
	if found := searchedSessions(t, p, secret, "sessions"); len(found) > 0 {
		t.Errorf("the secret finds %q", found)
	}
	s, err := p.Session(t.Context(), "aaaa")
	must(t, err)
	if text := s.Text(); strings.Contains(text, secret) || !strings.Contains(text, "line left out: it looks like a secret") {
		t.Error(text)
	}
	_, err = p.ForgetSession(t.Context(), "aaaa")
	must(t, err)
	if files := holding("deployed"); len(files) > 0 {
		t.Errorf("the forgotten session is in %q", files)
	}
	if found := searchedSessions(t, p, "lighthouse", "sessions"); !slices.Equal(found, []string{"claude-code/bbbb#1"}) {
		t.Errorf("%q", found)
	}
	session(t, u, "aaaa", dir, said{"person", "the lighthouse again, after it was forgotten"})
	if found := searchedSessions(t, private(t, u, dir), "lighthouse", "sessions"); !slices.Equal(found, []string{"claude-code/bbbb#1"}) {
		t.Errorf("it came back: %q", found)
	}
	_, err = p.ForgetSessionsBefore("yesterday")
	isKind(t, err, errors.Invalid, "no day")
	_, err = p.ForgetSessionsBefore("2026-03-02")
	must(t, err)
	if found := searchedSessions(t, p, "lighthouse", "sessions"); len(found) > 0 {
		t.Errorf("%q", found)
	}
}

// Without being asked for, sessions come last, at most two, and only if neither notes nor
// documents answer.
func TestSessionsComeLast(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	for _, id := range []string{"a", "b", "c"} {
		session(t, u, id, dir, said{"person", "Why does the periscope of boat " + id + " leak?"}, said{"agent", "The gasket of the periscope is worn."})
	}
	must(t, u.Blue(t).SwitchSessions(true))
	p := private(t, u, dir)
	if found := searchedSessions(t, p, "periscope gasket"); len(found) > 0 {
		t.Errorf("a search waited for sessions: %q", found)
	}
	searchedSessions(t, p, "periscope", "sessions")
	h, err := p.Search(t.Context(), blue.Query{Text: "periscope gasket"})
	must(t, err)
	if len(h.Sessions) != 2 || !strings.HasSuffix(h.Text(), h.Sessions[1].Lines()+h.Lines()) {
		t.Errorf("%s", h.Text())
	}
	_, err = p.Write(t.Context(), blue.Draft{Title: "Boats", Body: "A periscope was mentioned at lunch."})
	must(t, err)
	if found := searchedSessions(t, p, "periscope gasket"); len(found) != 2 {
		t.Errorf("beside a note that does not answer: %q", found)
	}
	_, err = p.Write(t.Context(), blue.Draft{Title: "Periscope leaks", Body: "The gasket of the periscope is worn: replace it every spring."})
	must(t, err)
	if found := searchedSessions(t, p, "periscope gasket"); len(found) > 0 {
		t.Errorf("beside a note that answers: %q", found)
	}
}

// A transcript that has grown is read again, one that is gone is dropped, and damaged lines
// are skipped.
func TestGrownGoneAndDamaged(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	file := session(t, u, "aaaa", dir, backoff...)
	must(t, u.Blue(t).SwitchSessions(true))
	p := private(t, u, dir)
	if found := searchedSessions(t, p, "sextant", "sessions"); len(found) > 0 {
		t.Fatalf("%q", found)
	}
	text, err := os.ReadFile(file)
	must(t, err)
	more := `{"type":"user","cwd":` + fmt.Sprintf("%q", dir) + `,"timestamp":"2026-03-09T10:00:00Z","message":{"role":"user","content":"calibrate the sextant"}}` + "\n"
	must(t, os.WriteFile(file, []byte(string(text)+"{damaged\n\x00\x00\n"+more+`{"type":"assistant","mess`), 0o600))
	if found := searchedSessions(t, p, "sextant", "sessions"); !slices.Equal(found, []string{"claude-code/aaaa#3"}) {
		t.Errorf("%q", found)
	}
	must(t, os.Remove(file))
	if found := searchedSessions(t, p, "sextant", "sessions"); len(found) > 0 {
		t.Errorf("%q", found)
	}
}
