package words

import (
	"strings"
	"testing"
	"unicode/utf8"
)

var texts = []string{
	"getUserName get_user_name HTTPServer refresh-index v1.8.0 E_BUSY net/http internal/pay/retry.go", `"a phrase" -word "lone`, "索引时 データベース接続 ﾃﾞｰﾀ",
	"café naïve Straße don't user’s", "การเชื่อมต่อ 데이터베이스", "a\u200bb c\u00add e\u0301 🚀👩‍💻", "\x00\xff- -\"\" \"-\" ''", "עברית العربية हिन्दी 1,000.5 ½ m²",
	"ᏣᎳᎩ ꮳꮃꭹ ᏸᏰ",
}

func FuzzScan(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pos := 0
		next := Scan(text, 0, func(token Word) {
			if token.Text == "" || len(token.Text) > TermLimit || !utf8.ValidString(token.Text) {
				t.Errorf("term %q", token.Text)
			}
			if token.Start < 0 || token.Start >= token.End || token.End > len(text) {
				t.Errorf("%q at %d to %d of %d bytes", token.Text, token.Start, token.End, len(text))
			}
			if token.Form <= Piece && token.Position < pos || token.Position < 0 {
				t.Errorf("%q at position %d after %d", token.Text, token.Position, pos)
			}
			pos = max(pos, token.Position)
			if again := Fold(token.Text); token.Form == Whole && again != token.Text && len(token.Text) < TermLimit-8 {
				t.Errorf("folded twice %q is %q", token.Text, again)
			}
		})
		if next < pos {
			t.Errorf("next free position %d, last one %d", next, pos)
		}
	})
}

// What a text is passed over for must hold none of the terms.
func TestBeginningsMissNothing(t *testing.T) {
	for _, text := range append(texts, "e-mail d'or O'Neil k8s x7f2 APIs sha256sum 3D v1.8 getHTTPServer2Go a.b.c x_Y go-v1.8") {
		Scan(text, 0, func(token Word) {
			around := text[token.Start:token.End]
			seen := func(words, stems []string) {
				if from, to := NewBeginnings(words, stems).Next(around); from == to {
					t.Errorf("%q, %q: not seen in %q", words, stems, around)
				}
			}
			seen([]string{token.Text}, nil)
			seen(nil, []string{token.Text})
			if stem := Stem(token.Text); stem != "" {
				seen(nil, []string{stem})
			}
			if strings.ContainsAny(around, " \t\r\n") {
				t.Errorf("%q crosses a space: %q", token.Text, around)
			}
		})
	}
}
