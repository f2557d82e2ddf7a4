package reply

import (
	"fmt"
	"strings"

	"blue/errors"
)

// Elsewhere is what a search found in another project than that of the call.
type Elsewhere struct {
	Project  string   `json:"project"`
	Root     string   `json:"root"` // to be passed as cwd
	Personal bool     `json:"personal,omitempty"`
	Hits     []Hit    `json:"hits"`
	Also     []Beside `json:"also,omitempty"`  // with documents or commits asked for
	Above    int      `json:"above,omitempty"` // as in [Hits]
	Total    int      `json:"total"`
}

// NotSearched is a project that a search was to include and has not.
type NotSearched struct {
	Project string `json:"project"`
	Root    string `json:"root"`
	Reason  string `json:"reason"`
}

// AddElsewhere adds what was found in other projects as long as it fits into a room in bytes:
// of each project its best hit, then of each its second. The first hit of all always fits.
func (h *Hits) AddElsewhere(found []Elsewhere, room int) {
	kept, entries := make([]Elsewhere, len(found)), 0
	for i, e := range found {
		kept[i] = e
		kept[i].Hits, kept[i].Also = []Hit{}, nil
		entries = max(entries, len(e.Hits), len(e.Also))
	}
	first := true
	fits := func(size int) bool {
		room -= size + 60 // names and braces
		before := first
		first = false
		return room > 0 || before
	}
	for at := range entries {
		for i, e := range found {
			if at < len(e.Hits) && fits(len(e.Hits[at].Snippet)+len(e.Hits[at].Line())+len(e.Root)) {
				kept[i].Hits = append(kept[i].Hits, e.Hits[at])
			}
			if at < len(e.Also) && fits(len(e.Also[at].Lines())+len(e.Root)) {
				kept[i].Also = append(kept[i].Also, e.Also[at])
			}
		}
	}
	for _, e := range kept {
		e.Above = min(e.Above, len(e.Also))
		if len(e.Hits)+len(e.Also) > 0 {
			h.Elsewhere = append(h.Elsewhere, e)
		} else if e.Total > 0 {
			h.MoreElsewhere++
		}
	}
}

// LeaveOut names the projects that were not searched, as many as have room.
func (h *Hits) LeaveOut(all []NotSearched) {
	h.NotSearched, h.MoreNotSearched = keepFitting(all, TailRoom, func(n NotSearched) int { return len(n.Project) + len(n.Root) + len(n.Reason) })
}

// elsewhereText is what a reply says of other projects: each hit is labelled with its own.
func (h Hits) elsewhereText() string {
	var b strings.Builder
	for _, e := range h.Elsewhere {
		label := errors.Visible(e.Project)
		heading := "From " + label
		if e.Personal {
			heading = "From your personal notes"
		}
		fmt.Fprintf(&b, "%s (cwd %s):\n", heading, errors.Visible(e.Root))
		for _, hit := range e.Also[:e.Above] {
			fmt.Fprintf(&b, "%s: %s", label, hit.Lines())
		}
		for _, hit := range e.Hits {
			fmt.Fprintf(&b, "%s: %s\n", label, hit.Line())
			if hit.Snippet != "" {
				fmt.Fprintf(&b, "  %s\n", hit.Snippet)
			}
		}
		for _, hit := range e.Also[e.Above:] {
			fmt.Fprintf(&b, "%s: %s", label, hit.Lines())
		}
		if more := e.Total - len(e.Hits) - len(e.Also); more > 0 {
			fmt.Fprintf(&b, "%d more in %s\n", more, label)
		}
	}
	if h.MoreElsewhere > 0 {
		fmt.Fprintf(&b, "No room is left for the hits in %s: name fewer projects\n", Plural(h.MoreElsewhere, "more project"))
	}
	var left []string
	for _, n := range h.NotSearched {
		left = append(left, fmt.Sprintf("%s at %s (%s)", errors.Visible(n.Project), errors.Visible(n.Root), n.Reason))
	}
	if h.MoreNotSearched > 0 {
		left = append(left, fmt.Sprintf("and %d more", h.MoreNotSearched))
	}
	if len(left) > 0 {
		fmt.Fprintf(&b, "Not searched: %s\n", strings.Join(left, ", "))
	}
	return b.String()
}
