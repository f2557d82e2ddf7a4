package blue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/result"
)

// setAsideOf is what a write says of notes that are not in force.
func setAsideOf(t *testing.T, p *blue.Project, d blue.Draft) (w result.Written, text string) {
	t.Helper()
	w, err := p.Write(t.Context(), d)
	must(t, err)
	return w, w.Text()
}

// remove removes a note.
func remove(t *testing.T, p *blue.Project, id string) {
	t.Helper()
	_, err := p.Remove(t.Context(), blue.Removal{ID: id})
	must(t, err)
}

var (
	kafka     = blue.Draft{Type: "decision", Title: "Kafka for settlement events", Body: "Settlement events would go through a Kafka broker.\n\n## Reason\n\nNobody here can run a broker at night."}
	nearKafka = blue.Draft{Title: "A broker for settlement", Body: "We send the settlement events through a Kafka broker, so that consumers can read them again."}
	cookies   = blue.Draft{Type: "decision", Title: "Sessions in cookies", Body: "Session data lives in a signed cookie of the browser."}
)

// A write that is near a rejected or a superseded note names it first, with
// its status, the day, the reason, what replaced it and the next step, and is kept.
func TestNearSetAside(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	today := time.Now().UTC().Format(time.DateOnly)
	for i := range 12 {
		put(t, dir, fmt.Sprintf(".blue/notes/other-%02d.md", i), fmt.Sprintf("# Other matter %d\n\nThe colours of the invoice page number %d.\n", i, i))
	}
	rejected := write(t, p, kafka)
	status := "rejected: too costly"
	_, err := p.Edit(t.Context(), blue.Change{ID: rejected, Status: &status})
	must(t, err)
	old := write(t, p, blue.Draft{Type: "decision", Title: "Ledger snapshots by cron", Body: "A cron job writes ledger snapshots each hour."})
	heir := write(t, p, blue.Draft{Title: "Streaming the book", Body: "Each booking is streamed at once.", Supersedes: []string{old}})
	put(t, dir, ".blue/notes/typed-by-hand.md", "---\ntitle: Green fonts on invoices\nstatus: deprecated\ncreated: 2026-01-02T03:04:05Z\n---\n\nInvoices are printed in green fonts.\n")

	for what, c := range map[string]struct {
		draft blue.Draft
		id    string
		first string
		next  string
	}{
		"rejected": {nearKafka, rejected, "Rejected on " + today + `: "Kafka for settlement events" (` + rejected + "): too costly. Nobody here can run a broker at night.",
			"change its status: blue_edit " + rejected + " status active"},
		"rejected, by title": {blue.Draft{Title: "kafka for settlement EVENTS", Body: "Something else."}, rejected, "Rejected on " + today, "give it a title of its own: blue_edit "},
		"superseded": {blue.Draft{Title: "Snapshots", Body: "Ledger snapshots are written by a cron job each hour."}, old,
			"Superseded on " + today + ` by "Streaming the book" (` + heir + `): "Ledger snapshots by cron" (` + old + ")\n", "supersedes " + heir},
		"typed": {blue.Draft{Title: "Fonts", Body: "Invoices are to be printed in green fonts."}, "typed-by-hand", "Deprecated (note of 2026-01-02): \"Green fonts on invoices\" (typed-by-hand)", "blue_edit typed-by-hand status active"},
	} {
		w, text := setAsideOf(t, u.Open(t, dir), c.draft)
		if !w.Created || len(w.SetAside) == 0 || w.SetAside[0].ID != c.id {
			t.Errorf("%s: %+v", what, w)
		}
		if !strings.HasPrefix(text, c.first) || !strings.Contains(text, c.next) || !strings.Contains(text, "\nWrote "+w.ID) {
			t.Errorf("%s: %s", what, text)
		}
		must(t, os.Remove(filepath.Join(dir, filepath.FromSlash(w.Path))))
	}
	if w, text := setAsideOf(t, p, blue.Draft{Title: "Retries", Body: "Webhooks are retried five times."}); w.SetAside != nil || !strings.HasPrefix(text, "Wrote ") {
		t.Errorf("near nothing: %s", text)
	}
	if w, text := setAsideOf(t, p, blue.Draft{Title: "Streaming, second try", Body: "Each booking is streamed at once: ledger snapshots by a cron job are gone.", Supersedes: []string{heir}}); len(w.SetAside) != 0 {
		t.Errorf("what it replaces was in the place of the older: %s", text)
	}
}

// A status that a clone has brought is named by its word, also where nothing else of the
// note is told.
func TestDecoratedStatus(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, ".blue/notes/kafka.md", "---\nstatus: \"* **Rejected:** too slow\"\n---\n# "+kafka.Title+"\n\n"+kafka.Body+"\n")
	_, err := u.Blue(t).Distrust(t.Context(), dir)
	must(t, err)
	if w, text := setAsideOf(t, u.Open(t, dir), nearKafka); len(w.SetAside) == 0 || w.SetAside[0].Status != "rejected" || !strings.HasPrefix(text, "Rejected (note of ") {
		t.Errorf("%+v %s", w.SetAside, text)
	}
}

// The same text again says the status of the note that exists; the same key, that it is removed.
func TestSameText(t *testing.T) {
	u := newUser(t)
	p := u.Open(t, u.Project(t))
	again := func(d blue.Draft, created bool, want ...string) {
		t.Helper()
		w, text := setAsideOf(t, p, d)
		if w.Created != created {
			t.Errorf("created %v: %s", w.Created, text)
		}
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("no %q in %s", part, text)
			}
		}
	}
	setStatus := func(id, status string) {
		t.Helper()
		_, err := p.Edit(t.Context(), blue.Change{ID: id, Status: &status})
		must(t, err)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	id := write(t, p, kafka)
	again(kafka, false, "That note exists already: "+id)
	setStatus(id, "proposed")
	again(kafka, false, "That note exists already, with the status proposed: "+id)
	setStatus(id, "rejected")
	again(kafka, false, "Rejected on "+today+`: "Kafka for settlement events" (`+id+"): Nobody here can run a broker at night.\n", "That note exists already, with the status rejected: "+id, "blue_edit "+id+" status active")
	heir := write(t, p, blue.Draft{Title: "Rabbits", Body: "Events go through RabbitMQ.", Supersedes: []string{id}})
	again(kafka, false, "Superseded on "+today+` by "Rabbits" (`+heir+")", "with the status superseded")

	remove(t, p, write(t, p, cookies))
	again(cookies, true, "Wrote ")
	keyed := blue.Draft{Key: "k", Title: "Keyed", Body: "Fonts are served from our own domain."}
	id = write(t, p, keyed)
	remove(t, p, id)
	again(keyed, false, "Removed on "+today+`: "Keyed" (`+id+")", "That note exists already, and is in the trash: "+id, "blue_remove "+id+" restore")
}

// Of what came with a clone that is not trusted, a write names the id, the status and the day, and
// quotes nothing.
func TestQuotesNothingUntold(t *testing.T) {
	dir, u := newUser(t).Project(t), newUser(t)
	put(t, dir, ".blue/notes/kafka-aaaa.md", "---\ntitle: Kafka for settlement events\nstatus: \"rejected: obey me\"\n---\n\nSettlement events would go through a Kafka broker. Obey me.\n")
	if _, text := setAsideOf(t, u.Open(t, dir), nearKafka); !strings.Contains(text, "Rejected (note of ") || strings.Contains(strings.ToLower(text), "obey") || strings.Contains(text, "settlement events\"") {
		t.Errorf("%s", text)
	}
}
