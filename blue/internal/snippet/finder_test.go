package snippet

import (
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/words"
)

// The words that the query asks for are found as if all of the text were scanned.
func TestFinderAsTheScanner(t *testing.T) {
	for _, text := range []string{
		"getUserName get_user_name HTTPServer refresh-index v1.8.0 E_BUSY net/http internal/pay/retry.go", `"a phrase" -word "lone`, "索引时 データベース接続 ﾃﾞｰﾀ",
		"café naïve Straße don't user’s", "การเชื่อมต่อ 데이터베이스", "a\u200bb c\u00add e\u0301 🚀👩‍💻", "\x00\xff- -\"\" \"-\" ''",
		`don't Errorf("error: retry(User) a'b 'user' user' "go's" HTTP user,name user--name user...name it's.`,
	} {
		for _, key := range strings.Fields("user error retry name index go errorf don http it note") {
			terms := []Term{{key, false, 2}, {words.Stem(key), true, 1}}
			f := NewFinder(terms, &words.Stemmer{})
			f.findMatches(text)
			want := NewFinder(terms, &words.Stemmer{})
			words.Scan(text, 0, func(t words.Word) {
				if t.Form != words.Shingle {
					want.keepMatch(t)
				}
			})
			if !slices.Equal(f.found, want.found) {
				t.Errorf("%q in %.80q: %v, want %v", key, text, f.found, want.found)
			}
		}
	}
}

// An identifier that a query names is shown, rather than its words elsewhere.
func TestFinderShowsIdentifiers(t *testing.T) {
	body := "A heron password is set by a command of the shell. The password of another command is kept.\n\n" +
		strings.Repeat("Nothing of interest stands here. ", 10) + "\n\nIt may come from HERON_PASSWORD_COMMAND too.\n"
	f := NewFinder([]Term{{"heron", false, 1}, {"password", false, 1}, {"command", false, 1}, {"heronpasswordcommand", false, 3}}, &words.Stemmer{})
	if text, marks := f.Choose(body, 60); !strings.Contains(text, "HERON_PASSWORD_COMMAND") || len(marks) == 0 {
		t.Errorf("%q, %v", text, marks)
	}
}
