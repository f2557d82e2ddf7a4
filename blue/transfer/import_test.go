package transfer_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/result"
	"blue/blue/transfer"
	"blue/errors"
	"blue/fixtures"
)

// imports has what each fixture must give.
var imports = []struct {
	name, source, path           string // fixture, kind, what is named in it
	found, taken, links, nowhere int
	notes                        map[string]string // from → type, tags
	private                      []string
	reasons                      map[string]int
	text                         map[string]string // from → a passage of its note; {x} is the id made of x
}{
	{name: "markdown", source: "markdown", path: "docs", found: 8, taken: 6, links: 6, nowhere: 2,
		notes: map[string]string{"README.md": "note", "adr/0001-use-a-queue.md": "decision", "adr/0002-drop-the-queue.md": "decision ledger queue",
			"adr/template.md": "note", "guides/on call.md": "note", "guides/empty.md": "note"},
		reasons: map[string]int{"not a Markdown file": 1, "front matter: line 1: did not find expected ',' or ']'": 1},
		text: map[string]string{
			"README.md":                  "[the queue]({adr/0001-use-a-queue.md}.md) and the [runbook]({guides/on call.md}.md#who \"who",
			"adr/0001-use-a-queue.md":    "status: accepted\ndate: 2025-02-03\ndeciders: [ana, jo]\n",
			"adr/0002-drop-the-queue.md": "[the first decision]({adr/0001-use-a-queue.md}.md#use-a-queue).\n\n```\n[not a link](0001-use-a-queue.md)\n```",
			"guides/on call.md":          "| ana | [0001-use-a-queue]({adr/0001-use-a-queue.md}.md) |\n\n[queue]: {adr/0001-use-a-queue.md}.md\n",
		}},
	{name: "obsidian", source: "markdown", path: "vault", found: 7, taken: 6, links: 8, nowhere: 2,
		notes: map[string]string{"Home.md": "note map", "Deploys.md": "note ops/release risk", "Projects/Alpha.md": "note project",
			"Projects/Beta/Notes.md": "note", "Projects/Gamma/Notes.md": "note", "Links.md": "note"},
		reasons: map[string]int{"not a Markdown file": 1},
		text: map[string]string{
			"Home.md":                 "[[{Deploys.md}|Deploys]] · [[{Projects/Alpha.md}|the first project]] · ![[{Deploys.md}#Fridays|Deploys]] · [[Nowhere]] · ![[board.png]]",
			"Deploys.md":              "see #12 and [[{Home.md}|start]] and [[{Projects/Alpha.md}#Plan|its plan]].",
			"Projects/Gamma/Notes.md": "[[{Projects/Gamma/Notes.md}|Notes]], and this one is [[{Projects/Gamma/Notes.md}|here]]",
			"Links.md":                "[[Notes]] could",
		}},
	{name: "basic-memory", source: "markdown", path: "basic", found: 4, taken: 4, links: 4, nowhere: 1,
		notes: map[string]string{"specs/Search Design.md": "spec search design ranking unicode", "specs/Query Language.md": "spec search query",
			"specs/Index Format.md": "note", "people/Ana.md": "Person"},
		text: map[string]string{
			"specs/Search Design.md": "- implements [[{specs/Query Language.md}|Query Language]]\n- relates_to [[{specs/Index Format.md}|specs/index-format]]\n- inspired_by [[A paper nobody kept]]",
			"people/Ana.md":          "created: 2025-07-08T09:10:11Z\n",
		}},
	{name: "serena", source: "markdown", path: "app/.serena/memories", found: 3, taken: 3,
		notes: map[string]string{"project_overview.md": "note", "suggested_commands.md": "note", "frontend/pages.md": "note"}},
	{name: "claude-code", source: "claude-code", path: "claude", found: 4, taken: 4, links: 3, nowhere: 1, private: []string{"user_style.md"},
		notes: map[string]string{"MEMORY.md": "reference", "release_steps.md": "project", "flaky_build.md": "reference", "user_style.md": "user"},
		text:  map[string]string{"release_steps.md": "so slow: [[{flaky_build.md}|flaky-build]]"}},
	{name: "memory-bank", source: "markdown", path: "app/memory-bank", found: 8, taken: 8, links: 3,
		notes: map[string]string{"projectbrief.md": "note", "productContext.md": "note", "activeContext.md": "note", "progress.md": "note",
			"systemPatterns.md": "note", "techContext.md": "note", "decisionLog.md": "note", "features/export.md": "note"}},
	{name: "backlog", source: "markdown", path: "app/backlog", found: 7, taken: 6,
		notes: map[string]string{"tasks/task-1 - Store-invoices.md": "note storage core", "tasks/task-2 - Print-invoices.md": "note print", "tasks/task-2.1 - Choose-paper.md": "note",
			"decisions/decision-1 - Use-plain-files.md": "decision", "docs/doc-1 - Printers.md": "guide", "completed/task-0 - Name-the-thing.md": "note"},
		reasons: map[string]int{"not a Markdown file": 1},
		text: map[string]string{
			"tasks/task-1 - Store-invoices.md":          "created: 2025-06-03T10:20:00Z\n",
			"tasks/task-2 - Print-invoices.md":          "status: To Do\n",
			"decisions/decision-1 - Use-plain-files.md": "status: accepted\n",
		}},
	{name: "bundle", source: "bundle", path: "bundle", found: 6, taken: 3, links: 4, nowhere: 1,
		notes:   map[string]string{"overview.md": "Overview", "tables/orders.md": "BigQuery Table sales orders", "tables/customers.md": "BigQuery Table"},
		reasons: map[string]int{"a listing of the bundle, not a concept": 2, "an update log of the bundle, not a concept": 1},
		text: map[string]string{
			"overview.md":      "---\ntype: Overview\ndescription: What there is\nx-owner: {team: sales}\n---\n\nThe [[{tables/orders.md}#schema|orders]] and the [customers table]({tables/customers.md}.md).\n",
			"tables/orders.md": "| id | [customers]({tables/customers.md}.md) |\n\nBack to [overview](overview.md), on to [nothing](/tables/none.md).",
		}},
	{name: "memory-jsonl", source: "memory-jsonl", path: "graph", found: 7, taken: 3, links: 2, nowhere: 1,
		notes: map[string]string{"Ana_Lopez": "person", "Ledger": "service", "Sunday job": "job"},
		reasons: map[string]int{"a second entity of this name": 1, "not an entity or a relation in JSON": 1, "neither an entity nor a relation": 1,
			"relations of an entity that is not there": 1},
		text: map[string]string{
			"Ana_Lopez": "# Ana_Lopez\n\n- Keeps the ledger\n- Prefers mornings\n  and short meetings\n\n## Relations\n\n- maintains [[{Ledger}|Ledger]]\n",
			"Ledger":    "- reports_to Warehouse\n",
		}},
}

