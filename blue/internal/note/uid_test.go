package note_test

import (
	"strings"
	"testing"
	"time"

	"blue/blue/internal/note"
)

// A note has the identity that its front matter says, else one that derives from its
// id and creation time on every machine.
func TestIdentity(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, 3, 4, 6, 6, 7, 8, time.FixedZone("", 3600))
	derived := note.DeriveUID("deploys-aaaa", created)
	if derived != "vpnmzfr6umo2smjkrv3yyh2ttr" {
		t.Errorf("derived %s", derived)
	}
	fresh := note.NewUID()
	for name, test := range map[string]struct{ file, front, want string }{
		"given":           {"notes/x.md", "uid: " + fresh + " # mine\n", fresh},
		"none":            {"notes/deploys-aaaa.md", "created: 2026-03-04T05:06:07.5Z\n", derived},
		"in another file": {"private/deploys-aaaa.md", "created: 2026-03-04T06:06:07+01:00\n", derived},
		"too short":       {"notes/deploys-aaaa.md", "created: 2026-03-04T05:06:07Z\nuid: " + fresh[1:] + "\n", derived},
		"other letters":   {"notes/deploys-aaaa.md", "created: 2026-03-04T05:06:07Z\nuid: " + fresh[1:] + "1\n", derived},
		"capitals":        {"notes/deploys-aaaa.md", "created: 2026-03-04T05:06:07Z\nuid: A" + fresh[1:] + "\n", derived},
		"a list":          {"notes/deploys-aaaa.md", "created: 2026-03-04T05:06:07Z\nuid: [" + fresh + "]\n", derived},
		"digits alone":    {"notes/x.md", "uid: " + strings.Repeat("2", 26) + "\n", strings.Repeat("2", 26)},
	} {
		n := note.ParseText(test.file, []byte("---\n"+test.front+"---\n\nx\n"))
		if got := n.Identity(); got != test.want || n.UID != "" && n.UID != got {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
		other := note.NewUID()
		if err := n.KeepIdentity(other); err != nil {
			t.Fatal(err)
		}
		if n = note.ParseText(test.file, n.Bytes()); n.Identity() != other || strings.Count(n.Front, "uid: ") != 1 {
			t.Errorf("%s: kept %q", name, n.Front)
		}
	}
	n := note.Text{Type: "note", Title: "T", UID: fresh, Details: note.Details{Author: "ann", Status: "active"}}
	if err := n.RenderFront(); err != nil || !strings.Contains(n.Front, "author: ann\nuid: "+fresh+"\nstatus: active\n") {
		t.Errorf("%v: %s", err, n.Front)
	}
}
