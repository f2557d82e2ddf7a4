package cli

import (
	"regexp"
	"strings"
	"testing"
)

// U032: a type or a tag that no note has is answered with the nearest in use, a new type that is
// probably misspelled with the one that is meant, and a former id with the note that it means.
func TestU032Nearest(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"a-aaaa": "---\ntype: decision\ntags: [storage]\n---\n\nA word.\n", "b-aaaa": "---\ntype: runbook\ntags: [ops]\n---\n\nB word.\n",
	})
	for words, want := range map[string]string{
		"list --type decisoin":        "no note has the type \"decisoin\"; did you mean decision?",
		"list --type Runbook":         "no note has the type \"Runbook\"; did you mean runbook?",
		"list -t sotrage":             "no note has the tag \"sotrage\"; did you mean storage?",
		"search word -t opps":         "no note has the tag \"opps\"; did you mean ops?",
		"search word --type runbok":   "no note has the type \"runbok\"; did you mean runbook?",
		"log --type runboook":         "no note has the type \"runboook\"; did you mean runbook?",
		"review -t storag":            "no note has the tag \"storag\"; did you mean storage?",
		"list --type decisoin --json": `"no note has the type \"decisoin\"; did you mean decision?"`,
		"list --type elephant":        "",
		"list --type decision -t ops": "",
		"list --type decision":        "",
	} {
		said := p.says(t, strings.Fields(words)...)
		if want == "" && strings.Contains(said, "did you mean") || !strings.Contains(said, want) {
			t.Errorf("%s: %s, want %s", words, said, want)
		}
	}
	said := p.says(t, "write", "--type", "runboko", "Restart it.")
	id := regexp.MustCompile(`restart-it-[a-z2-7]{4}`).FindString(said)
	if !strings.Contains(said, "no other note has the type \"runboko\"; if you meant runbook: blue edit "+id+" --type runbook\n") {
		t.Error(said)
	}
	for _, given := range []string{"runboko", "runbook", "playbook", "note"} {
		if said := p.says(t, "write", "--type", given, "Another text with "+given); strings.Contains(said, "if you meant") {
			t.Errorf("%s: %s", given, said)
		}
	}
	said = p.says(t, "mv", "a-aaaa", "Where", "notes", "lie")
	id = regexp.MustCompile(`where-notes-lie-[a-z2-7]{4}`).FindString(said)
	if said := p.says(t, "restore", "a-aaaa"); !strings.HasPrefix(said, "Not in the trash: the note is there: "+id+" (") || !strings.Contains(said, "; a-aaaa is a former id of it\n") {
		t.Error(said)
	}
	if said := p.says(t, "restore", "a-aaaa", "--json"); !strings.Contains(said, `"alias": "a-aaaa"`) || !strings.Contains(said, `"id": "`+id+`"`) {
		t.Error(said)
	}
	if said := p.says(t, "restore", "b-aaaa"); !strings.HasPrefix(said, "Not in the trash: the note is there: b-aaaa (") || strings.Contains(said, "former") {
		t.Error(said)
	}
	p.refuses(t, 3, "did you mean "+id, "read", "a-aaa")
	p.refuses(t, 3, "did you mean "+id, "restore", "a-aaa")
}
