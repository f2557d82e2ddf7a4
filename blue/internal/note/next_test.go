package note

import (
	"strings"
	"testing"
)

// The next step is the text after "Next:" or another word for it, else the last
// sentence.
func TestNextStep(t *testing.T) {
	for body, want := range map[string]string{
		"Next: move the consumer.":                                                  "move the consumer.",
		"Half is done. NEXT: move the\nconsumer to it.\n\nFiles: a.go":              "move the consumer to it.",
		"**Next step:** move it":                                                    "move it",
		"# Rollout\n\n- done: much\n\n## Next steps\n\n1. move it\n2. more":         "move it",
		"TODO: write the test":                                                      "write the test",
		"## Todo\n\n- [x] parse\n- [ ] print\n":                                     "print",
		"Fertig: Parser. Offen: Ausgabe.":                                           "Ausgabe.",
		"next - the parser":                                                         "the parser",
		"The context: next to nothing. It waits for v1.2 of the API. Ask Ada then.": "Ask Ada then.",
		"# Title\n\nDone is the parser.\n\nThe printer is half written.\n":          "The printer is half written.",
		"Next: 3 tests of 40":                                                       "3 tests of 40",
		"One line":                                                                  "One line",
		"":                                                                          "",
		"# Only a title\n":                                                          "",
		"Annext: no. Yes.":                                                          "Yes.",
	} {
		if got := NextStep(body); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
	// A minute if each item were to look for the end.
	if got := NextStep("Next:\n" + strings.Repeat("- [x] a\n", 16<<10) + strings.Repeat("\n", 128<<10)); got != "[x] a" {
		t.Errorf("after items that are done: %q", got)
	}
	if got := NextStep("Next: " + strings.Repeat("long ", 100)); len([]rune(got)) > NextLimit {
		t.Errorf("%d characters", len(got))
	}
}
