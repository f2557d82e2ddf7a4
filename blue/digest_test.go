package blue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/blue"
)

// A small project's digest names every note, in groups and in its bytes; a larger one
// fills them with what matters most.
func TestEveryTitle(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	var titles []string
	write := func(kind, title string) {
		titles = append(titles, title)
		writeNote(t, p, kind, title, "Body of it.\n\nNext: go on.")
	}
	digest := func(room int) (c blue.Context, text string) {
		t.Helper()
		c, err := u.Open(t, dir).Context(t.Context(), blue.Moment{MaxBytes: room})
		must(t, err)
		text = c.Text()
		if room == 0 {
			room = 1500
		}
		if len(text) > room {
			t.Errorf("%d bytes of %d:\n%s", len(text), room, text)
		}
		return c, text
	}
	kinds := []string{"decision", "remediation", "skill", "note", "checkpoint"}
	for i := range 10 {
		write(kinds[i%5], fmt.Sprintf("Number %02d of the notes on payment", i))
	}
	_, text := digest(0)
	var headings []string
	for line := range strings.Lines(text) {
		heading, _, _ := strings.Cut(line, ":")
		headings = append(headings, heading)
	}
	if got := slices.Compact(headings)[2:]; !slices.Equal(got, []string{"Unfinished", "Decisions", "Remedies", "How-tos", "Others"}) {
		t.Errorf("%q in\n%s", got, text)
	}
	for i := range 10 {
		write(kinds[i%5], fmt.Sprintf("Why the settlement number %02d is booked on the next day of work", i))
	}
	if _, text = digest(0); strings.Count(text, "(") > 2 {
		t.Errorf("ids in a digest without room for them:\n%s", text)
	}
	for _, title := range titles {
		if !strings.Contains(text, title[:25]) {
			t.Errorf("%q is not named in\n%s", title, text)
		}
	}
	digest(600)

	hub := writeNote(t, p, "note", "The hub of payments", "Much depends on it.")
	for i := range 30 {
		_, err := p.Write(t.Context(), blue.Draft{Type: "note", Title: fmt.Sprintf("Detail %02d", i), Body: "See [[" + hub + "]].", Tags: []string{"ledger"}})
		must(t, err)
	}
	_, text = digest(0)
	for _, want := range []string{"Newest decisions: ", `Most linked: "The hub of payments" (` + hub + ")\n", "Tags: ledger 30\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// A file about to be changed brings what was decided of it, within its bytes.
func TestWhatWasDecided(t *testing.T) {
	u := newUser(t)
	dir := repository(t, u, "work")
	p := u.Open(t, dir)
	why := "# Why\n\n" + strings.Repeat("The provider resends webhooks. ", 30)
	writeNote(t, p, "decision", "Webhook retries", why+"\n\n# Decision\n\nRetries stop after three tries.\n", "pay/retry.go")
	text := func() string {
		t.Helper()
		c, err := p.Context(t.Context(), blue.Moment{Files: []string{"pay/retry.go"}})
		must(t, err)
		return c.Text()
	}
	if got := text(); !strings.Contains(got, "decision, now): Retries stop after three tries.\n") {
		t.Errorf("not what was decided:\n%s", got)
	}
	for i := range 3 {
		writeNote(t, p, "decision", fmt.Sprintf("Retry rule %d", i), strings.Repeat("Retries of webhooks obey many rules. ", 20), "pay/retry.go")
	}
	got := text()
	if len(got) > 1200 || strings.Count(got, "\n") != 4 {
		t.Errorf("%d bytes:\n%s", len(got), got)
	}
	for line := range strings.Lines(got) {
		if _, passage, _ := strings.Cut(line, "now): "); !strings.HasPrefix(line, "Notes of") && (len([]rune(passage)) > 301 || len(passage) < 100) {
			t.Errorf("a passage of %d bytes: %s", len(passage), passage)
		}
	}
}

// A prompt that names an unfinished checkpoint, or asks to go on, brings it with its next
// step; of several the newest of this branch, and the others by title.
func TestResume(t *testing.T) {
	u := newUser(t)
	dir := repository(t, u, "other")
	ask := func(prompt string) string {
		t.Helper()
		c, err := u.Open(t, dir).Context(t.Context(), blue.Moment{For: prompt})
		must(t, err)
		return c.Text()
	}
	if got := ask("continue"); got != "" {
		t.Errorf("without a checkpoint: %q", got)
	}
	writeNote(t, u.Open(t, dir), "checkpoint", "Elsewhere it stands", "Half is done. Next: ask Ada.")
	mustGit(t, dir, "checkout", "-qb", "feature/retry")
	id := writeNote(t, u.Open(t, dir), "checkpoint", "Rollout of retries", "The queue is there. The consumer moves to it now.")
	mustGit(t, dir, "checkout", "-q", "other")
	writeNote(t, u.Open(t, dir), "checkpoint", "Newest elsewhere", "todo: all of it")
	mustGit(t, dir, "checkout", "-q", "feature/retry")
	for _, prompt := range []string{"continue", "Please continue with it.", "ok, go on", "Where were we?", "Hi! So what's next here?"} {
		got := ask(prompt)
		if !strings.Contains(got, `"Rollout of retries" (`+id+`, checkpoint, now, branch "feature/retry"): next, The consumer moves to it now.`+"\n") || !strings.Contains(got, `Also unfinished: "`) || !strings.Contains(got, `"Newest elsewhere" (`) || !strings.Contains(got, `"Elsewhere it stands" (`) {
			t.Errorf("%q: %q", prompt, got)
		}
	}
	put(t, dir, ".blue/notes/auth.md", "---\ntype: checkpoint\n---\n# Add a test\n\nNext: wire the session.\n")
	if got := ask("let me see what elsewhere it stands for"); !strings.Contains(got, "next, ask Ada.") || strings.Contains(got, "Also unfinished") {
		t.Errorf("named: %q", got)
	}
	for _, prompt := range []string{"the loop must continue after an error of the parser", "continue statements of the parser are not counted by the linter", "fix the typo",
		"update the author page", "please add a testimonial to the landing page", "what is next.js used for?"} {
		if got := ask(prompt); got != "" {
			t.Errorf("%q: %q", prompt, got)
		}
	}
	c, err := u.Open(t, dir).Context(t.Context(), blue.Moment{For: "continue", Seen: func(seen, _ string) bool { return seen == id }})
	must(t, err)
	if got := c.Text(); got != "" {
		t.Errorf("told again: %q", got)
	}
}

// A prompt that a rejected decision answers is told so with the reason; for one that was
// superseded its successor is told, which says what it replaces.
func TestSetAside(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	ask := func(prompt string) string {
		t.Helper()
		c, err := u.Open(t, dir).Context(t.Context(), blue.Moment{For: prompt})
		must(t, err)
		return c.Text()
	}
	put(t, dir, ".blue/notes/kafka-for-settlement-aaaa.md", "---\ntype: decision\ntitle: Kafka for settlement events\nstatus: \"rejected: too costly\"\n---\n\nSettlement events would go through a Kafka broker.\n\n## Reason\n\nNobody here can run a broker at night.\n")
	old := writeNote(t, p, "decision", "Ledger snapshots by cron", "A cron job writes ledger snapshots each hour.")
	_, err := p.Write(t.Context(), blue.Draft{Type: "decision", Title: "Streaming the book", Body: "# Decision\n\nEach booking is streamed at once.", Supersedes: []string{old}})
	must(t, err)
	for i := range 12 {
		writeNote(t, p, "note", fmt.Sprintf("Settlement events %02d", i), "About settlement events and Kafka, among much else.")
	}
	if got := ask("let's put a Kafka broker in for the settlement events"); !strings.Contains(got, `Set aside (rejected: too costly): "Kafka for settlement events" (kafka-for-settlement-aaaa, decision, `) || !strings.Contains(got, "Nobody here can run a broker at night.") {
		t.Errorf("rejected: %q", got)
	}
	got := ask("write ledger snapshots with a cron job each hour")
	if !strings.Contains(got, `replaces "Ledger snapshots by cron"): Each booking is streamed at once.`) || strings.Contains(got, old) {
		t.Errorf("superseded: %q", got)
	}
}

// A document that answers a prompt is told below the notes, one at most, a decision
// record first; not when it was told, and not for chatter.
func TestDocument(t *testing.T) {
	u := newUser(t)
	dir := repository(t, u, "work")
	p := u.Open(t, dir)
	writeNote(t, p, "note", "Deploys", "We deploy on Fridays.")
	const text = "The gateway signs settlement batches with an Ed25519 key that the vault rotates each quarter.\n"
	put(t, dir, "docs/guide.md", "# Signing of settlement batches\n\n"+text)
	put(t, dir, "docs/adr/0007-signing.md", "# Signing of settlement batches\n\n"+text)
	put(t, dir, "docs/other.md", "# Fonts\n\nThe dialog uses a serif font.\n")
	ask := func(m blue.Moment) string {
		t.Helper()
		c, err := u.Open(t, dir).Context(t.Context(), m)
		must(t, err)
		return c.Text()
	}
	const prompt = "which Ed25519 key signs the settlement batches of the gateway?"
	got := ""
	for range 50 { // documents have so little time that a busy machine needs another try
		if got = ask(blue.Moment{For: prompt}); got != "" {
			break
		}
	}
	if strings.Count(got, "\n") != 2 || !strings.Contains(got, "A document of the repository") || !strings.Contains(got, "docs/adr/0007-signing.md") || !strings.Contains(got, "vault rotates each quarter") {
		t.Errorf("%q", got)
	}
	for name, m := range map[string]blue.Moment{
		"chatter": {For: "run the tests again"},
		"seen":    {For: prompt, Seen: func(string, string) bool { return true }},
		"failure": {For: prompt, Failed: true},
	} {
		if got := ask(m); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	settings := filepath.Join(dir, ".blue", "project.yaml")
	data, err := os.ReadFile(settings)
	must(t, err)
	must(t, os.WriteFile(settings, append(data, "\nsources: none\n"...), 0o644))
	if got := ask(blue.Moment{For: prompt}); got != "" {
		t.Errorf("without sources: %q", got)
	}
}