// TestImporters: each kind of source, in the form that its documentation gives.
// The second run adds nothing, and a dry run writes nothing.
func TestImporters(t *testing.T) {
	for _, test := range imports {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			dir, from := u.Project(t), filepath.Join(fixtures.Source(t, test.name), test.path)
			i := transfer.Importing{Source: test.source, Path: from}
			before, source := tree(t, dir), tree(t, from)
			dry := i
			dry.DryRun = true
			would := imported(t, u.Open(t, dir), dry)
			if after := tree(t, dir); after != before {
				t.Errorf("the dry run wrote:\n%s", after)
			}
			r := imported(t, u.Open(t, dir), i)
			if would.Taken != r.Taken || would.Links != r.Links || would.LeftOut != r.LeftOut {
				t.Errorf("the dry run said %+v, then it was %+v", would, r)
			}
			if r.Found != test.found || r.Taken != test.taken || r.Links != test.links || r.Nowhere != test.nowhere || !r.Durable {
				t.Errorf("found %d, taken %d, links %d, nowhere %d: %s", r.Found, r.Taken, r.Links, r.Nowhere, r.Text())
			}
			reasons := map[string]int{}
			for _, n := range r.Reasons {
				reasons[n.Reason] = n.Count
			}
			if !maps.Equal(reasons, test.reasons) {
				t.Errorf("left out: %v", reasons)
			}
			p := u.Open(t, dir)
			notes := taken(t, p, r)
			for from, want := range test.notes {
				n := notes[from]
				if got := strings.Join(append([]string{n.Type}, n.Tags...), " "); got != want || n.Problem != "" {
					t.Errorf("%s: %q, want %q; %s", from, got, want, n.Problem)
				}
				if n.Private != slices.Contains(test.private, from) {
					t.Errorf("%s: private %v", from, n.Private)
				}
			}
			if len(notes) != len(test.notes) {
				t.Errorf("%d notes", len(notes))
			}
			for from, want := range test.text {
				for name, n := range notes {
					want = strings.ReplaceAll(want, "{"+name+"}", n.ID)
				}
				data, err := os.ReadFile(filepath.Join(dir, notes[from].Path))
				must(t, err)
				if !strings.Contains(string(data), want) {
					t.Errorf("%s has no %q:\n%s", from, want, data)
				}
			}
			after := tree(t, filepath.Join(dir, ".blue"))
			again := imported(t, u.Open(t, dir), i)
			if again.Taken != 0 || again.Present != r.Taken || again.LeftOut != r.LeftOut {
				t.Errorf("the second run: %s", again.Text())
			}
			if now := tree(t, filepath.Join(dir, ".blue")); now != after {
				t.Errorf("the second run changed\n%s\nto\n%s", after, now)
			}
			if now := tree(t, from); now != source {
				t.Error("the source was changed")
			}
		})
	}
}

