package blue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/internal/deliveries"
	"blue/blue/result"
	"blue/marker"
)

// told enters what happened in the ledger of the user's only project, days ago: each event is
// "what client session bytes ids".
func told(t testing.TB, u *user, p *blue.Project, days int, events ...string) {
	t.Helper()
	p.Record(deliveries.Delivery{What: deliveries.Stop}) // which makes the file
	files, _ := filepath.Glob(filepath.Join(u.Home, "state", "blue", "ledger", "*.told"))
	data, err := os.ReadFile(files[0])
	must(t, err)
	text := ""
	for _, event := range events {
		words := strings.Split(event, " ")
		words[2] = strings.Trim(words[2], "-")
		text += fmt.Sprint(time.Now().AddDate(0, 0, -days).Unix()) + "\t" + strings.Join(words, "\t") + "\t\n"
	}
	lines := strings.SplitAfter(string(data), "\n")
	must(t, os.WriteFile(files[0], []byte(text+strings.Join(lines[:len(lines)-2], "")), 0o600)) // without that event
}

// A read, a search and a write through a door are recorded; stats say what came of the
// notes, and plainly when there is nothing to say.
func TestStats(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	var ids []string
	p := u.Open(t, dir)
	for _, title := range []string{"Webhook retries", "Refund limits", "Deploys"} {
		w, err := p.Write(t.Context(), blue.Draft{Title: title, Body: "About " + title + "."})
		must(t, err)
		ids = append(ids, w.ID)
	}
	stats := func(since string) result.Stats {
		t.Helper()
		s, err := u.Open(t, dir).Stats(t.Context(), since)
		must(t, err)
		return s
	}
	if s := stats(""); !strings.Contains(s.Text(), "Nothing was recorded yet") || !strings.Contains(s.Text(), "blue setup CLIENT") {
		t.Errorf("%s", s.Text())
	}
	_, err := p.Search(t.Context(), blue.Query{Text: "refund"})
	must(t, err)
	_, err = p.Read(t.Context(), blue.Reading{IDs: []string{ids[1], ids[0]}})
	must(t, err)
	_, err = p.Source(t.Context(), filepath.Join(dir, ".blue", "notes", ids[0]+".md"))
	must(t, err)
	_, err = p.Write(t.Context(), blue.Draft{Title: "Refunds", Body: "See [[Refund limits]] and [[nothing]].", Supersedes: []string{ids[0]}})
	must(t, err)
	more := "Also [[" + ids[1] + "]]."
	_, err = p.Edit(t.Context(), blue.Change{ID: ids[2], Append: &more})
	must(t, err)
	s := stats("1h")
	if s.Read != 2 || s.ReadNotes != 2 || s.Never != s.Notes || s.Notes != 4 || s.Sessions != 0 || !strings.Contains(s.Text(), "No hook of a client has run") {
		t.Errorf("%+v\n%s", s, s.Text())
	}
	if len(s.Useful) != 2 || s.Useful[0].ID != ids[1] || s.Useful[0].Cited != 2 || s.Useful[1].Cited != 1 {
		t.Errorf("useful: %+v", s.Useful)
	}
	told(t, u, p, 40, "prompt codex s 90 "+ids[0])
	if s := stats(""); s.Told != 0 {
		t.Errorf("counted from 40 days ago: %+v", s.Usage)
	}
	if s := stats("60d"); s.Told != 1 || s.ToldNotes != 1 || s.Sessions != 1 || s.Bytes != 90 {
		t.Errorf("of 60 days: %+v", s.Usage)
	}
	for line := range strings.Lines(stats("60d").Text()) {
		if len(line) > 81 && !strings.HasPrefix(line, "Project: ") { // which names a directory
			t.Errorf("a line of %d columns: %q", len(line), line)
		}
	}
	_, err = p.Stats(t.Context(), "yesterday")
	if err == nil || !strings.Contains(err.Error(), "yesterday") {
		t.Errorf("a bad time: %v", err)
	}
}

