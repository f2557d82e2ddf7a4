package index_test

import (
	"strings"
	"testing"

	"blue/blue/internal/index"
)

// showPassage returns what a hit shows of a body in so many bytes.
func showPassage(t *testing.T, query, body string, room int) string {
	t.Helper()
	x := mustOpen(t, append(newCorpus(19).notes(50), note("it", body))...)
	r := mustSearch(t, x, index.Query{
		Text: query, Limit: 50, Passages: index.Passages{
			Room: func([]index.Hit, int) int { return room },
			Body: func(row index.Row) (string, string) { return map[string]string{"it": body}[row.ID], row.Revision },
		},
	})
	for _, h := range r.Hits {
		if h.ID == "it" {
			return h.Snippet
		}
	}
	t.Fatalf("%q: not found", query)
	return ""
}

func TestPassages(t *testing.T) {
	filler := strings.Repeat("Nothing of interest stands here. ", 900)
	halves := "The webhook worker retries for an hour. " + filler[:6600] + "\n\n## Limits\n\nA tenant has a quota of ten builds. " + filler[:6600]
	cjk := strings.Repeat("这里没有什么。", 60) + "索引在提交时更新。" + strings.Repeat("这里没有什么。", 60)
	tests := []struct {
		name, query, body string
		room              int
		want, not         []string
	}{
		{"all words in one sentence", "webhook retry deadline", "# Webhook\n\nThe webhook. " + filler + "The retry of a webhook has a deadline of 10 s. " + filler, 300,
			[]string{"The retry of a webhook has a deadline of 10 s."}, []string{"# Webhook"}},
		{"words in two sections", "webhook worker retries and the quota of builds", halves, 900,
			[]string{"The webhook worker retries for an hour.", " … ", "## Limits: A tenant has a quota of ten builds."}, nil},
		{"item of a list", "quota", "- one thing\n- the quota\n  of all\n- three things\n" + filler, 24, []string{"- the quota of all"}, []string{"one", "three"}},
		{"row of a table", "quota", "| a | b |\n|---|---|\n| quota | 5 |\n| other | 6 |\n" + filler, 16, []string{"| quota | 5 |"}, []string{"a | b", "--", "other"}},
		{"block of code", "quota", "```go\nx := 1\nquota := 2**3\n```\n" + filler, 14, []string{"quota := 2**3"}, []string{"```", "x :="}},
		{"text without spaces", "提交时", cjk, 60, []string{"索引在提交时更新。"}, nil},
		{"long line", "quota", strings.Repeat("word ", 5000) + "quota" + strings.Repeat(" word", 5000), 100, []string{"…word word", "word quota word", "word…"}, nil},
		// A section is understood from its beginning; what is left out of it is marked.
		{"section from its beginning", "quota", "## Limits\n\nEach plan has limits. " + filler[:3300] + "The quota is ten. " + filler, 600,
			[]string{"## Limits: … ", "The quota is ten.", "here. …"}, nil},
		{"section without a gap", "quota", filler + "\n\n## Limits\n\nEach plan has limits. All have an end. The quota is ten. It renews: " + filler[:700], 200,
			[]string{"## Limits: Each plan has limits. All have an end. The quota is ten."}, []string{"Limits: …"}},
		{"links, tables and open sentences", "quota", "## Limits:\n\n[A1]: https://example.com/quota\n\nThe quota is ten.\n\n| plan | quota of it |\n|---|---|\n| small | 10 |\n\nThe plans are:\n\n- " + filler, 100,
			[]string{"## Limits: The quota is ten."}, []string{"::", "example.com", "are:"}},
		{"marks of Markdown", "quota", "The **quota** is e.g. ten. Next.\n\n- [The quota](#quota)\n<!-- quota -->\n" + filler, 30, []string{"The quota is e.g. ten."}, []string{"**", "](#", "<!--"}},
	}
	for _, tt := range tests {
		got := showPassage(t, tt.query, tt.body, tt.room)
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q: no %q in %q", tt.name, tt.query, want, got)
			}
		}
		for _, not := range tt.not {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q: %q in %q", tt.name, tt.query, not, got)
			}
		}
		if len(got) > tt.room+40 {
			t.Errorf("%s: %q: %d bytes in a room of %d", tt.name, tt.query, len(got), tt.room)
		}
	}
}

// A hit that says the same as one before shows one line, of what has not been shown.
func TestRepeatedPassage(t *testing.T) {
	body := "The quota of a tenant is ten builds. " + strings.Repeat("The rest says more about that. ", 20) + "Another word on the quota."
	x := mustOpen(t, note("a", body), note("b", body+" Here too."))
	r := mustSearch(t, x, index.Query{Text: "quota tenant", Limit: 2, Passages: index.Passages{
		Room: func([]index.Hit, int) int { return 900 }, Body: func(row index.Row) (string, string) { return body, row.ID },
	}})
	if len(r.Hits) != 2 || !strings.HasPrefix(r.Hits[0].Snippet, "The quota of a tenant is ten builds.") || len(r.Hits[1].Snippet) > 120 || strings.Contains(r.Hits[1].Snippet, "tenant") {
		t.Errorf("got %q", []string{r.Hits[0].Snippet, r.Hits[1].Snippet})
	}
}
