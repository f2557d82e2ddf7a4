package transfer_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/blue"
	"blue/blue/result"
	"blue/blue/transfer"
	"blue/errors"
)

// filled is a project with notes of every form.
func filled(t testing.TB, u *user) (dir string) {
	t.Helper()
	dir = u.Project(t)
	for name, text := range map[string]string{
		"deploy-aaaa":  "---\ntype: decision\ntitle: Deploy on Fridays\ntags: [ops, release]\ncreated: 2026-01-02T03:04:05Z\nauthor: ana\nstatus: active\n# a comment\nx-own: {k: v}\n---\n\nSee [[retries-bbbb]], [[retries-bbbb|the retries]], [[retries-bbbb#Limits]], [[My notes]], [[nothing]], [[retries]].\n\n`[[retries-bbbb]]` stays, [so](retries-bbbb.md#limits) [does](./My%20notes.md) [that](src/a.go).\n",
		"retries-bbbb": "---\ntype: remediation\ntitle: Webhook retries\ntags: [payments]\ncreated: 2026-02-03T04:05:06Z\nfiles:\n  - path: src/a.go\n    hash: 0123456789abcdef\nstatus: superseded\n---\n\n# Webhook retries\n\n## Limits\n\n| a | b |\n|---|---|\n| [[deploy-aaaa]] | <script>alert(1)</script> |\n\n![p](https://example.org/p.png)\n",
		"newer-cccc":   "---\ntype: decision\ntitle: \"New: \\\"rules\\\" & <more>\"\ntags: [ops, 'a/b']\nsupersedes: [retries-bbbb]\n---\nBack to [[deploy-aaaa]] and [[mine-dddd]] and [[index]].\n",
		"My notes":     "# My notes\n\nNo front matter. [[deploy-aaaa]]\n",
		"plain":        "Only a line, then\n\n## A heading further down\n",
		"index":        "# Listing\n\nA reserved name in bundles; see [[newer-cccc]].\n",
		"broken-eeee":  "---\ntitle: [a\n---\n\nText.\n",
	} {
		put(t, dir, ".blue/notes/"+name+".md", text)
	}
	put(t, dir, ".blue/private/mine-dddd.md", "---\ntype: note\ntitle: Only mine\n---\n\nSecret plans, see [[deploy-aaaa]].\n")
	return dir
}

func exported(t testing.TB, p *blue.Project, e transfer.Exporting) transfer.Exported {
	t.Helper()
	out, err := transfer.Export(t.Context(), p, e)
	must(t, err)
	return out
}

// TestBundleRoundTrip: a bundle that was exported and imported into an empty
// project gives the same notes, links and tags.
func TestBundleRoundTrip(t *testing.T) {
	u := newUser(t)
	dir, to := filled(t, u), filepath.Join(physical(t), "bundle")
	out := exported(t, u.Open(t, dir), transfer.Exporting{Output: to})
	if out.Notes != 6 || out.Private != 1 || len(out.LeftOut) != 1 || out.LeftOut[0].ID != "broken-eeee" {
		t.Errorf("%+v", out)
	}
	conformant(t, to)
	empty := u.Project(t)
	i := transfer.Importing{Source: "bundle", Path: to}
	r := imported(t, u.Open(t, empty), i)
	if r.Taken != 6 || r.LeftOut != 1 { // index.md
		t.Fatal(r.Text())
	}
	ids := map[string]string{}
	for _, n := range r.Notes {
		ids[strings.TrimPrefix(strings.TrimSuffix(n.From, ".md"), "note-")] = n.ID
	}
	before, after := u.Open(t, dir), u.Open(t, empty)
	for was, now := range ids {
		a, b := read(t, before, was), read(t, after, now)
		if was != now {
			t.Errorf("%s became %s", was, now)
		}
		if a.Title != b.Title || a.Type != b.Type || !slices.Equal(a.Tags, b.Tags) || a.Created != b.Created || a.Author != b.Author || a.Status != b.Status ||
			!slices.Equal(a.Supersedes, b.Supersedes) || !slices.Equal(a.Files, b.Files) {
			t.Errorf("%s was\n%+v\nand is\n%+v", was, a, b)
		}
		if want, got := linked(a, ids), linked(b, nil); want != got {
			t.Errorf("%s had the links %s, and has %s", was, want, got)
		}
	}
	for _, name := range []string{"deploy-aaaa.md", "retries-bbbb.md"} {
		was, err := os.ReadFile(filepath.Join(dir, ".blue/notes", name))
		must(t, err)
		now, err := os.ReadFile(filepath.Join(empty, ".blue/notes", name))
		must(t, err)
		want := strings.NewReplacer("[[retries]]", "[[retries-bbbb|retries]]", "./My%20notes.md", "My%20notes.md").Replace(string(was))
		if string(now) != want && strings.ReplaceAll(string(now), "[deploy-aaaa](deploy-aaaa.md)", "[[deploy-aaaa]]") != want {
			t.Errorf("%s is not the same:\n%s", name, now)
		}
	}
	if again := imported(t, u.Open(t, empty), i); again.Taken != 0 || again.Present != 6 {
		t.Error(again.Text())
	}
	if back := imported(t, u.Open(t, dir), i); back.Taken != 0 || back.Present != 6 {
		t.Errorf("into the project it came from: %s", back.Text())
	}
}

