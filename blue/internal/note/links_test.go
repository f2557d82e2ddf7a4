package note

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The patterns say what a link is; the product scans by hand, which takes a third of
// their time or less.
var (
	wikiPattern     = regexp.MustCompile(`\[\[([^\[\]|#\n]+)(?:[|#][^\[\]\n]*)?\]\]`)
	markdownPattern = regexp.MustCompile(`\]\(<?(?:\./|\.\./notes/|\.\./private/)?([^()<>\s/:]+)\.md(?:#[^()<>\s]*)?>?\)`)
	codePattern     = regexp.MustCompile("``[^\n]*?``|`[^`\n]*`")
)

func FuzzLinks(f *testing.F) {
	for _, text := range []string{
		"[[a]] [[[b]] [[c|d]] [[e#f|g]] [[]] [[|x]] [[ ]] [[a\nb]] [[a[b]] [[a]b]] [[a]]]",
		"](a.md) ](<./b.md>) ](../notes/c.md#d/e:f) ](../private/d.md) ](e.md.md#x.md) ](./../notes/f.md) ](.md) ](g.md>) ](<h.md) ](a/b.md) ](x:y.md) ](a#b.md)",
		"](<../notes/a.md>) ](./<a.md) ](](b.md)) ](a.md#.md", "`a` ``b ` c`` ``` d ``` ``e `f` ````", "`[[a]` [[b]]`",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > linkLimit {
			return
		}
		for _, kind := range []struct {
			pattern *regexp.Regexp
			found   []Link
		}{{wikiPattern, findWikiLinks(text)}, {markdownPattern, findMarkdownLinks(text)}} {
			var got, want []int
			for _, l := range kind.found {
				if l.ID != "" || kind.pattern == markdownPattern || text[l.At] != '|' && text[l.At] != '#' && text[l.At] != ']' {
					got = append(got, l.At)
				}
			}
			for _, m := range kind.pattern.FindAllStringSubmatchIndex(text, -1) {
				want = append(want, m[2])
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q: links at %v, want %v", text, got, want)
			}
		}
		if line, _, _ := strings.Cut(text, "\n"); blankSpans(line) != codePattern.ReplaceAllStringFunc(line, blankText) {
			t.Errorf("%q without code is %q", line, blankSpans(line))
		}
	})
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
