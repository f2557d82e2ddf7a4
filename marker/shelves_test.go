package marker

import (
	"strings"
	"testing"
)

// What the key sources may say, and the warning that names the line otherwise.
func TestShelves(t *testing.T) {
	for value, want := range map[string]struct {
		shown, globs, fault string
	}{
		"":                                  {"documents, commits", "", ""},
		"documents, commits":                {"documents, commits", "", ""},
		"commits,documents # both":          {"documents, commits", "", ""},
		"none":                              {"none", "", ""},
		`"commits"`:                         {"commits", "", ""},
		"documents(docs/**/*.md README.md)": {"documents", "docs/**/*.md README.md", ""},
		"commits, documents(a/*.md, b.md)":  {"documents, commits", "a/*.md b.md", ""},
		"wiki":                              {"documents, commits", "", `unknown source "wiki"`},
		"documents, none":                   {"documents, commits", "", "none stands beside other sources"},
		"documents(docs/[*.md)":             {"documents, commits", "", `bad glob "docs/[*.md"`},
		"documents(../*.md)":                {"documents, commits", "", `bad glob "../*.md"`},
		"documents(/etc/*.md)":              {"documents, commits", "", `bad glob "/etc/*.md"`},
		"documents()":                       {"documents, commits", "", "documents has 0 globs, give 1 to 100"},
		"documents(a.md":                    {"documents, commits", "", "the globs of documents lack a closing parenthesis"},
		"commits(a.md)":                     {"documents, commits", "", `"commits" takes nothing in parentheses`},
		"[documents]":                       {"documents", "", ""},
		"documents,":                        {"documents, commits", "", `unknown source ""`},
	} {
		s, problem := parseSettings("format: 1\nid: shop\nsources: " + value + "\n")
		if problem != "" || s.ID != "shop" {
			t.Errorf("%q: the file counts as empty: %s", value, problem)
		}
		if got := s.Shelves.String(); got != want.shown || strings.Join(s.Shelves.Globs, " ") != want.globs {
			t.Errorf("%q: %s with globs %q, want %s with %s", value, got, s.Shelves.Globs, want.shown, want.globs)
		}
		warning := ""
		if want.fault != "" {
			warning = want.fault + "; sources counts as documents, commits"
		}
		if s.warning != warning {
			t.Errorf("%q: warning %q, want %q", value, s.warning, warning)
		}
	}
}
