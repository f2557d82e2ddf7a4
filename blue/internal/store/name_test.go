package store_test

import (
	"reflect"
	"strings"
	"testing"

	"blue/blue/internal/store"
	"blue/errors"
)

func TestSafeName(t *testing.T) {
	t.Parallel()
	for name, served := range map[string]bool{
		"x.md": true, "deploy-the-thing-a2b3.md": true, "Meine Notiz (2).md": true, "Größe.md": true,
		"日本語.md": true, "a.b.md": true, "-x.md": true, "con.md": true, strings.Repeat("x", 197) + ".md": true,
		"": false, ".md": false, "x": false, "x.MD": false, "x.md.txt": false, ".x.md": false, "..md": false,
		" x.md": false, "x .md": false, "x..md": false, "x.md ": false, "x.md.": false, "../x.md": false,
		"..": false, ".": false, "a/b.md": false, `a\b.md`: false, "x.md:stream": false, "C:x.md": false,
		"a<b.md": false, "a>b.md": false, `a"b.md`: false, "a|b.md": false, "a?b.md": false, "a*b.md": false,
		"a\x00b.md": false, "a\nb.md": false, "a\u0085b.md": false, "a\u202eb.md": false, "a\u200bb.md": false,
		"a\u2028b.md": false, "a\u2029b.md": false,
		"a\ufeffb.md": false, "a\U000e0041b.md": false, "a\xffb.md": false, strings.Repeat("x", 198) + ".md": false,
	} {
		if problem := store.SafeName(name); (problem == "") != served {
			t.Errorf("%q: problem %q, served should be %v", name, problem, served)
		}
	}
}

// No name that is not one of notes/ or private/ reaches the disk.
func TestNamesOutside(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	write(t, root, "project.yaml", "format: 1")
	write(t, root, "notes/sub/x.md", "x")
	before := tree(t, root)
	h := lock(t, s)
	for _, name := range []string{
		"", "x.md", "/etc/passwd", "notes", "notes/", "project.yaml", "history/x.md", "trash/x.md", "Notes/x.md",
		"notes/../project.yaml", "notes/../x.md", "notes/sub/x.md", "notes/..%2fx", `notes\x.md`, "./notes/x.md", "notes//x.md",
		"notes/.tmp-1.md", "notes/../../x.md",
	} {
		_, _, err := s.Read(name)
		isKind(t, err, errors.Invalid)
		_, err = h.Create(name, nil)
		isKind(t, err, errors.Invalid)
		_, err = h.Replace(name, "", nil)
		isKind(t, err, errors.Invalid)
		_, _, err = h.Remove(name, "")
		isKind(t, err, errors.Invalid)
		_, err = h.Untrash(name)
		isKind(t, err, errors.Invalid)
		_, err = s.Revisions(name)
		isKind(t, err, errors.Invalid)
		_, err = s.ReadPast(name, "0123456789abcdef")
		isKind(t, err, errors.Invalid)
	}
	for _, file := range []string{"", "trash/../project.yaml", "notes/x.md", "trash/x.md", "trash/..-20060102T150405.000000000Z.md"} {
		_, _, err := s.ReadTrashed(file)
		isKind(t, err, errors.NotFound)
	}
	for _, revision := range []string{"", "../../notes/x", "0123456789ABCDEF", "0123456789abcdef"} {
		_, err := s.ReadPast("notes/x.md", revision)
		isKind(t, err, errors.NotFound)
	}
	if after := tree(t, root); after != before {
		t.Fatalf("before\n%s\nafter\n%s", before, after)
	}
}

func TestTwins(t *testing.T) {
	t.Parallel()
	names := []string{"notes/Note.md", "notes/a.md", "notes/note.md", "private/a.md", "notes/\u212a.md", "notes/k.md", "notes/e\u0301.md", "notes/\u00e9.md"}
	want := [][]string{{"notes/Note.md", "notes/note.md"}, {"notes/\u212a.md", "notes/k.md"}}
	if got := store.Twins(names, strings.Clone); !reflect.DeepEqual(got, want) {
		t.Errorf("by case: %q", got)
	}
	composed := func(name string) string { return strings.ReplaceAll(name, "e\u0301", "\u00e9") }
	want = append(want, []string{"notes/e\u0301.md", "notes/\u00e9.md"})
	if got := store.Twins(names, composed); !reflect.DeepEqual(got, want) {
		t.Errorf("by case and form: %q", got)
	}
}

func TestRevisionIsTheStartOfSHA256(t *testing.T) {
	t.Parallel()
	if got := store.Revision([]byte("abc")); got != "ba7816bf8f01cfea" { // FIPS 180-2, appendix B.1
		t.Error(got)
	}
}
