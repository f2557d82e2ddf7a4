package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A whole reply as a model reads it, four bytes a token: full when ten proposals fit
// the question, small when one does and the others share a common word with it alone.
func TestDefaultReplies(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "shop")
	notes := filepath.Join(root, ".blue", "notes")
	must(t, os.MkdirAll(notes, 0o755))
	subjects := strings.Fields("volume snapshot scheduler kubelet ingress admission webhook autoscaler quota secret token proxy")
	others := strings.Fields("alpha beta gamma delta epsilon zeta theta kappa lambda sigma omega rho tau phi chi psi")
	for i, subject := range subjects {
		body := fmt.Sprintf("\n# Graceful shutdown of the %s\n\n## Summary\n\n", subject)
		for n := range 24 {
			body += fmt.Sprintf("When a node drains, the graceful shutdown of the %s waits %d seconds for the %s in step %d of it. ", subject, n+5, others[(n+i)%len(others)], n)
			if n%6 == 5 {
				body += fmt.Sprintf("\n\n## Step %d\n\nA feature gate %s%d guards it. ", n, others[n%len(others)], i)
			}
		}
		if subject == "quota" {
			body += "\n\n## Rollout\n\nThe ephemeral storage accounting of terminated tenants happens nightly when a node drains. "
		}
		writeNote(t, notes, "graceful-"+subject, "Graceful shutdown of the "+subject, body)
	}
	for i := range 60 {
		writeNote(t, notes, fmt.Sprintf("other-%02d", i), fmt.Sprintf("Proposal %d", i), strings.Repeat(fmt.Sprintf("The %s of release %d changes nothing here. ", others[i%len(others)], i), 30))
	}
	o := newWorld(t, root).options(t)
	if _, err := o.Blue.Trust(t.Context(), root); err != nil {
		t.Fatal(err)
	}
	p := startWith(t, o)
	p.open(`{}`)
	p.call("where", nil) // the first answer of a session shows more of the trace
	for _, tt := range []struct {
		query       string
		least, most int // tokens
		hits        int // at least
	}{
		{"graceful shutdown when a node drains", 1500, 2000, 10},
		{"ephemeral storage accounting of terminated tenants on a node", 200, 600, 10},
		{"ephemeral storage accounting", 150, 600, 1},
	} {
		reply := p.call("search", args("query", tt.query))
		hits := len(reply.StructuredContent.Hits)
		if tokens := len(reply.text()) / 4; tokens < tt.least || tokens > tt.most || hits < tt.hits {
			t.Errorf("%q: %d hits in %d tokens, want %d to %d\n%s", tt.query, hits, tokens, tt.least, tt.most, reply.text())
		}
	}
}

func writeNote(t *testing.T, dir, id, title, body string) {
	t.Helper()
	text := fmt.Sprintf("---\ntype: decision\ntitle: %s\n---\n%s", title, body)
	must(t, os.WriteFile(filepath.Join(dir, id+".md"), []byte(text), 0o644))
}