func imported(t testing.TB, p *blue.Project, i transfer.Importing) transfer.Imported {
	t.Helper()
	r, err := transfer.Import(t.Context(), p, i)
	must(t, err)
	if r.Found != r.Taken+r.Present+r.LeftOut {
		t.Errorf("%d found, but %d taken, %d there, %d left out", r.Found, r.Taken, r.Present, r.LeftOut)
	}
	return r
}

// taken reads the notes that an import made, by what they were made of.
func taken(t testing.TB, p *blue.Project, r transfer.Imported) map[string]result.Note {
	t.Helper()
	notes := map[string]result.Note{}
	for _, n := range r.Notes {
		page, err := p.Read(t.Context(), blue.Reading{ID: n.ID, Whole: true})
		must(t, err)
		notes[n.From] = page.Notes[0]
	}
	return notes
}

// TestImportKeepsWhatWasDoneSince: a note that was edited, moved or removed after
// its import is known again, on a machine without its history too; a source that
// has changed makes a further note and touches none.
func TestImportKeepsWhatWasDoneSince(t *testing.T) {
	u := newUser(t)
	dir, from := u.Project(t), physical(t)
	for _, name := range []string{"edited", "moved", "removed", "changed"} {
		put(t, from, name+".md", "# The "+name+" one\n\nText.\n")
	}
	i := transfer.Importing{Source: "markdown", Path: from}
	r := imported(t, u.Open(t, dir), i)
	ids := map[string]string{}
	for _, n := range r.Notes {
		ids[strings.TrimSuffix(n.From, ".md")] = n.ID
	}
	p := u.Open(t, dir)
	_, err := p.Edit(t.Context(), blue.Change{ID: ids["edited"], Body: new("# Quite another heading\n\nMine.\n")})
	must(t, err)
	must(t, os.RemoveAll(filepath.Join(dir, ".blue/history")))
	must(t, os.Rename(filepath.Join(dir, ".blue/notes", ids["moved"]+".md"), filepath.Join(dir, ".blue/notes/My own name.md")))
	_, err = p.Remove(t.Context(), blue.Removal{ID: ids["removed"]})
	must(t, err)
	put(t, from, "changed.md", "# The changed one\n\nOther text.\n")
	before := tree(t, filepath.Join(dir, ".blue/notes"))
	again := imported(t, newUser(t).Open(t, dir), i)
	if again.Taken != 1 || again.Present != 3 {
		t.Fatal(again.Text())
	}
	if change := strings.Join(again.Notes[0].Changes, ""); again.Notes[0].ID == ids["changed"] || !strings.Contains(change, ids["changed"]) {
		t.Errorf("%+v", again.Notes[0])
	}
	for line := range strings.Lines(before) {
		if strings.Contains(line, ".md ") && !strings.Contains(tree(t, filepath.Join(dir, ".blue/notes")), line) {
			t.Errorf("changed: %s", line)
		}
	}
}

