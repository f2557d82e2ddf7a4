package index_test

import (
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/index"
)

// A note is also named when a search for the title of the draft finds it, though their
// texts share little; one that shares but a word of the title is not.
func TestRelatedByTitle(t *testing.T) {
	texts := map[string]string{
		"limits": "# Rate limits of the public gateway\n\nEach key may send twenty requests a second, in bursts of forty. What exceeds this is refused with 429 and the header Retry-After. Partners have a table of their own, kept by sales. Counters live in memory and are shared by gossip each second, so that a burst on several nodes may pass.",
		"logs":   "# Logs of the gateway\n\nThey are kept for thirty days and rotated at midnight. Access tokens are masked before a line is written, and sampled at one in ten during peaks.",
		"backup": "# Backups\n\nThe database is dumped each night and copied to another region. A restore is tried each quarter by the team on duty, and timed.",
	}
	var docs []index.Document
	for id, body := range texts {
		docs = append(docs, index.Document{Row: index.Row{ID: id, Name: id, Title: body[2:strings.Index(body, "\n")]}, Body: body})
	}
	x := mustOpen(t, docs...)
	related := func(title string) []string {
		return x.FindAlike(index.Draft{
			Title: title, Body: "Traffic of bots made us count by address instead of account. A proxy in front drops them now, with a page that explains why, and support can lift the block for an hour. " +
				"Crawlers that name themselves stay welcome, monitors of customers too. Addresses are hashed daily, forgotten after a week, and never joined with accounts. Mobile networks put thousands behind one address; lists of these come from our carrier contract and double what is allowed.",
			MayAmend: func(index.Row) bool { return true }, Read: func(row index.Row) (string, string) { return texts[row.ID], row.Revision },
		}).Related
	}
	if got := related("Rate limits at the public gateway, by address"); !slices.Equal(got, []string{"limits"}) {
		t.Errorf("%q", got)
	}
	if got := related("Blocked bots at the gateway"); len(got) > 0 {
		t.Errorf("a stranger names %q", got)
	}
}

// A word that a query repeats counts more than once.
func TestRepeatedWords(t *testing.T) {
	x := mustOpen(t,
		index.Document{Row: index.Row{ID: "a", Name: "a", Title: "One"}, Body: "The retry of a call."},
		index.Document{Row: index.Row{ID: "b", Name: "b", Title: "Two"}, Body: "The order of a webhook."})
	for query, first := range map[string]string{"retry webhook retry": "a", "webhook retry webhook": "b", "does the retry retry a webhook": "a"} {
		if got := ids(mustSearch(t, x, index.Query{Text: query, Limit: 2}).Hits); len(got) != 2 || got[0] != first {
			t.Errorf("%s: %q", query, got)
		}
	}
}
