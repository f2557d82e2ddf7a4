package note

import "testing"

// The text below the heading that says what was decided, else the beginning.
func TestGist(t *testing.T) {
	for body, want := range map[string]string{
		"# Context\n\nIt failed.\n\n## Decision Outcome\n\nWe use `a` and\nb.\n\n## More\n\nText.": "We use `a` and b.",
		"# Title\n\nFirst words.\n\nMore.\n\n## Later\n\nNot this.":                                "First words. More.",
		"Context: much.\n\n**Decision:** retries stop.":                                            "retries stop.",
		"# Decision Drivers\n\nSpeed.\n\n# Entscheidung\n\nDrei Versuche.":                         "Drei Versuche.",
		"# Decision\n\n### In short\n\nThree tries.":                                               "Three tries.",
		"# Why\n\nText.\n\n# Decision\n":                                                           "Text.",
		"```\n# Decision\nno\n```\n":                                                               "``` # Decision no ```",
		"":                                                                                         "",
	} {
		if got := Gist(body, 300); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
	if got := Gist("0123456789", 5); got != "0123…" {
		t.Errorf("%q", got)
	}
}
