package cli

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// laid is a text as a terminal of that width shows it.
func laid(body string, room int, color bool) string {
	p := &pen{color: color}
	p.lines(layOutNote("The title", body, room, color))
	return p.String()
}

func TestLayout(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ body, want string }{
		"paragraph": {"one two three four five six\nseven *eight* **nine** `ten` ~~no~~", "one two three four\nfive six seven\n*eight* **nine**\n`ten` ~~no~~\n"},
		"title":     {"# The title\n\nText.\n\n# Another", "Text.\n\n# Another\n"},
		"headings":  {"## Two\nText.\n### A long heading that goes on", "## Two\n\nText.\n\n### A long heading\nthat goes on\n"},
		"break":     {"one  \ntwo\\\nthree", "one\ntwo\nthree\n"},
		"lists":     {"- a\n- b that is long enough\n  - c\n    d\n- [x] e", "• a\n• b that is long\n  enough\n  • c d\n• [x] e\n"},
		"loose":     {"9. a\n\n   b\n\n10. c", "9. a\n\n   b\n\n10. c\n"},
		"empty":     {"-\n- a", "• a\n"},
		"code":      {"```go\nif x {\n\ty() // longer than the line is\n}\n\nz\n```", "    if x {\n        y() // longer than the line is\n    }\n\n    z\n"},
		"indented":  {"    a\n      b", "    a\n      b\n"},
		"quote":     {"> one two three four five\n> - six\n>\n> seven", "│ one two three four\n│ five\n│\n│ • six\n│\n│ seven\n"},
		"links":     {"[a](b.md) <http://c.d> [e][f] [http://g](http://g)\n\n[f]: h 'i'", "a (b.md) http://c.d\ne (h) http://g\n(http://g)\n\n    [f]: h 'i'\n"},
		"address":   {"see http://example.com/that/is/too/long here", "see\nhttp://example.com/that/is/too/long\nhere\n"},
		"long word": {"abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrst\nuvwxyz\n"},
		"picture":   {"![alt](a.png)", "picture: alt (a.png)\n"},
		"html":      {"<div>\n<b>x</b>\n</div>\n\ny<br>z", "    <div>\n    <b>x</b>\n    </div>\n\ny<br>z\n"},
		"wiki link": {"see [[a-note-x1y2]]", "see [[a-note-x1y2]]\n"},
		"escapes":   {`\*a\* &amp;&lt;&#66; \\ ` + "`&amp;\\*`", "*a* &<B \\ `&amp;\\*`\n"},
		"rule":      {"a\n\n---\n\nb", "a\n\n────────────────────\n\nb\n"},
		"table":     {"|a|b|c|\n|:-|-:|:-:|\n|1|22|3|\n|long|4|five5|", "a    │ b  │ c\n─────────────────\n1    │ 22 │ 3\nlong │ 4  │ five5\n"},
		"tall":      {"|a|b|\n|-|-|\n|1|two words and more|\n|2|x", "a │ b\n────────────────────\n1 │ two words and\nmore\n────────────────────\n2 │ x\n"},
		"too wide":  {"|a|b|c|d|\n|-|-|-|-|\n|1|2|3|four four four four four|", "a │ b │ c │ d\n────────────────────\n1 │ 2 │ 3 │ four\nfour four four four\n"},
		"wide":      {"日本語の文章は、空白なしで折り返す。\n次の行。", "日本語の文章は、空白\nなしで折り返す。 次\nの行。\n"},
		"hangul":    {"한국어 문장은\n띄어 씁니다", "한국어 문장은 띄어\n씁니다\n"},
		"clinging":  {"あいうえおかきくけこ。さ", "あいうえおかきくけ\nこ。さ\n"},
		"marks":     {"cafe\u0301 " + strings.Repeat("e\u0301", 20), "cafe\u0301\n" + strings.Repeat("e\u0301", 20) + "\n"},
		"hidden":    {"a\u202eb &#27;[31m &#x202e; \u2028 \x07", "a\\u{202E}b\n\\u{1B}[31m \\u{202E}\n\\u{2028} \\u{7}\n"},
		"involved":  {strings.Repeat(">", 200) + "\nx", strings.Repeat(strings.Repeat(">", 20)+"\n", 10) + "x\n"},
		"deep":      {strings.Repeat("> ", 14) + "x", strings.Repeat("│ ", 14) + "x\n"},
	} {
		if got := laid(row.body, 20, false); got != row.want {
			t.Errorf("%s:\n%s--- instead of\n%s", name, got, row.want)
		}
	}
}

