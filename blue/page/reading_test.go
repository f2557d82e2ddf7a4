package page

import (
	"bytes"
	"strings"
	"testing"

	"blue/blue/result"
)

// While documents or commits are being read, a search and the list say how far that is,
// and never that nothing was found.
func TestTellsWhatIsBeingRead(t *testing.T) {
	const progress = "reading documents: 155 of 688, ask again"
	hit := []result.ShelfHit{{Ref: "docs/a.md", Path: "docs/a.md", Kind: "document", Title: "A title"}}
	var found result.Hits
	found.Reading = []string{progress}
	for name, c := range map[string]struct {
		shown     listView
		has, lack string
	}{
		"nothing yet":     {listView{Text: "a", Searching: true, Hits: found}, "Nothing found yet", "Nothing found<"},
		"something":       {listView{Text: "a", Searching: true, Hits: found, Also: hit}, "A title", "Nothing found"},
		"the list":        {listView{Documents: &result.Shelf{Count: 155, Reading: progress}, Commits: &result.Shelf{}}, "155 documents", "commits<"},
		"everything":      {listView{Text: "a", Searching: true, Also: hit}, "No note holds", "data-reading"},
		"of a great many": {listView{Documents: &result.Shelf{Count: 20_000}, Commits: &result.Shelf{Count: 1}}, "20,000 documents", "data-reading"},
	} {
		var page bytes.Buffer
		err := parseViews().byName["list"].Execute(&page, frame{View: "list", Project: &result.Ref{}, Main: &c.shown})
		must(t, err)
		reading := len(c.shown.Reading) > 0 || c.shown.Documents != nil && c.shown.Documents.Reading != ""
		if text := page.String(); !strings.Contains(text, c.has) || strings.Contains(text, c.lack) || reading != strings.Contains(text, "data-reading>"+progress) {
			t.Errorf("%s: %s", name, text)
		}
	}
}