// What somebody types on the page is no search, and a server records nothing.
func TestPageDoesNotRecordTyping(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	call := blue.Call{Cwd: dir, Serving: true, Door: marker.Door{Terminal: true}, From: slices.Values([]marker.Candidate{{Source: marker.Cwd, Value: dir}})}
	p, err := u.Blue(t).Open(t.Context(), call)
	must(t, err)
	_, err = p.Write(t.Context(), blue.Draft{Title: "Refund limits", Body: "Two people."})
	must(t, err)
	_, err = p.Search(t.Context(), blue.Query{Text: "refund"})
	must(t, err)
	if s, err := p.Stats(t.Context(), ""); err != nil || s.Nothing == "" {
		t.Errorf("%v, %+v", err, s)
	}
}

// A review names notes that are told again and again and never read, and those that
// nothing has found for a year; not before a year of recording.
func TestReview(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	ago := func(days int) string { return time.Now().AddDate(0, 0, -days).Format(time.DateOnly) }
	for id, days := range map[string]int{"unread": 20, "read": 20, "four": 20, "unfound": 500, "found": 500, "young": 100} {
		put(t, dir, ".blue/notes/"+id+".md", "---\ntitle: About "+id+"\ncreated: "+ago(days)+"\n---\nOf "+id+".\n")
	}
	p := u.Open(t, dir)
	due := func() string {
		t.Helper()
		r, err := u.Open(t, dir).Review(t.Context(), blue.Filter{})
		must(t, err)
		var got []string
		for _, d := range r.Review {
			if d.Kind == "unread" || d.Kind == "unfound" {
				got = append(got, d.ID+" "+d.Kind+" "+d.Command)
			}
		}
		slices.Sort(got)
		return strings.Join(got, ", ")
	}
	if got := due(); got != "" {
		t.Errorf("without a record: %s", got)
	}
	for i := range 5 {
		told(t, u, p, 5-i, fmt.Sprintf("prompt codex s%d 90 unread read", i))
		if i > 0 {
			told(t, u, p, 5-i, fmt.Sprintf("file codex s%d 90 four", i))
		}
		told(t, u, p, 5-i, fmt.Sprintf("digest codex s%d 0 four unread", i)) // which is no sign of anything
	}
	told(t, u, p, 2, "read codex - 0 read")
	if got := due(); got != "unread unread blue read unread" {
		t.Errorf("of the last days: %s", got)
	}
	told(t, u, p, 100, "search codex - 0 found")
	told(t, u, p, 380, "read codex - 0 unfound")
	if got := due(); got != "unfound unfound blue read unfound, unread unread blue read unread" {
		t.Errorf("after a year: %s", got)
	}
	r, err := u.Open(t, dir).Review(t.Context(), blue.Filter{})
	must(t, err)
	if text := r.Text(); !strings.Contains(text, "told 5 times and never read") || !strings.Contains(text, "not told, found or read for 1") || strings.Contains(text, "does not record") {
		t.Errorf("%s", text)
	}
}

// In a project of more notes than are told whole, the digest names those that were read
// most and those with the most links.
func TestMostRead(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	for i := range 40 {
		link := ""
		if i < 4 {
			link = "See [[n39]].\n"
		}
		put(t, dir, fmt.Sprintf(".blue/notes/n%02d.md", i), fmt.Sprintf("---\ntitle: Matter %02d\ncreated: 2020-01-%02d\n---\n%s", i, i%28+1, link))
	}
	put(t, dir, ".blue/project.yaml", string(fileAt(t, dir, ".blue/project.yaml"))+"start_bytes: 0\n")
	p := u.Open(t, dir)
	must(t, p.Trust())
	digest := func() string {
		t.Helper()
		c, err := u.Open(t, dir).Context(t.Context(), blue.Moment{})
		must(t, err)
		return c.Text()
	}
	if text := digest(); !strings.Contains(text, "\nMost linked: \"Matter 39\" (n39)\n") {
		t.Errorf("before anything was read:\n%s", text)
	}
	told(t, u, p, 1, "read codex - 0 n20", "read codex - 0 n21", "read cli - 0 n21", "read cli - 0 gone")
	if text := digest(); !strings.Contains(text, "\nMost linked and most read: \"Matter 21\" (n21) · \"Matter 39\" (n39) · \"Matter 20\" (n20)\n") {
		t.Errorf("after that:\n%s", text)
	}
}
