package blue_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/blue"
)

// One of each is named once, with the reason and the command; nothing is changed.
func TestReviewFindsDoubtful(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "x"}, {"branch", "kept"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Skipf("git: %s", out)
		}
	}
	day := func(days int) string { return time.Now().AddDate(0, 0, -days).Format(time.DateOnly) }
	put(t, dir, "pay.go", "package pay\n")
	for i := range 30 {
		put(t, dir, fmt.Sprintf(".blue/notes/other-%02d.md", i), fmt.Sprintf("---\ncreated: %s\n---\n# Matter %d\n\nThe colours of page %d, chosen by team %d.\n", day(3), i, i*7, i*3))
	}
	for name, front := range map[string]string{
		"changed":      "type: note\ntitle: Payment rounding\nfiles:\n  - path: pay.go\n    hash: 0123456789abcdef\n",
		"replaced":     "type: decision\ntitle: Old wallpaper\nstatus: superseded\n",
		"replaces":     "type: decision\ntitle: New curtains\nsupersedes: [replaced]\n",
		"proposed":     "type: decision\ntitle: Elevator music\nstatus: Proposed\ncreated: " + day(40) + "\n",
		"fresh":        "type: decision\ntitle: Standing desks\nstatus: proposed\ncreated: " + day(20) + "\n",
		"gone-branch":  "type: checkpoint\ntitle: Halfway through the parser\nbranch: feature/parser\n",
		"kept-branch":  "type: checkpoint\ntitle: Lexer tables\nbranch: kept\n",
		"old":          "type: reference\ntitle: Printer cartridges\ncreated: " + day(500) + "\n",
		"finished":     "type: reference\ntitle: Fax machine\nstatus: Done\ncreated: " + day(500) + "\n",
		"linking":      "type: note\ntitle: Decoration\n",
		"theirs":       "type: decision\ntitle: Webhook retries with exponential backoff\nconflict-with: webhooks-one\ncreated: " + day(9) + "\n",
		"settled":      "type: note\ntitle: Umbrella stand\nconflict-with: linking\nstatus: superseded\n",
		"a$(b) c'd":    "type: checkpoint\ntitle: Named by a stranger\nbranch: feature/parser\n",
		"webhooks-one": "type: decision\ntitle: Webhook retries with exponential backoff\ncreated: " + day(9) + "\n",
		"webhooks-two": "type: decision\ntitle: Webhook retries with exponential backoff at most ten\ncreated: " + day(2) + "\n",
	} {
		if !strings.Contains(front, "created") {
			front += "created: " + day(5) + "\n"
		}
		body := map[string]string{"linking": "About [[Old wallpaper]].", "webhooks-one": retriesFive, "theirs": retriesFive, "webhooks-two": strings.Replace(retriesFive, "five", "ten", 1)}[name]
		put(t, dir, ".blue/notes/"+name+".md", "---\n"+front+"---\n\n"+body+"\n")
	}
	p := u.Open(t, dir)
	before := tree(t, dir)
	r, err := p.Review(t.Context(), blue.Filter{})
	must(t, err)
	var got []string
	r.Terminal = true
	for _, due := range r.Review {
		got = append(got, due.ID+" "+due.Kind)
		if due.Kind == "conflict" && (due.With != "webhooks-one" || due.Command != "blue resolve theirs") || due.Title == "Named by a stranger" && due.Command != `blue remove 'a$(b) c'\''d'` {
			t.Errorf("%+v", due)
		}
		if due.Kind == "linked" && due.Command != "blue edit linking --old-text '[[Old wallpaper]]' --new-text '[[replaces]]'" {
			t.Errorf("%+v", due)
		}
		if due.Reason == "" || !strings.HasPrefix(due.Command, "blue ") || !strings.Contains(r.Text(), due.Command) {
			t.Errorf("%+v", due)
		}
	}
	slices.Sort(got)
	want := []string{"a$(b) c'd branch", "changed changed", "gone-branch branch", "old old", "proposed proposed", "replaced linked", "theirs conflict"}
	if !slices.Equal(got, want) || r.Total != len(want) {
		t.Errorf("%q\nwant %q\n%s", got, want, r.Text())
	}
	if tree(t, dir) != before {
		t.Error("it changed something")
	}
	first, err := p.Review(t.Context(), blue.Filter{Paging: blue.Paging{Limit: 4}})
	must(t, err)
	rest, err := p.Review(t.Context(), blue.Filter{Paging: blue.Paging{Limit: 4, Cursor: first.Cursor}})
	must(t, err)
	if len(first.Review) != 4 || len(rest.Review) != 3 || rest.Cursor != "" {
		t.Errorf("pages of %d and %d", len(first.Review), len(rest.Review))
	}
	if r, err = p.Review(t.Context(), blue.Filter{Selection: blue.Selection{Type: "checkpoint"}}); err != nil || r.Total != 2 {
		t.Errorf("%v %s", err, r.Text())
	}
}

