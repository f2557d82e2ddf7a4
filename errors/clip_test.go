package errors_test

import (
	"strings"
	"testing"

	"blue/errors"
)

func TestClip(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "short": "short", "exactly ten"[:10]: "exactly te", "eleven char": "eleven ch…", "äöüäöüäöüä": "äöüäöüäöüä", "äöüäöüäöüäö": "äöüäöüäöü…",
		"a broken\xff\xff": "a broken\xff\xff", "a broken\xff\xff\xff": "a broken\xff…", "seven     words": "seven…", strings.Repeat("😀", 5000): strings.Repeat("😀", 9) + "…",
	} {
		if got := errors.Clip(text, 10); got != want {
			t.Errorf("%.40q becomes %q, want %q", text, got, want)
		}
	}
}

// Headings and names that come with a repository are bounded in failures.
func TestFailuresAreBounded(t *testing.T) {
	long := strings.Repeat("long\u202e ", 10_000)
	many := make([]string, 1000)
	for i := range many {
		many[i] = long
	}
	for name, e := range map[string]*errors.Error{
		"NoSection": errors.NoSection(long, long, many...), "ManyNotes": errors.ManyNotes(long, many...), "NoNote": errors.NoNote(long, many...),
		"BrokenFrontMatter": errors.BrokenFrontMatter("x", long), "ForeignEntry": errors.ForeignEntry("/x.json", long, long),
		"BadConfig": errors.BadConfig("/x.json", 3, long), "FormatUnknown": errors.FormatUnknown("/x", long), "BadProjectName": errors.BadProjectName(long, "it is long"),
		"NotServed": errors.NotServed(long, "it is odd"), "BadFile": errors.BadFile(long, "is outside"), "E": errors.E(errors.Invalid, "unknown tool %s, it is %s", errors.Quote(long), errors.List(errors.Lines(many, 20, 80), 8)),
	} {
		data, err := e.MarshalJSON()
		if err != nil || len(data) > 8<<10 || strings.Contains(string(data), "\u202e") || len(e.Text()) > 2<<10 {
			t.Errorf("%s: %d bytes of text, %d of JSON (%v): %.300s", name, len(e.Text()), len(data), err, data)
		}
	}
}
