package page

import (
	"strings"
	"testing"
)

// TestSnippets: a passage is shown as a person reads it, and what was found stays marked.
func TestSnippets(t *testing.T) {
	for text, want := range map[string]string{
		"## Why we retry\nbecause":                            "Why we {retry}\nbecause",
		"We **retry** *five* times, ~~not~~ `retry **x**`":    "We {retry} five times, not {retry} **x**",
		"See [[webhook-retry-k7q2|the retry]] and [[retry]].": "See the {retry} and {retry}.",
		"[retry](https://e.org/retry) ![retry](x.png)":        "{retry} {retry}",
		"- [x] retry\n- then\n1. retry":                       "• {retry}\n• then\n1. {retry}",
		"> retry[^1]\n\n[^1]: why":                            "{retry}\n\n why",
		"| a | retry |\n|---|---|\n| 1 | 2 |":                 "  a   {retry}  \n\n  1   2  ",
		"snake_case_retry 2 * 3 * 4 \\*retry <b>":             "snake_case_{retry} 2 * 3 * 4 *{retry} <b>",
		"```go\nretry()\n```":                                 "\n{retry}()\n",
		"Summary: …retry… … ### How: it is #3":                "Summary: …{retry}… … How: it is #3",
		"Summary: - [ ] retry - twice. - then":                "Summary: • {retry} - twice. • then",
		"…retry…":                                             "…{retry}…",
	} {
		var marks [][2]int
		for at := 0; strings.Contains(text[at:], "retry"); {
			from := at + strings.Index(text[at:], "retry")
			at = from + len("retry")
			marks = append(marks, [2]int{from, at})
		}
		got := ""
		for _, p := range plainPieces(text, marks) {
			if p.Marked {
				p.Text = "{" + p.Text + "}"
			}
			got += p.Text
		}
		if got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}