// TestImportScreens (promises 26, 27): what looks like a secret or hides stays out,
// is named without its value, and keeps nothing else out.
func TestImportScreens(t *testing.T) {
	secret := "AKIA" + "QY7DJ2KLM3NPR5TU"
	u := newUser(t)
	dir, from := u.Project(t), physical(t)
	put(t, from, "good.md", "# Good\n\nSee [[secret]].\n")
	put(t, from, "secret.md", "---\ntags: [x]\n---\n# Bad\n\nkey "+secret+"\n")
	put(t, from, "front.md", "---\nkey: "+secret+"\n---\n# Bad\n\nText.\n")
	put(t, from, "hidden.md", "# Hidden\n\na\u202eb\n")
	put(t, from, "name\u200b.md", "# Name\n\nText.\n")
	put(t, from, "raw.md", "# Raw\n\n\xff\xfe\n")
	put(t, from, "merge.md", "# M\n\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")
	put(t, from, "long.md", "# Long\n\n"+strings.Repeat("word ", 60_000)+"\n")
	put(t, from, "huge.md", strings.Repeat("word ", 250_000))
	if err := os.Symlink(filepath.Join(from, "good.md"), filepath.Join(from, "linked.md")); err != nil {
		t.Skipf("SKIPPED: no symbolic links here: %v", err)
	}
	must(t, os.Symlink(physical(t), filepath.Join(from, "dir")))
	i := transfer.Importing{Source: "markdown", Path: from}
	r := imported(t, u.Open(t, dir), i)
	if r.Taken != 1 || r.LeftOut != 10 || r.Nowhere != 1 {
		t.Error(r.Text())
	}
	for _, want := range []string{"holds a secret on line 6: aws", "holds a secret on line 2: aws", "U+202E on line 3", "U+200B", "not UTF-8", "conflict markers", "larger than 1 MiB", "bytes, at most", "not followed"} {
		if !strings.Contains(r.Text(), want) {
			t.Errorf("the report has no %q:\n%s", want, r.Text())
		}
	}
	if all := tree(t, filepath.Join(dir, ".blue")) + r.Text() + u.Log.String(); strings.Contains(all, secret) {
		t.Error("the value of the secret got out")
	}
	i.AllowSecret = true
	r = imported(t, u.Open(t, dir), i)
	if r.Taken != 1 || r.Notes[0].From != "secret.md" {
		t.Errorf("with --allow-secret: %s", r.Text())
	}
	page, err := u.Open(t, dir).Read(t.Context(), blue.Reading{ID: r.Notes[0].ID})
	must(t, err)
	if !strings.Contains(page.Notes[0].Body, secret+" <!-- blue:allow aws") {
		t.Errorf("%q", page.Notes[0].Body)
	}
	if r = imported(t, u.Open(t, dir), i); r.Taken != 0 {
		t.Errorf("the second run: %s", r.Text())
	}
}

// TestImportReadsOnlyWhatIsNamed: a link out of what was named leads nowhere, one
// file is one file, and the project's own notes are no source.
func TestImportReadsOnlyWhatIsNamed(t *testing.T) {
	u := newUser(t)
	dir, from := u.Project(t), physical(t)
	put(t, from, "outside.md", "# Outside\n\nText.\n")
	put(t, from, "in/a.md", "# A\n\n[up](../outside.md) [down](b.md) [odd](../in/b.md)\n")
	put(t, from, "in/b.md", "# B\n\nText.\n")
	r := imported(t, u.Open(t, dir), transfer.Importing{Source: "markdown", Path: filepath.Join(from, "in/a.md")})
	if r.Found != 1 || r.Taken != 1 || r.Nowhere != 3 {
		t.Error(r.Text())
	}
	r = imported(t, u.Open(t, dir), transfer.Importing{Source: "markdown", Path: filepath.Join(from, "in")})
	if r.Found != 2 || r.Taken != 1 || r.Present != 1 {
		t.Error(r.Text())
	}
	for path, kind := range map[string]errors.Kind{filepath.Join(dir, ".blue/notes"): errors.Invalid, filepath.Join(from, "none"): errors.BadPath, "relative": errors.BadPath} {
		_, err := transfer.Import(t.Context(), u.Open(t, dir), transfer.Importing{Source: "markdown", Path: path})
		isKind(t, err, kind, path)
	}
	for source, hint := range map[string]string{
		"notion": "the sources are bundle, claude-code, markdown, memory-jsonl", "obsidian": "obsidian is imported as markdown", "okf": "okf is imported as bundle", "memory-jsonl": "see what",
	} {
		_, err := transfer.Import(t.Context(), u.Open(t, dir), transfer.Importing{Source: source, Path: from})
		isKind(t, err, errors.Invalid, source)
		if hints := fmt.Sprint(errors.Of(err).Hints); !strings.Contains(hints, hint) {
			t.Errorf("%s: %s", source, hints)
		}
	}
}