// A note with hidden characters is exported as it is, and an import refuses it with their place.
func TestHiddenCharactersAreRefused(t *testing.T) {
	u := newUser(t)
	dir, to := u.Project(t), filepath.Join(physical(t), "bundle")
	put(t, dir, ".blue/notes/hidden.md", "---\ntype: note\ntitle: Hidden\n---\n\nzero\u200bwidth\n")
	put(t, dir, ".blue/notes/plain.md", "---\ntype: note\n---\n\n# Plain\n\nU+200B; is a zero width space, \\u{200B} too.\n")
	exported(t, u.Open(t, dir), transfer.Exporting{Output: to})
	empty := u.Project(t)
	i := transfer.Importing{Source: "bundle", Path: to}
	r := imported(t, u.Open(t, empty), i)
	if r.Taken != 1 || !strings.Contains(r.Text(), `holds the hidden character U+200B on line 6, column 5: hidden.md`) {
		t.Fatal(r.Text())
	}
	i.EscapeHidden = true
	if r = imported(t, u.Open(t, empty), i); r.Taken != 1 || r.Escaped != 1 {
		t.Error(r.Text())
	}
}

// A board of Backlog.md is a folder of Markdown files: statuses, dates and labels stay, also where
// YAML refuses a name.
func TestBacklog(t *testing.T) {
	u := newUser(t)
	dir, from := u.Project(t), t.TempDir()
	put(t, from, "backlog/tasks/task-1 - One.md", "---\nid: task-1\ntitle: One\nstatus: Done\nassignee: @ann\nreporter: @bob \\ \"co\"\ncreated_date: 2026-01-02 10:20\nlabels: [cli]\n---\n\nassignee: @text\n")
	put(t, from, "backlog/tasks/task-2 - Two.md", "---\nid: task-2\ntitle: Two\nassignee:\n  - '@ann'\n---\n\nAfter [[task-1]].\n")
	r := imported(t, u.Open(t, dir), transfer.Importing{Source: "markdown", Path: filepath.Join(from, "backlog")})
	if r.Taken != 2 || r.LeftOut != 0 || r.Links != 1 {
		t.Fatal(r.Text())
	}
	one := taken(t, u.Open(t, dir), r)["tasks/task-1 - One.md"]
	if one.Status != "Done" || one.Created != "2026-01-02T10:20:00Z" || !slices.Equal(one.Tags, []string{"cli"}) || !strings.Contains(one.Body, "assignee: @text") {
		t.Errorf("%+v", one)
	}
}

func read(t testing.TB, p *blue.Project, id string) result.Note {
	t.Helper()
	page, err := p.Read(t.Context(), blue.Reading{ID: id, Whole: true})
	must(t, err)
	return page.Notes[0]
}

// linked are the notes that a note links to and is linked from, by the ids that
// they have now.
func linked(n result.Note, now map[string]string) string {
	var all []string
	for side, links := range map[string][]result.Link{"to ": n.Links, "from ": n.Backlinks} {
		for _, l := range links {
			id := l.ID
			if now[id] != "" {
				id = now[id]
			}
			if id == "mine-dddd" || id == "broken-eeee" {
				continue
			}
			all = append(all, side+id)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// conformant checks the rules of the Open Knowledge Format 0.2, section 11.
func conformant(t testing.TB, dir string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		front, _, ok := strings.Cut(strings.TrimPrefix(string(data), "---\n"), "\n---\n")
		reserved := d.Name() == "index.md"
		if !strings.HasPrefix(string(data), "---\n") || !ok || reserved != strings.HasPrefix(front, "okf_version: \"0.2\"") || !reserved && !strings.Contains("\n"+front, "\ntype: ") {
			t.Errorf("%s is no concept:\n%s", path, data)
		}
		return err
	}))
}

