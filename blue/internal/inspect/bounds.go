package inspect

import (
	"fmt"
	"time"

	"blue/blue/internal/reply"
	"blue/blue/internal/store"
)

// noteLimit is how many notes a project is tested with.
const noteLimit = 100_000

// Bounds looks at what the next write would clear away, and at the number of notes: history
// is the size of the former revisions in bytes.
func Bounds(c *reply.Checked, history int64, trashed []store.Trashed, now time.Time) {
	if c.Notes > noteLimit {
		c.Add(reply.Issue{Kind: reply.IssueBound, What: fmt.Sprintf("%d notes are more than the %d that Blue is tested with", c.Notes, noteLimit),
			Remedy: "remove what is superseded, or give parts of the repository a project of their own with blue init"})
	}
	if history > store.HistoryLimit {
		c.Add(reply.Issue{Kind: reply.IssueBound, File: reply.FileBelow("history"), What: fmt.Sprintf("earlier revisions take %d MiB, more than the limit of %d MiB", history>>20, store.HistoryLimit>>20),
			Remedy: "a later write removes the oldest; the first and the last revision of each note always stay"})
	}
	old := 0
	for _, t := range trashed {
		if now.Sub(t.Time) > store.TrashAge {
			old++
		}
	}
	if old > 0 {
		c.Add(reply.Issue{Kind: reply.IssueBound, File: reply.FileBelow("trash"), What: fmt.Sprintf("%s removed more than %d days ago", reply.Plural(old, "note"), store.TrashAge/(24*time.Hour)),
			Remedy: "a later write deletes them; until then blue remove --restore ID brings one back"})
	}
}

// ProjectName finds a name of a project that replies cannot show as it stands; fault is why,
// empty when they can.
func ProjectName(c *reply.Checked, shown, fault string) {
	if fault != "" {
		c.Add(reply.Issue{Kind: reply.IssueBound, File: reply.FileBelow("project.yaml"), What: fmt.Sprintf("the name of the project is shown as %q: %s", shown, fault),
			Remedy: "give it a short name on one line, after the key name"})
	}
}
