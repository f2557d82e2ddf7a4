package corpus

import (
	"slices"
	"strings"
	"testing"
)

func TestSections(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a.md", "# One\ntext\n## Two words!\n```\n# code\n```\n### Three\nx\n## Two words\n", "1 one|2 two-words|3 three|2 two-words-1"},
		{"a.md", "---\ntitle: x\n---\nOne\n===\ntext\n\nTwo\n---\n- item\n---\n", "1 one|2 two"},
		{"a.markdown", "#no heading\n####### nor this\n# Ünïcode 日本\n#\n", "1 ünïcode-日本"},
		{"a.adoc", "= Title\n\n== Part\n----\n== code\n----\n=== Deep\n", "1 title|2 part|3 deep"},
		{"a.rst", "=====\nTitle\n=====\n\nPart\n----\n\nDeep\n~~~~\n\nPart\n----\n", "1 title|2 part|3 deep|2 part-1"},
		{"a.txt", "# One\nTwo\n===\n", ""},
		{"a.md", "# One\n<!-- two\n# Three\n-->\n# Four <!-- x -->\n```\n<!--\n```\n# Five\n<!-- # six", "1 one|1 four----x---|1 five"},
		{"a.md", "# !\n# !\n# section\n", "1 section|1 section-1|1 section-2"},
	} {
		var got []string
		for _, s := range sectionsOf(tt.name, tt.text) {
			got = append(got, string(rune('0'+s.Level))+" "+s.Anchor)
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%s %q: %q, want %s", tt.name, tt.text, got, tt.want)
		}
	}
}

func TestFindSection(t *testing.T) {
	text := "# T\nintro\n## A b\none\n### Deep\ntwo\n## C\nthree\n"
	for want, part := range map[string]string{"a-b": "## A b\none\n### Deep\ntwo\n", "A b": "## A b\none\n### Deep\ntwo\n", "#deep": "### Deep\ntwo\n", "c": "## C\nthree\n", "t": text} {
		if got, _, ok := findSection("x.md", text, want); !ok || got != part {
			t.Errorf("%q: %q", want, got)
		}
	}
	if _, headings, ok := findSection("x.md", text, "none"); ok || !slices.Equal(headings, []string{"T", "A b", "Deep", "C"}) {
		t.Errorf("%q", headings)
	}
}

func TestPieces(t *testing.T) {
	long := strings.Repeat("Words about it. ", 80)
	text := "---\ntitle: \"Queues\"\n---\n# Queues\n" + long + "\n## Empty\n## Consequences\n" + long + "\n## Consequences\nAgain.\n"
	var got []string
	for _, p := range cutPieces("docs/a.md", text) {
		got = append(got, p.Title+"#"+p.Anchor)
	}
	if want := []string{"Queues#", "Queues: Consequences#consequences", "Queues: Consequences#consequences-1"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	log := "# Changelog\n\n## [Unreleased]\n\n### Added\n\n" + long + "\n## [0.28.0] - 2026-01-02\n\nIn short.\n\n### Added\n\n" + long + "\n#### Deep\n\nx\n\n## 0.27 (old)\n\n### Fixed\n\n- y\n"
	got = nil
	for _, p := range cutPieces("CHANGELOG.md", log) {
		got = append(got, strings.TrimPrefix(p.Title, "Changelog: "))
	}
	if want := []string{"Changelog", "Unreleased, Added", "[0.28.0] - 2026-01-02", "0.28.0, Added", "0.28.0, Deep", "0.27, Fixed"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if all := cutPieces("docs/a.md", "# Short\n\ntext\n## B\n"); len(all) != 1 || all[0].Title != "Short" || all[0].Anchor != "" {
		t.Errorf("%+v", all)
	}
	if all := cutPieces("docs/plan.txt", ""); len(all) != 1 || all[0].Title != "plan.txt" {
		t.Errorf("%+v", all)
	}
}

// FuzzSections: headings lie in the text in their order, and their anchors differ.
func FuzzSections(f *testing.F) {
	f.Add("a.md", "---\n---\n# A\n\nB\n---\n```\n# c\n")
	f.Add("a.rst", "A\n=\n===\nB\n===\n")
	f.Add("a.adoc", "= A\n----\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		at, anchors := 0, map[string]bool{}
		for _, s := range sectionsOf(name, text) {
			if s.At < at || s.Below < s.At || s.End < s.Below || s.End > len(text) || anchors[s.Anchor] || s.Level < 1 || s.Title == "" {
				t.Fatalf("%+v after %d", s, at)
			}
			at, anchors[s.Anchor] = s.Below, true
			if part, _, ok := findSection(name, text, s.Anchor); !ok || len(part) < s.Below-s.At {
				t.Fatalf("%+v: %q", s, part)
			}
		}
		for _, p := range cutPieces(name, text) {
			if len(p.Body) > len(text) {
				t.Fatalf("%+v", p)
			}
		}
	})
}
