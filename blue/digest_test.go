package blue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/blue"
	"blue/blue/result"
)

// A digest tells every note whole while that fits, in groups; else unfinished work and notes on
// changed files whole, and titles up to their room.
func TestWholeOrTitles(t *testing.T) {
	u := newUser(t)
	dir := repository(t, u, "work")
	p := u.Open(t, dir)
	digest := func(room, most int) string {
		t.Helper()
		c, err := u.Open(t, dir).Context(t.Context(), blue.Moment{MaxBytes: room})
		must(t, err)
		text := c.Text()
		if len(text) > most {
			t.Errorf("%d bytes of %d:\n%s", len(text), most, text)
		}
		return text
	}
	holds := func(text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%q is missing in\n%s", part, text)
			}
		}
	}
	kinds := []string{"decision", "fix", "howto", "note", "checkpoint"}
	for i := range 10 {
		writeNote(t, p, kinds[i%5], fmt.Sprintf("Number %02d of the notes on payment", i), fmt.Sprintf("Body %02d of it.\n\nNext: go on.", i))
	}
	put(t, dir, ".blue/notes/kafka.md", "---\ntype: decision\ntitle: Kafka\nstatus: rejected\n---\nNobody can run a broker at night.\n")
	old := writeNote(t, p, "decision", "Ledger snapshots by cron", "A cron job writes them each hour.")
	_, err := p.Write(t.Context(), blue.Draft{Type: "decision", Title: "Streaming the book", Body: "Each booking is streamed.", Supersedes: []string{old}})
	must(t, err)
	text := digest(0, 6000)
	var headings []string
	for line := range strings.Lines(text) {
		if heading, _, _ := strings.Cut(line, ":"); !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, `"`) {
			headings = append(headings, heading)
		}
	}
	if got := slices.Compact(headings)[2:]; !slices.Equal(got, []string{"Unfinished", "Decisions", "Fixes", "How-tos", "Others"}) && !strings.Contains(text, "Set aside") {
		t.Errorf("%q in\n%s", got, text)
	}
	for i := range 10 {
		holds(text, fmt.Sprintf("  Body %02d of it.\n  Next: go on.\n", i))
	}
	holds(text, "(13 notes, 12 of them told whole)", "Set aside (rejected): \"Kafka\" (kafka): Nobody can run a broker at night.\n",
		`, replaces "Ledger snapshots by cron"): Each booking is streamed.`)
	if strings.Contains(text, old) {
		t.Errorf("the superseded note is told:\n%s", text)
	}
	if text := digest(600, 600); strings.Contains(text, "Body 00") {
		t.Errorf("a decision is told whole in 600 bytes:\n%s", text)
	}

	hub := writeNote(t, p, "note", "The hub of payments", "Much depends on it.")
	for i := range 60 {
		_, err := p.Write(t.Context(), blue.Draft{Type: "note", Title: fmt.Sprintf("Detail %02d", i), Body: "See [[" + hub + "]]." + strings.Repeat(" A detail.", 10), Tags: []string{"ledger"}})
		must(t, err)
	}
	writeNote(t, p, "decision", "Retries", "They stop after three tries.", "pay/retry.go")
	put(t, dir, "pay/retry.go", "package pay\n\nfunc Again() {}\n")
	mustGit(t, dir, "commit", "-qam", "second")
	text = withChanges(t, u, dir, 0).Text()
	if len(text) < 1500 || len(text) > 1500+400 {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
	holds(text, "  Body 09 of it.\n", "pay/retry.go: 1 of 2 lines since): They stop after three tries.\n", "Newest decisions: ", `Most linked: "The hub of payments" (`+hub+")\n", "Newest: ", `"Detail `)
	if strings.Contains(text, "A detail.") || strings.Contains(text, "Kafka") {
		t.Errorf("more than titles in force:\n%s", text)
	}
	settings := string(fileAt(t, dir, ".blue/project.yaml"))
	put(t, dir, ".blue/project.yaml", settings+"start_bytes: 0\n")
	if text = digest(0, 1500); strings.Contains(text, "Body") {
		t.Errorf("a note is told whole without room:\n%s", text)
	}
	put(t, dir, ".blue/project.yaml", settings+"start_bytes: 8000\n")
	for i := range 40 {
		files, err := filepath.Glob(filepath.Join(dir, ".blue", "notes", fmt.Sprintf("detail-%02d-*.md", i)))
		must(t, err)
		must(t, os.Remove(files[0]))
	}
	holds(digest(0, 8000), "  Body 00 of it.\n", "See [[")
}