// TestLayoutInColor: on a coloured terminal looks stand for the marks of emphasis and code.
func TestLayoutInColor(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"# A\n\n### B":          "\x1b[0;1;38;5;32m# A\x1b[0m\n\n\x1b[0;1;38;5;32m### B\x1b[0m\n",
		"*a* **b** ~~c~~ `d`":   "\x1b[0;3ma\x1b[0m \x1b[0;1mb\x1b[0m ~~c~~ \x1b[0;38;5;133md\x1b[0m\n",
		"[a](b)":                "\x1b[0;4ma\x1b[0;2m (b)\x1b[0m\n",
		"- a":                   "\x1b[0;2m• \x1b[0ma\n",
		"**a *b***":             "\x1b[0;1ma \x1b[0;1;3mb\x1b[0m\n",
		"> **over two\n> lines": "\x1b[0;2m│ \x1b[0m**over two lines\n",
	} {
		if got := laid(body, 40, true); got != want {
			t.Errorf("%s:\n%q instead of\n%q", body, got, want)
		}
	}
}

var (
	ours   = regexp.MustCompile(`\x1b\[0(;[0-9;]+)?m`)
	places = []string{"%s", "# %s\n\n## %s", "`%s`", "``` %s\n%s\n```", "    %s", "> - %s", "[%s](%s \"%s\")", "<%s>", "<div %s>", "|%s|b|\n|-|-|\n|%s|%s|", "**%s** ~~%s~~", "![%s](%s)", "[%s]: %s '%s'", "<!-- %s -->", "http://a.b/%s", "\\%s", "&%s;", "[a][%s]"}
)

// obeyed is what a terminal would do something about, once our own looks are out.
func obeyed(text string) int {
	return strings.IndexFunc(ours.ReplaceAllString(text, ""), func(r rune) bool {
		return r != '\n' && unicode.IsControl(r) || 0x2028 <= r && r <= 0x202e || 0x2066 <= r && r <= 0x206f || 0xe0000 <= r && r <= 0xe007f
	})
}

// TestNothingIsObeyed: no character of a note does anything to a terminal, wherever
// it stands and however it is written.
func TestNothingIsObeyed(t *testing.T) {
	t.Parallel()
	var bad []string
	for _, r := range []rune{0, 7, 8, 9, 0xd, 0x1b, 0x7f, 0x85, 0x9b, 0x200b, 0x2028, 0x2029, 0x202e, 0x2066, 0xfeff, 0xe0041} {
		bad = append(bad, "x"+string(r)+"[31mx", fmt.Sprintf("x&#%d;[31mx", r), fmt.Sprintf("x&#x%x;]0;x", r), fmt.Sprintf("%%%x", r))
	}
	bad = append(bad, "\xff\xfe", "\x1b]8;;http://x\x1b\\y", "&Tab;&NewLine;&zwj;")
	for _, place := range places {
		for _, text := range bad {
			body := strings.ReplaceAll(place, "%s", text)
			for _, color := range []bool{true, false} {
				got := laid(body, 30, color)
				if at := obeyed(got); at >= 0 || !color && strings.Contains(got, "\x1b") {
					t.Errorf("%q becomes %q", body, got)
				}
			}
		}
	}
}

// FuzzLayout: no text breaks the layout, and none gets through it raw.
func FuzzLayout(f *testing.F) {
	for _, place := range places {
		f.Add(strings.ReplaceAll(place, "%s", "x\x1b[31m &#27; 日本 y"), 40)
	}
	f.Fuzz(func(t *testing.T, body string, room int) {
		room = min(max(room, 1), 300)
		if got := laid(body, room, true); obeyed(got) >= 0 {
			t.Errorf("%q becomes %q", body, got)
		}
	})
}

// No age is cut where there is room for it.
func TestAges(t *testing.T) {
	t.Parallel()
	p := newPen(100, false)
	p.Table([][]string{{"ID", "TITLE", "TYPE", "AGE", "STATE", "TAGS"}, {"one-aaaa", "One", "note", "34 minutes", "", ""}})
	if text := p.String(); !strings.Contains(text, "34 minutes") {
		t.Error(text)
	}
}
