package errors_test

import (
	"slices"
	"strings"
	"testing"

	"blue/errors"
)

func TestNear(t *testing.T) {
	known := []string{"where", "use", "write", "read", "search", "list"}
	for word, want := range map[string][]string{
		"search": {"search"}, "SEARCH": {"search"}, "serach": {"search"}, "searches": {"search"}, "wrte": {"write"},
		"readlist": {"read", "list"}, "teleport": nil, "sue": {"use"}, "ab": nil, "": nil, strings.Repeat("list", 100): nil,
	} {
		if got := errors.Near(word, known...); !slices.Equal(got, want) {
			t.Errorf("near %.20q: %q, want %q", word, got, want)
		}
	}
	for _, word := range []string{"serch", "seearch", "saerch", "Search_", "zearch", "searhc"} {
		if !errors.Misspelled(word, "search") {
			t.Errorf("%q is not misspelled", word)
		}
	}
	for _, word := range []string{"search", "SEARCH", "sreahc", "sea", "", "hcraes"} {
		if errors.Misspelled(word, "search") {
			t.Errorf("%q is misspelled", word)
		}
	}
}
