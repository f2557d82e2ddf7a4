package note

import (
	"fmt"
	"strings"
	"testing"
)

// FuzzLinks: each link is one once, where it says, and not in code.
func FuzzLinks(f *testing.F) {
	for _, text := range []string{
		"[[a]] [[[b]] [[c|d]] [[e#f|g]] [[]] [[|x]] [[ ]] [[a\nb]] [[a[b]] [[a]b]] [[a]]]",
		"](a.md) ](<./b.md>) ](../notes/c.md#d/e:f) ](../private/d.md) ](e.md.md#x.md) ](./../notes/f.md) ](.md) ](g.md>) ](<h.md) ](a/b.md) ](x:y.md) ](a#b.md)",
		"](<../notes/a.md>) ](./<a.md) ](](b.md)) ](a.md#.md", "`a` ``b ` c`` ``` d ``` ``e `f` ````", "`[[a]` [[b]]`",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain := BlankCode(text)
		if len(plain) != len(text) || strings.Count(plain, "\n") != strings.Count(text, "\n") {
			t.Fatalf("%q without code is %q", text, plain)
		}
		seen := map[string]bool{}
		for _, l := range FindLinks(text) {
			if l.ID == "" || seen[l.ID] || plain[l.At-1] == ' ' && text[l.At-1] != ' ' {
				t.Errorf("%q links to %q at %d", text, l.ID, l.At)
			}
			seen[l.ID] = true
		}
	})
}

// Text in brackets that is shown for a link elsewhere is no link to a note.
func TestLinkText(t *testing.T) {
	text := "See [[1]](https://example.com/a) and [[2]]."
	if found := FindLinks(text); len(found) != 1 || found[0].ID != "2" {
		t.Error(found)
	}
}

func BenchmarkLinks(b *testing.B) {
	for _, part := range []string{"[", "[[", "[[a", "[x](", "](", "](a.md", "](a.md)", ".md", "`", "`` ", "```\n", "~~~", "[[a]] ", "x", "[[" + strings.Repeat("a", 198), "](" + strings.Repeat(".md", 60)} {
		for _, size := range []int{16 << 10, 256 << 10} {
			body := strings.Repeat(part, size/len(part)) + " [[ .md"
			b.Run(fmt.Sprintf("%.6q/%d", part, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					FindLinks(body)
				}
			})
		}
	}
}
