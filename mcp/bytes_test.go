package mcp

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blue/blue/result"
)

// BenchmarkBytes is what the answers of the tools cost a model, in bytes of text, on
// the notes of the judged sets in the directory that BLUE_EVAL names: of an answer on
// average, of the longest, of the structured content that a program gets on top, and what
// a reading says besides the text of its note.
func BenchmarkBytes(b *testing.B) {
	archives, _ := filepath.Glob(filepath.Join(os.Getenv("BLUE_EVAL"), "*.tgz"))
	if os.Getenv("BLUE_EVAL") == "" || len(archives) == 0 {
		b.Skip("no judged sets: set BLUE_EVAL to a directory of .tgz with notes/*.md and queries.jsonl")
	}
	for _, archive := range archives {
		dir := b.TempDir()
		if out, err := exec.Command("tar", "-xzf", archive, "-C", dir, "--strip-components=1").CombinedOutput(); err != nil {
			b.Skipf("unpacking: %v: %s", err, out)
		}
		b.Run(strings.TrimSuffix(filepath.Base(archive), ".tgz"), func(b *testing.B) { weigh(b, dir) })
	}
}

// weigh makes a project of a judged set and weighs the answers of its server.
func weigh(b *testing.B, set string) {
	root := filepath.Join(b.TempDir(), "shop")
	notes := filepath.Join(root, ".blue", "notes")
	must(b, os.MkdirAll(filepath.Dir(notes), 0o755))
	must(b, os.Rename(filepath.Join(set, "notes"), notes))
	o := newWorld(b, root).options(b)
	if _, err := o.Blue.Trust(context.Background(), root); err != nil {
		b.Fatal(err)
	}
	p := startWith(b, o)
	p.open(`{}`)
	p.call("where", nil) // the first answer of a session shows more of the trace
	var queries, ids []map[string]any
	asked, err := os.ReadFile(filepath.Join(set, "queries.jsonl"))
	must(b, err)
	for line := range strings.Lines(string(asked)) {
		var query struct{ Text string }
		must(b, json.Unmarshal([]byte(line), &query))
		queries = append(queries, args("query", query.Text))
	}
	files, err := os.ReadDir(notes)
	must(b, err)
	for _, file := range files {
		ids = append(ids, args("id", strings.TrimSuffix(file.Name(), ".md")))
	}
	for name, calls := range map[string][]map[string]any{
		"where": {nil}, "search": queries, "list": {nil}, "read": ids, "where,no-project": {args("cwd", filepath.Dir(root))},
	} {
		tool, _, _ := strings.Cut(name, ",")
		b.Run(name, func(b *testing.B) {
			var text, most, structured, besides int
			for b.Loop() {
				text, most, structured, besides = 0, 0, 0, 0
				for _, call := range calls {
					o, beside := p.weighed(tool, call)
					text, most, structured = text+len(o.text()), max(most, len(o.text())), structured+beside
					if tool == "read" {
						besides += len(o.text()) - len(bodyRead(b, o))
					}
				}
			}
			n := float64(len(calls))
			b.ReportMetric(float64(text)/n, "text-B")
			b.ReportMetric(float64(most), "most-B")
			b.ReportMetric(float64(structured)/n, "structured-B")
			b.ReportMetric(float64(besides)/n, "besides-B")
		})
	}
}

// weighed calls a tool; structured is the bytes of the structured content beside the text.
func (p *peer) weighed(tool string, arguments map[string]any) (o outcome, structured int) {
	id := p.ask(tool, arguments)
	var raw struct{ StructuredContent json.RawMessage }
	if err := json.Unmarshal(p.reply(id).Result, &raw); err != nil {
		p.t.Fatal(err)
	}
	return p.outcome(id), len(raw.StructuredContent)
}

func bodyRead(b *testing.B, o outcome) string {
	var notes []result.Note
	if err := json.Unmarshal(o.StructuredContent.Notes, &notes); err != nil || len(notes) != 1 {
		b.Fatalf("%v: %s", err, o.text())
	}
	return notes[0].Body
}
