package clients_test

import (
	"bytes"
	"strings"
	"testing"

	"blue/blue/internal/clients"
	"blue/errors"
)

func TestDiff(t *testing.T) {
	rows := []struct{ before, after, want string }{
		{"", "", ""},
		{"a\n", "a\n", ""},
		{"", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"a\n", "", "@@ -1,1 +0,0 @@\n-a\n"},
		{"1\n2\n3\n4\n", "1\n2\nx\n3\n4\n", "@@ -2,2 +2,3 @@\n 2\n+x\n 3\n"},
		{"1\n2\n3\n4\n5\n6\n7\n", "x\n2\n3\n4\n5\n6\ny\n", "@@ -1,2 +1,2 @@\n-1\n+x\n 2\n@@ -6,2 +6,2 @@\n 6\n-7\n+y\n"},
		{"1\n2\n3\n4\n", "x\n2\n3\ny\n", "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n-4\n+y\n"},
		{"a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ no newline at end of file\n+a\n"},
		{"a\nb\nc\nd\n", "b\nc\ne\nd\n", "@@ -1,4 +1,4 @@\n-a\n b\n c\n+e\n d\n"},
	}
	for _, row := range rows {
		want := row.want
		if want != "" {
			want = "--- f\n+++ f\n" + want
		}
		if got := clients.Diff("f", []byte(row.before), []byte(row.after)); got != want {
			t.Errorf("%q to %q:\n%s\nwant\n%s", row.before, row.after, got, want)
		}
	}
	long := bytes.Repeat([]byte("x\ny\n"), 5000)
	if got := clients.Diff("f", long, bytes.ToUpper(long)); strings.Count(got, "\n") != 3+20000 {
		t.Errorf("a long one has %d lines", strings.Count(got, "\n"))
	}
}

func TestBlock(t *testing.T) {
	f := clients.AgentsFile(place())
	first, err := f.Edit(nil, clients.Entry{})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"blue_search", "blue_write", "checkpoint", "tool search", "`blue search WORDS`"} {
		if !bytes.Contains(first, []byte(word)) {
			t.Errorf("%s is not named", word)
		}
	}
	if len(first) > 600 {
		t.Errorf("%d bytes", len(first))
	}
	stale := "<!-- blue:begin -->\nold words\n<!-- blue:end -->"
	rows := []struct{ name, before, want string }{
		{"absent", "", string(first)},
		{"appended", "# Rules\n", "# Rules\n\n" + string(first)},
		{"no line end", "# Rules", "# Rules\n\n" + strings.TrimSuffix(string(first), "\n")},
		{"blank line there", "# Rules\n\n", "# Rules\n\n\n" + string(first)},
		{"windows", "# Rules\r\n", "# Rules\r\n\r\n" + strings.ReplaceAll(string(first), "\n", "\r\n")},
		{"refreshed", "# A\n" + stale + "\n\n# B", "# A\n" + string(first) + "\n# B"},
		{"current", "# A\n" + string(first), "# A\n" + string(first)},
	}
	for _, row := range rows {
		got, err := f.Edit([]byte(row.before), clients.Entry{})
		if err != nil || string(got) != row.want {
			t.Errorf("%s: %v\n%s", row.name, err, clients.Diff("AGENTS.md", []byte(row.want), got))
		}
		if again, err := f.Edit(got, clients.Entry{}); err != nil || !bytes.Equal(again, got) {
			t.Errorf("%s: a second run differs: %v", row.name, err)
		}
		if back, err := f.Remove(got); !strings.Contains(row.before, "blue:") && (err != nil || string(back) != row.before) {
			t.Errorf("%s: removed: %v %q", row.name, err, back)
		}
	}
	for _, bad := range []string{"<!-- blue:begin -->\n", "x\n<!-- blue:end -->\n", "<!-- blue:end -->\n<!-- blue:begin -->\n", stale + "\n" + stale} {
		if got, err := f.Edit([]byte(bad), clients.Entry{}); !errors.Is(err, errors.Invalid) || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v %q", bad, err, got)
		}
	}
}