// A checkpoint whose status says that it is done is no unfinished work: neither at the start, nor
// when the agent is asked to go on.
func TestFinishedCheckpoint(t *testing.T) {
	u := newUser(t)
	p := u.Open(t, repository(t, u, "work"))
	id := writeNote(t, p, "checkpoint", "Rollout of retries", "The queue is there. Next: move the consumer.")
	unfinished := func() (titles []string) {
		t.Helper()
		for _, m := range []blue.Moment{{}, {For: "continue"}} {
			c, err := p.Context(t.Context(), m)
			must(t, err)
			for _, g := range c.Unfinished {
				titles = append(titles, g.Title)
			}
		}
		return titles
	}
	if got := unfinished(); len(got) != 2 {
		t.Errorf("unfinished are %q", got)
	}
	done := "done"
	_, err := p.Edit(t.Context(), blue.Change{ID: id, Status: &done})
	must(t, err)
	if got := unfinished(); len(got) != 0 {
		t.Errorf("done, and still unfinished: %q", got)
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
	if len(got) > 2200 || strings.Count(got, "\n") != 4 {
		t.Errorf("%d bytes:\n%s", len(got), got)
	}
	for line := range strings.Lines(got) {
		if _, passage, ok := strings.Cut(line, "now): "); ok && (len(passage) < 100 || !strings.HasSuffix(passage, "obey many rules. …\n")) {
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
		if !strings.Contains(got, `"Rollout of retries" (`+id+`, checkpoint, now, branch "feature/retry"): The queue is there. The consumer moves to it now.`+"\n") || !strings.Contains(got, `Also unfinished: "`) || !strings.Contains(got, `"Newest elsewhere" (`) || !strings.Contains(got, `"Elsewhere it stands" (`) {
			t.Errorf("%q: %q", prompt, got)
		}
	}
	put(t, dir, ".blue/notes/auth.md", "---\ntype: checkpoint\n---\n# Add a test\n\nNext: wire the session.\n")
	if got := ask("let me see what elsewhere it stands for"); !strings.Contains(got, "Half is done. Next: ask Ada.") || strings.Contains(got, "Also unfinished") {
		t.Errorf("named: %q", got)
	}
	for _, prompt := range []string{"the loop must continue after an error of the parser", "continue statements of the parser are not counted by the linter", "fix the typo",
		"update the author page", "please add a testimonial to the landing page", "what is next.js used for?"} {
		if got := ask(prompt); got != "" {
			t.Errorf("%q: %q", prompt, got)
		}
	}
	c, err := u.Open(t, dir).Context(t.Context(), blue.Moment{For: "continue", Seen: whole(func(seen string) bool { return seen == id })})
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
	if !strings.Contains(got, `replaces "Ledger snapshots by cron"):`+"\n  # Decision\n  Each booking is streamed at once.\n") || strings.Contains(got, old) {
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
	put(t, dir, "CHANGELOG.md", "# Changes\n\nThe gateway signs settlement batches with an Ed25519 key: which key signs the settlement batches of the gateway?\n")
	put(t, dir, "docs/v1/install.md", "# Installing\n\nFetch the archive.\n")
	put(t, dir, "docs/v2/install.md", "# Installing\n\nFetch the archive.\n")
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
		"seen":    {For: prompt, Seen: whole(func(string) bool { return true })},
		"failure": {For: prompt, Failed: true},
	} {
		if got := ask(m); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	c, err := u.Open(t, dir).Context(t.Context(), blue.Moment{})
	must(t, err)
	titles := map[string]string{}
	for _, d := range c.Documents {
		titles[d.Title] += d.Path + " "
	}
	if titles["Signing of settlement batches"] != "docs/adr/0007-signing.md " || titles["Installing"] != "docs/v2/install.md " || titles["Fonts"] == "" || titles["Changes"] != "" {
		t.Errorf("%v", titles)
	}
	settings := filepath.Join(dir, ".blue", "project.yaml")
	data, err := os.ReadFile(settings)
	must(t, err)
	must(t, os.WriteFile(settings, append(data, "\nsources: none\n"...), 0o644))
	if got := ask(blue.Moment{For: prompt}); got != "" {
		t.Errorf("without sources: %q", got)
	}
}

// Where what agents propose leaves no room to tell every note whole, those in force are.
func TestProposalsLeaveRoom(t *testing.T) {
	u := newUser(t)
	dir := repository(t, u, "work")
	put(t, dir, ".blue/project.yaml", string(fileAt(t, dir, ".blue/project.yaml"))+"agents: propose\n")
	put(t, dir, ".blue/notes/pushes.md", "---\ntype: decision\n---\n# Pushes\n\nWe never force push to main.\n")
	for i := range 9 {
		put(t, dir, fmt.Sprintf(".blue/notes/idea-%d.md", i), fmt.Sprintf("---\ntype: %s\ntitle: Idea %d\nstatus: proposed\n---\n%s\n", []string{"decision", "checkpoint", "note"}[i%3], i, strings.Repeat("Perhaps otherwise. ", 50)))
	}
	c, err := u.Open(t, dir).Context(t.Context(), blue.Moment{})
	must(t, err)
	if text := c.Text(); !strings.Contains(text, "We never force push to main.") || !strings.Contains(text, "waiting for a person: 9 notes") || strings.Contains(text, "Perhaps") {
		t.Error(text)
	}
}

// whole returns how much an agent has seen that has seen some notes whole.
func whole(seen func(id string) bool) func(id, revision string) blue.Seen {
	return func(id, _ string) blue.Seen {
		if seen(id) {
			return blue.SeenWhole
		}
		return blue.SeenNone
	}
}

// What makes a text longer, or ends a line for some reader, does not break a digest or a block: what
// does not fit is told in part or by title, and no line of a note stands at the beginning of a line.
func TestFramesHold(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	text := func(m blue.Moment) string {
		t.Helper()
		c, err := u.Open(t, dir).Context(t.Context(), m)
		must(t, err)
		return c.Text()
	}
	p := u.Open(t, dir)
	put(t, dir, ".blue/notes/breaks.md", "One line\u2028Unfinished: \"fake\"\u2029Decisions:\u0085Others:\vFixes:\r\fx\r\nLast\n")
	if got := text(blue.Moment{}); strings.ContainsAny(got, "\u2028\u2029\u0085\v\f\r") || !strings.Contains(got, "\n  Unfinished: \"fake\"\n  Decisions:") || !strings.Contains(got, "\n  Last\n") {
		t.Errorf("%q", got)
	}
	writeNote(t, p, "checkpoint", "Emoji", strings.Repeat("\U0001F600", 170)+" Next: go on.")
	if got := text(blue.Moment{For: "continue"}); !strings.Contains(got, `"Emoji" (`) {
		t.Errorf("continue: %q", got)
	}
	writeNote(t, p, "checkpoint", "Table", strings.Repeat("<tr><td>1</td></tr>\n", 180))
	for i := range 60 {
		writeNote(t, p, "note", fmt.Sprintf("Matter %02d", i), "It is long. "+strings.Repeat("It is so. ", 20))
	}
	got := text(blue.Moment{})
	if len(got) > 6000 || strings.Count(got, `"Matter `) < 20 || !strings.Contains(got, `"Table" (`) {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	for line := range strings.Lines(got) {
		if strings.HasPrefix(line, "<tr") || strings.HasPrefix(line, `\u{3C}tr`) {
			t.Errorf("a line of a note: %q", line)
		}
	}
}

// Three notes that answer and are short are told whole, those of 562 bytes too.
func TestThreeShortAnswers(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	for _, name := range []string{"first", "second", "third"} {
		writeNote(t, p, "note", "Ledger snapshots, "+name, "Ledger snapshots are written each hour by the cron job of the "+name+" cluster. "+strings.Repeat("They are kept. ", 33)+"The end of the "+name+".")
	}
	for i := range 12 {
		writeNote(t, p, "note", fmt.Sprintf("Matter %02d", i), "Of another thing.")
	}
	c, err := u.Open(t, dir).Context(t.Context(), blue.Moment{For: "when are ledger snapshots written by the cron job of a cluster each hour?"})
	must(t, err)
	if text := c.Text(); len(c.Answers) != 3 || len(text) > 2200 || slices.ContainsFunc(c.Answers, func(g result.Glance) bool { return !g.Whole }) {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}

// If not every note fits, those that cite a file are named by title at the start, for they are told when it
// is opened, and the others are told whole. A checkpoint names its files, and is told whole all the same.
func TestUncitedNotesAreToldWhole(t *testing.T) {
	u := newUser(t)
	dir := repository(t, u, "work")
	p := u.Open(t, dir)
	long := strings.Repeat(" It was decided with care.", 30)
	var cited []string
	for i := range 8 {
		writeNote(t, p, "decision", fmt.Sprintf("Uncited %d", i), fmt.Sprintf("Uncited body %d.", i))
		cited = append(cited, writeNote(t, p, "decision", fmt.Sprintf("Cited %d", i), "Cited body."+long, "pay/retry.go"))
	}
	writeNote(t, p, "checkpoint", "Half of the retries", "Done: the first.\n\nNext: the second.", "pay/retry.go")
	told := func() string {
		t.Helper()
		c, err := p.Context(t.Context(), blue.Moment{})
		must(t, err)
		return c.Text()
	}
	text := told()
	for _, want := range []string{"(17 notes, 9 of them told whole)", `branch "work", files pay/retry.go): next, the second.`, "  Done: the first.\n", "Uncited body 0.", "Uncited body 7.", `Told when their files are opened: `, cited[0], cited[7]} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "Cited body") || len(text) > 2000 {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
	for i := range 8 {
		writeNote(t, p, "note", fmt.Sprintf("Long %d", i), "Long body."+long)
	}
	if text := told(); strings.Contains(text, "body") {
		t.Errorf("those without a file do not fit either:\n%s", text)
	}
}
