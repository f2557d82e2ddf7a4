package sessions

import (
	"slices"
	"testing"
)

// TestNothingSettled has words of a person that settle nothing.
func TestNothingSettled(t *testing.T) {
	for _, said := range []string{
		"use the new endpoint for the product list and run the tests", "no, that's fine", "no, keep going", "No, I meant the other file, src/cart.ts",
		"don't commit yet", "wait, don't push, let me check first", "can you always show the diff first?", "make it use the same font as the header",
		"we keep getting this error", "we don't know why", "we don't have any tests for that", "we only have two servers", "no, it always fails on my machine",
		"this never worked", "you must read the file first", "must have been the cache", "it has to be somewhere in the config", "agreed.",
		"the final version is in main, look at that", "what if we always retried?", "should we use redis instead?", "maybe let's go with sqlite", "nein danke",
		"actually, how does the cache work?", "hmm, never mind", "i think we should use kafka some day", "stop", "wait", "what did we decide about the cache?",
		"do we use slog everywhere?", "I always forget how this works", "warum nimmt er immer die falsche Datei?", "no idea, try again", "that only happens here",
		"why don't we use the new API?", "please don't change anything yet", "no more errors, great!", "let me think about it",
		"Add a page for invoices. It must list the newest first, never more than 20, use the existing table component, always show the total in the footer, " +
			"don't show drafts, and has to work on phones. The filter is a select with all years, the default is the current one. Sums are shown by month instead of by day. " +
			"Write tests for the list and for the filter, and use the fixtures that are there already. Make sure that the page only loads what it shows.",
	} {
		e := Exchange{Client: "codex", Session: "s", Number: 1, Turns: []Turn{{Speaker: Person, Text: said}, {Speaker: Agent, Text: "Done."}}}
		if all := Harvest(slices.Values([]Exchange{e})); len(all) > 0 {
			t.Errorf("%q is listed as a %s", said, all[0].Kind)
		}
	}
}

// TestCommand has words that a shell must not read as a command.
func TestCommand(t *testing.T) {
	said := "No, use `rm -rf /tmp/x`; never $(reboot) or \"it's\" \x1b[31m here"
	e := Exchange{Client: "codex", Session: "s", Number: 1, Turns: []Turn{{Speaker: Person, Text: said}, {Speaker: Agent, Text: "Right.\n'; reboot"}}}
	all := Harvest(slices.Values([]Exchange{e}))
	if len(all) != 1 {
		t.Fatal(all)
	}
	want := `blue write --type decision --title 'Use ` + "`rm -rf /tmp/x`" + `; never $(reboot) or "it'\''s" \u{1B}[31m here' --body 'No, use ` +
		"`rm -rf /tmp/x`" + `; never $(reboot) or "it'\''s" \u{1B}[31m here Right. '\''; reboot'`
	if got := all[0].Write; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