// A review names no more than a person does in ten minutes, the most urgent first. A note
// that is done is never old.
func TestReviewMarks(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	year := time.Now().AddDate(-2, 0, 0)
	for i := range 30 {
		put(t, dir, fmt.Sprintf(".blue/notes/open-%02d.md", i), fmt.Sprintf("---\ncreated: %s\n---\n# Matter %d\n\nThe colours of page %d.\n", year.AddDate(0, 0, i).Format(time.DateOnly), i, i*7))
		put(t, dir, fmt.Sprintf(".blue/notes/done-%02d.md", i), fmt.Sprintf("---\nstatus: %s\ncreated: %s\n---\n# Errand %d\n\nThe curtains of house %d.\n", []string{"Done", "closed", "Won't Do"}[i%3], year.Format(time.DateOnly), i, i*7))
	}
	put(t, dir, ".blue/notes/waits.md", "---\ntype: decision\nstatus: proposed\ncreated: "+year.Format(time.DateOnly)+"\n---\n# Elevator music\n")
	one := strings.ReplaceAll(retriesFive, "webhook", "callback")
	put(t, dir, ".blue/notes/retries.md", "---\ntype: decision\ncreated: "+year.Format(time.DateOnly)+"\nstatus: accepted\n---\n# Callback retries with exponential backoff\n\n"+one+"\n")
	put(t, dir, ".blue/notes/alike.md", "---\ntype: decision\n---\n# Callback retries with exponential backoff and alarms\n\n"+one+" An alarm follows.\n")
	p := u.Open(t, dir)
	r, err := p.Review(t.Context(), blue.Filter{})
	must(t, err)
	if len(r.Review) != 20 || r.Total != 33 || r.More != 13 || r.Review[0].ID != "waits" {
		t.Errorf("%d of %d named, %d more, first %s", len(r.Review), r.Total, r.More, r.Review[0].ID)
	}
	if r, err = p.Review(t.Context(), blue.Filter{Paging: blue.Paging{Limit: 100}}); err != nil || r.Total != 33 || strings.Contains(r.Text(), "Errand") {
		t.Errorf("%v %d:\n%s", err, r.Total, r.Text())
	}
}

// TestReviewOfAWorktree: what removing a linked worktree would delete is named, of a review
// of all notes.
func TestReviewOfAWorktree(t *testing.T) {
	u := newUser(t)
	dir := repository(t, u, "other")
	mustGit(t, dir, "worktree", "add", "-q", dir+"-beside", "main")
	put(t, dir+"-beside", ".blue/project.yaml", "format: 1\n")
	put(t, dir+"-beside", ".blue/private/mine.md", "# Mine\n")
	p := u.Open(t, dir+"-beside")
	r, err := p.Review(t.Context(), blue.Filter{})
	if err != nil || len(r.Review) != 1 || r.Review[0].Kind != "worktree" || !strings.Contains(r.Review[0].Reason, "1 private note") || !strings.Contains(r.Text(), "\n    blue sync --on\n") {
		t.Errorf("%v %s", err, r.Text())
	}
	if r, err = p.Review(t.Context(), blue.Filter{Selection: blue.Selection{Type: "note"}}); err != nil || r.Total != 0 {
		t.Errorf("%v %s", err, r.Text())
	}
}

// TestReadNamesWhatStandsInItsPlace: a reading names what supersedes a note and what another
// machine has made of it, from both sides.
func TestReadNamesWhatStandsInItsPlace(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, ".blue/notes/old.md", "---\nstatus: superseded\n---\n# Old\n")
	put(t, dir, ".blue/notes/new.md", "---\nsupersedes: [old]\n---\n# New\n")
	put(t, dir, ".blue/notes/theirs.md", "---\nconflict-with: new\n---\n# New\n")
	p := u.Open(t, dir)
	for id, want := range map[string]string{"old": "status: superseded by new\n", "new": "conflict: theirs is another machine's text of new\n", "theirs": "conflict: theirs is another machine's text of new\n"} {
		if page, err := p.Read(t.Context(), blue.Reading{ID: id}); err != nil || !strings.Contains(page.Text(), want) {
			t.Errorf("%s: %v\n%s", id, err, page.Text())
		}
	}
}

// A note that cites nothing is asked about when it was told for long without a look at it, and no longer
// once somebody has looked.
func TestReviewOfWhatIsToldForLong(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	day := func(days int) string { return time.Now().AddDate(0, 0, -days).Format(time.DateOnly) }
	put(t, dir, "pay.go", "package pay\n")
	for name, front := range map[string]string{
		"told":   "created: " + day(100),
		"young":  "created: " + day(80),
		"looked": "created: " + day(300) + "\nverified: " + day(30) + " by ann",
		"cites":  "created: " + day(100) + "\nfiles: [pay.go]",
		"silent": "created: " + day(100) + "\nstatus: done",
	} {
		put(t, dir, ".blue/notes/"+name+".md", "---\ntitle: "+name+"\n"+front+"\n---\n\nThe umbrellas of the lobby belong to everyone.\n")
	}
	review := func() (still []string) {
		r, err := u.Open(t, dir).Review(t.Context(), blue.Filter{})
		must(t, err)
		for _, due := range r.Review {
			if due.Kind == "still true?" {
				still = append(still, due.ID)
				if due.Command != "blue edit "+due.ID+" --verified" || !strings.Contains(due.Reason, "told once") {
					t.Errorf("%+v", due)
				}
			}
		}
		slices.Sort(still)
		return still
	}
	if got := review(); len(got) > 0 {
		t.Errorf("no note was told, but a review names %q", got)
	}
	p := u.Open(t, dir)
	c, err := p.Context(t.Context(), blue.Moment{})
	must(t, err)
	p.RecordContext(c)
	if got := review(); !slices.Equal(got, []string{"told"}) {
		t.Errorf("%q", got)
	}
	put(t, dir, ".blue/project.yaml", string(fileAt(t, dir, ".blue/project.yaml"))+"review_after: 20\n")
	if got := review(); !slices.Equal(got, []string{"looked", "told", "young"}) {
		t.Errorf("after 20 days: %q", got)
	}
	_, err = u.Open(t, dir).Edit(t.Context(), blue.Change{ID: "told", Verified: true})
	must(t, err)
	_, err = u.Open(t, dir).Read(t.Context(), blue.Reading{ID: "young"})
	must(t, err)
	if got := review(); !slices.Equal(got, []string{"looked"}) {
		t.Errorf("after a look: %q", got)
	}
}