// TestExportedJSON is one object, with nothing of what is private.
func TestExportedJSON(t *testing.T) {
	u := newUser(t)
	dir := filled(t, u)
	var b bytes.Buffer
	out := exported(t, u.Open(t, dir), transfer.Exporting{Format: "json", Out: &b})
	file := filepath.Join(physical(t), "notes.json")
	exported(t, u.Open(t, dir), transfer.Exporting{Format: "json", Output: file})
	data, err := os.ReadFile(file)
	must(t, err)
	if string(data) != b.String() {
		t.Error("the file and the stream differ")
	}
	var whole struct {
		Notes []struct {
			result.Note
			Front string `json:"front_matter"`
		}
	}
	must(t, json.Unmarshal(data, &whole))
	if len(whole.Notes) != 7 || out.Notes != 7 || strings.Contains(string(data), "Only mine") || strings.Contains(string(data), "null") {
		t.Errorf("%d notes: %s", len(whole.Notes), data)
	}
	for _, n := range whole.Notes {
		if n.ID == "deploy-aaaa" && (!strings.Contains(n.Front, "x-own: {k: v}") || len(n.Links) == 0 || len(n.Revision) != 16) {
			t.Errorf("%+v", n)
		}
	}
}

// TestExportOverwritesNothing, and leaves nothing behind when it fails.
func TestExportOverwritesNothing(t *testing.T) {
	u := newUser(t)
	dir, at := filled(t, u), physical(t)
	put(t, at, "full/x", "mine")
	put(t, at, "file", "mine")
	if err := os.Symlink(filepath.Join(at, "full"), filepath.Join(at, "link")); err != nil {
		t.Skipf("SKIPPED: no symbolic links here: %v", err)
	}
	before := tree(t, at) + tree(t, dir)
	for _, to := range []string{"full", "file", "link", "none/x"} {
		for _, format := range []string{"bundle", "json"} {
			_, err := transfer.Export(t.Context(), u.Open(t, dir), transfer.Exporting{Format: format, Output: filepath.Join(at, to)})
			isKind(t, err, errors.Invalid, format+" to "+to)
		}
	}
	for _, e := range []transfer.Exporting{{Format: "pdf", Output: filepath.Join(at, "x")}, {Format: "okf", Output: filepath.Join(at, "x")}, {Output: filepath.Join(dir, ".blue/notes/x")}, {Output: filepath.Join(dir, ".blue")}} {
		_, err := transfer.Export(t.Context(), u.Open(t, dir), e)
		isKind(t, err, errors.Invalid, e.Format+" to "+e.Output)
	}
	_, err := transfer.Export(t.Context(), u.Open(t, dir), transfer.Exporting{Output: "relative"})
	isKind(t, err, errors.BadPath, "relative")
	if after := tree(t, at) + tree(t, dir); after != before {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
}

// A bundle carries the documents that notes supersede.
func TestExportOfDocuments(t *testing.T) {
	u := newUser(t)
	dir, to := u.Project(t), physical(t)
	put(t, dir, "docs/plan.md", "# Plan\n\nText.\n")
	put(t, dir, ".blue/notes/new-aaaa.md", "---\ntype: decision\ntitle: New\nsupersedes: [docs/plan.md]\n---\n\nSee [[docs/plan.md]], [[old-bbbb]] and [[commit 0123456789]].\n")
	put(t, dir, ".blue/notes/old-bbbb.md", "---\ntype: note\ntitle: Old\n---\n\nText.\n")
	exported(t, u.Open(t, dir), transfer.Exporting{Output: filepath.Join(to, "bundle")})
	p := u.Open(t, u.Project(t))
	r := imported(t, p, transfer.Importing{Source: "bundle", Path: filepath.Join(to, "bundle")})
	if n := read(t, p, "new-aaaa"); r.Taken != 2 || !slices.Equal(n.Supersedes, []string{"docs/plan.md"}) {
		t.Errorf("%+v", n)
	}
}