// TestImportDates: the age of a note is that of the document.
func TestImportDates(t *testing.T) {
	u := newUser(t)
	dir, from := u.Project(t), physical(t)
	put(t, from, "x.md", "# X\n\nText.\n")
	when := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	must(t, os.Chtimes(filepath.Join(from, "x.md"), when, when))
	r := imported(t, u.Open(t, dir), transfer.Importing{Source: "markdown", Path: from})
	page, err := u.Open(t, dir).Read(t.Context(), blue.Reading{ID: r.Notes[0].ID})
	must(t, err)
	if got := page.Notes[0].Created; got != "2024-05-06T07:08:09Z" {
		t.Errorf("created %s", got)
	}
}

// TestImportTwiceAtOnce: two imports of one source make each note once.
func TestImportTwiceAtOnce(t *testing.T) {
	u := newUser(t)
	dir, from := u.Project(t), physical(t)
	for i := range 40 {
		put(t, from, fmt.Sprintf("%d.md", i), fmt.Sprintf("# Note %d\n\nSee [[%d]].\n", i, (i+1)%40))
	}
	var results [2]transfer.Imported
	var group sync.WaitGroup
	for i := range results {
		p := u.Open(t, dir)
		group.Go(func() {
			r, err := transfer.Import(t.Context(), p, transfer.Importing{Source: "markdown", Path: from})
			if err != nil {
				t.Error(err)
			}
			results[i] = r
		})
	}
	group.Wait()
	a, b := results[0], results[1]
	if a.Taken+b.Taken != 40 || a.LeftOut+b.LeftOut != 0 || a.Present+b.Present != 40 {
		t.Errorf("%s\n%s", a.Text(), b.Text())
	}
	if files, _ := filepath.Glob(filepath.Join(dir, ".blue/notes/*.md")); len(files) != 40 {
		t.Errorf("%d notes", len(files))
	}
}

// TestImportStopped: an import that is interrupted says so, and the next one goes
// on; everybody who waits is told of each step.
func TestImportStopped(t *testing.T) {
	u := newUser(t)
	dir, from := u.Project(t), physical(t)
	for i := range 20 {
		put(t, from, fmt.Sprintf("%02d.md", i), fmt.Sprintf("# Note %d\n\nText.\n", i))
	}
	ctx, stop := context.WithCancel(t.Context())
	steps := 0
	r, err := transfer.Import(ctx, u.Open(t, dir), transfer.Importing{Source: "markdown", Path: from, Progress: func(done, total int) {
		if steps++; total == 20 && done == 7 {
			stop()
		}
	}})
	must(t, err)
	if !r.Stopped || r.Sound() || r.Taken != 7 || steps != 27 || !strings.Contains(r.Text(), "Stopped") {
		t.Errorf("after %d steps: %s", steps, r.Text())
	}
	if r = imported(t, u.Open(t, dir), transfer.Importing{Source: "markdown", Path: from}); r.Taken != 13 || r.Present != 7 {
		t.Error(r.Text())
	}
}

// TestImportOfWhatChangesMeanwhile: what was read and judged is what is taken, whatever becomes of the files.
func TestImportOfWhatChangesMeanwhile(t *testing.T) {
	u := newUser(t)
	dir, from := u.Project(t), physical(t)
	for _, name := range []string{"changed", "gone", "kept", "secret"} {
		put(t, from, name+".md", "# "+name+"\n\nText.\n")
	}
	r := imported(t, u.Open(t, dir), transfer.Importing{Source: "markdown", Path: from, Progress: func(done, total int) {
		if total == 0 && done == 4 { // all were looked at
			put(t, from, "changed.md", "# changed\n\nOther text.\n")
			put(t, from, "secret.md", "# secret\n\nAKIA"+"QY7DJ2KLM3NPR5TU\n")
			must(t, os.Remove(filepath.Join(from, "gone.md")))
		}
	}})
	if r.Taken != 4 || r.LeftOut != 0 {
		t.Error(r.Text())
	}
	for from, n := range taken(t, u.Open(t, dir), r) {
		if want := "# " + strings.TrimSuffix(from, ".md") + "\n\nText.\n"; strings.TrimSpace(n.Body) != strings.TrimSpace(want) {
			t.Errorf("%s: %q", from, n.Body)
		}
	}
}

// TestImportOfFrontMatterWithoutRoom: front matter that takes no further key as it
// stands is left alone, and its document left out.
func TestImportOfFrontMatterWithoutRoom(t *testing.T) {
	u := newUser(t)
	dir, from := u.Project(t), physical(t)
	put(t, from, "flow.md", "---\n{title: A, tags: [x]}\n---\n\nText.\n")
	put(t, from, "empty.md", "---\n---\n\nText.\n")
	put(t, from, "dots.md", "---\ntitle: B\n...\n\nText.\n")
	r := imported(t, u.Open(t, dir), transfer.Importing{Source: "markdown", Path: from})
	if r.Taken != 2 || r.LeftOut != 1 || !strings.Contains(r.Text(), "front matter") || !strings.Contains(r.Text(), "flow.md") {
		t.Error(r.Text())
	}
}

// Decision records of several kinds become decisions with status, date and what they
// supersede, and a second run adds nothing.
func TestDecisionRecords(t *testing.T) {
	u := newUser(t)
	dir, from := u.Project(t), physical(t)
	for name, text := range map[string]string{
		"0001-record-decisions.md": "# 1. Record architecture decisions\n\nDate: 2016-02-12\n\n## Status\n\nAccepted\n\n## Context\n\nWe supersede nothing.\n",
		"0002-use-a-queue.md":      "# 2. Use a queue\n\nDate: 2016-03-01\n\n## Status\n\nSuperceded by [3. Use a log](0003-use-a-log.md)\n\n## Context\n\nx\n",
		"0003-use-a-log.md":        "# 3. Use a log\n\nDate: 2017-04-05\n\n## Status\n\nAccepted\n\nSupercedes [2. Use a queue](0002-use-a-queue.md)\n\n## Context\n\ny\n",
		"0004-plain-files.md":      "---\nstatus: \"superseded by [ADR-0005](0005-a-database.md)\"\ndate: 2023-01-02\ndecision-makers: ana\n---\n\n# Plain files\n\nText.\n",
		"0005-a-database.md":       "---\nstatus: accepted\ndate: 2024-05-06\n---\n\n# A database\n\nText.\n",
		"0006-no-cache.md":         "# No cache\n\n* Status: rejected\n* Deciders: jo\n* Date: 2020-02-03\n\nText.\n",
		"20210714-use-grpc.md":     "# Use gRPC\n\n- Status: accepted\n- Date: 2021-07-14\n- Tags: api\n\n## Links\n\n- Supersedes [20200101-use-rest](20200101-use-rest.md)\n",
		"20200101-use-rest.md":     "# Use REST\n\n- Status: accepted\n- Date: 2020-01-01\n\nText.\n",
		"0007-by-number.md":        "# By number\n\nDate: 2022-01-01\n\n## Status\n\nProposed\n\nSupersedes ADR-6\n",
		"README.md":                "# Decisions\n\nStatus: none\n",
	} {
		put(t, from, "docs/adr/"+name, text)
	}
	i := transfer.Importing{Source: "markdown", Path: filepath.Join(from, "docs")}
	r := imported(t, u.Open(t, dir), i)
	ids := map[string]string{}
	for _, n := range r.Notes {
		ids[strings.TrimSuffix(filepath.Base(n.From), ".md")] = n.ID
	}
	for name, want := range map[string]struct{ kind, status, day, supersedes string }{
		"0001-record-decisions": {"decision", "accepted", "2016-02-12", ""},
		"0002-use-a-queue":      {"decision", "superseded", "2016-03-01", ""},
		"0003-use-a-log":        {"decision", "accepted", "2017-04-05", "0002-use-a-queue"},
		"0004-plain-files":      {"decision", "superseded", "2023-01-02", ""},
		"0005-a-database":       {"decision", "accepted", "2024-05-06", "0004-plain-files"},
		"0006-no-cache":         {"decision", "rejected", "2020-02-03", ""}, // by 0007, which is only proposed
		"20210714-use-grpc":     {"decision", "accepted", "2021-07-14", "20200101-use-rest"},
		"20200101-use-rest":     {"decision", "superseded", "2020-01-01", ""},
		"0007-by-number":        {"decision", "proposed", "2022-01-01", "0006-no-cache"},
		"README":                {"note", "active", "", ""},
	} {
		page, err := u.Open(t, dir).Read(t.Context(), blue.Reading{ID: ids[name]})
		must(t, err)
		n := page.Notes[0]
		if n.Type != want.kind || n.Status != want.status || !strings.HasPrefix(n.Created, want.day) || strings.Join(n.Supersedes, " ") != ids[want.supersedes] {
			t.Errorf("%s: %s, %s, %s, supersedes %q", name, n.Type, n.Status, n.Created, n.Supersedes)
		}
	}
	before := tree(t, filepath.Join(dir, ".blue/notes"))
	if again := imported(t, u.Open(t, dir), i); again.Taken != 0 || again.Present != 10 || tree(t, filepath.Join(dir, ".blue/notes")) != before {
		t.Error(again.Text())
	}
	c, err := u.Open(t, dir).Check(t.Context())
	must(t, err)
	if !c.Sound() || strings.Contains(c.Text(), "not marked") {
		t.Error(c.Text())
	}
}

// A document that has a title alone is kept, an index is called by its heading or its
// directory, and hidden characters are spelled out when a person says so.
func TestImport(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir, from := u.Project(t), filepath.Join(physical(t), "vault")
	for name, text := range map[string]string{
		"alone.md": "---\ntitle: A title alone\n---\n", "index.md": "Text without a heading.\n", "guide/Index.md": "Before it.\n\n## The guide\n",
		"guide/deep/index.md": "Text.\n", "guide/named/index.md": "---\ntitle: Named\n---\nText.\n", "zero.md": "a\u200bb \u2060c\n", "empty.md": "\n",
	} {
		put(t, from, name, text)
	}
	p := u.Open(t, dir)
	r := imported(t, p, transfer.Importing{Source: "markdown", Path: from})
	want := map[string]string{"alone.md": "A title alone", "index.md": "vault", "guide/Index.md": "The guide", "guide/deep/index.md": "deep", "guide/named/index.md": "Named"}
	for from, n := range taken(t, p, r) {
		if n.Title != want[from] {
			t.Errorf("%s has the title %q, want %q", from, n.Title, want[from])
		}
		delete(want, from)
	}
	if len(want) > 0 || r.LeftOut != 2 || !strings.Contains(r.Text(), "--escape-hidden") {
		t.Errorf("not taken: %v\n%s", want, r.Text())
	}
	r = imported(t, p, transfer.Importing{Source: "markdown", Path: from, EscapeHidden: true})
	if r.Taken != 1 || r.Escaped != 2 || !strings.Contains(r.Text(), `2 hidden characters spelled out as \u{…}`) || strings.Contains(r.Text(), "--escape-hidden") {
		t.Errorf("%s", r.Text())
	}
	if n := taken(t, p, r)["zero.md"]; !strings.Contains(n.Body, `a\u{200B}b \u{2060}c`) || n.Hidden != 0 {
		t.Errorf("%+v", n)
	}
	if r = imported(t, p, transfer.Importing{Source: "markdown", Path: from, EscapeHidden: true}); r.Taken != 0 || r.Escaped != 0 {
		t.Errorf("a second time: %s", r.Text())
	}
}
