package index_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/blue/internal/index"
)

// note is a document whose title is its id, so that the body decides.
func note(id, body string) index.Document {
	return index.Document{Row: index.Row{Name: "notes/" + id + ".md", ID: id, Title: id, Type: "note"}, Body: body}
}

func titled(id, title, body string) index.Document {
	d := note(id, body)
	d.Title = title
	return d
}

func placedPosting(t testing.TB, x *index.Index, text string) []string {
	t.Helper()
	return ids(mustSearch(t, x, index.Query{Text: text, Limit: 100}).Hits)
}

func TestFound(t *testing.T) {
	tests := []struct{ body, queries string }{
		{"calls getUserName first", "user name|username|getusername|get user|getUserName|get_user_name|GETUSERNAME"},
		{"calls get_user_name first", "user name|username|getusername|get user|getUserName"},
		{"an HTTPServer listens", "server|http|httpserver|HTTPServer"},
		{"run refresh_index now", "index|refresh|refreshindex|refresh-index"},
		{"the go-sdk is old", "sdk|go|gosdk|go-sdk"},
		{"since v1.8.0 it works", "1.8|v1.8.0|1.8.0|v1.8"},
		{"failed with E_BUSY twice", "busy|E_BUSY|ebusy"},
		{"import net/http here", "net/http|http|nethttp"},
		{"see internal/pay/retry.go for it", "retry.go|retry|pay/retry.go|internal/pay|internal/pay/retry.go"},
		{"a sha256 sum of the user's APIs", "sha|256|sha256|user|apis|api"},
		{"ein café, naïve Straße, Øresund, ﬁle, ＡＢＣ", "cafe|CAFÉ|naive|strasse|STRASSE|oresund|file|abc"},
		{"a cafe, naive strasse", "café|naïve|Straße|cafe\u0301"},
		{"索引时 と データベース接続", "索引|引时|索|时|デー|ース|接続|続|データベース|ﾃﾞｰﾀ"},
		{"การเชื่อมต่อ and 데이터베이스를", "เชื่อม|데이터|베이스"},
		{"deploy 🚀 done", "🚀"},
	}
	for _, tt := range tests {
		x := mustOpen(t, note("hit", tt.body), note("miss", "nothing of that kind"))
		for query := range strings.SplitSeq(tt.queries, "|") {
			if got := placedPosting(t, x, query); len(got) == 0 || got[0] != "hit" {
				t.Errorf("%q in %q: got %v", query, tt.body, got)
			}
		}
	}
}

func TestOrder(t *testing.T) {
	young := note("b", "deploy")
	young.Time = time.Unix(9, 0)
	old := note("a", "deploy")
	old.Time = time.Unix(1, 0)
	past := titled("past", "deploy deploy", "deploy deploy deploy")
	past.Superseded = true
	tests := []struct {
		name, query, want string
		docs              []index.Document
	}{
		{"question", "how could the billing worker be told to wait before it retries the webhook", "best other", []index.Document{
			note("other", "the worker is told to wait, how could it be"), note("best", "a webhook retries billing")}},
		{"exact word first", "retries", "exact kin", []index.Document{note("kin", "one retry of it"), note("exact", "two retries of it")}},
		{"near words first", "connection pool", "near far", []index.Document{
			note("far", "pool of one and only connection here"), note("near", "one connection pool and only of here")}},
		{"title first", "quota", "title body", []index.Document{
			note("body", strings.Repeat("many other words stand here ", 40)+"quota"), titled("title", "Quota of builds", "many words")}},
		{"phrase", `"exact phrase"`, "a", []index.Document{note("a", "an exact phrase"), note("b", "phrase exact"), note("c", "exact\n\na phrase")}},
		{"phrase beside a word", `"exact phrase" words`, "a", []index.Document{note("a", "exact phrase"), note("b", "words words")}},
		{"phrase in another case", `"github actions"`, "a", []index.Document{note("a", "GitHub Actions"), note("b", "github has actions")}},
		{"phrase with punctuation", `"pay/retry.go"`, "a", []index.Document{note("a", "see internal/pay/retry.go"), note("b", "pay go retry")}},
		{"phrase without spaces", `"索引时"`, "a", []index.Document{note("a", "在索引时"), note("b", "索引 引时")}},
		{"word excluded", "deploy -staging", "a", []index.Document{note("a", "deploy"), note("b", "deploy to staging")}},
		{"phrase excluded", `deploy -"to staging"`, "a c", []index.Document{note("a", "deploy"), note("b", "deploy to staging"), note("c", "deploy from staging to it")}},
		{"nothing but an exclusion is text", "-staging", "b", []index.Document{note("a", "deploy"), note("b", "staging")}},
		{"superseded last", "deploy", "successor past", []index.Document{past, note("successor", "how we deploy now, among many other words")}},
		{"broken notes", "broken", "marks front", []index.Document{note("front", "---\ntitle: [broken\nno end of it here"), note("empty", ""),
			note("marks", "<<<<<<< ours\nbroken\n=======\nother\n>>>>>>> theirs")}},
		{"long note", "zebra", "small big", []index.Document{note("big", strings.Repeat("filler words ", 80000)+"zebra"), note("small", "a zebra")}},
		{"equal scores, newer first", "deploy", "b a", []index.Document{old, young}},
		{"equal scores and times, by id", "word", "a b", []index.Document{note("b", "word"), note("a", "word")}},
	}
	for _, tt := range tests {
		x := mustOpen(t, append(tt.docs, note("zz-1", "something else"), note("zz-2", "nothing"), note("zz-3", "more"))...)
		if got := strings.Join(placedPosting(t, x, tt.query), " "); got != tt.want {
			t.Errorf("%s: %q: got %q, want %q", tt.name, tt.query, got, tt.want)
		}
	}
}

// Question words and auxiliaries count in no query that has anything else.
func TestStopWords(t *testing.T) {
	x := mustOpen(t, note("a", "when is it to be"), note("b", "deploy on friday"), note("c", "how we deploy"))
	for query, want := range map[string]string{
		"when deploy": "b c", "deploy is": "b c", "how is the deploy": "b c", // as many as hold the rest
		"when is": "a", "when": "a", `"when is" deploy`: "a", "how": "c",
	} {
		got := placedPosting(t, x, query)
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %v, want %s", query, got, want)
		}
	}
}

func TestAnyTextIsAQuery(t *testing.T) {
	x := mustOpen(t, note("a", "go-sdk NEAR tag plain text"), note("b", "other"))
	const marks = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	queries := []string{"", " ", "\x00", "a\x00b", strings.Repeat("é", 500), "\xff\xfe", "NEAR(", "tag:", `"`, `"" -`, `-""`, "--", "AND OR NOT",
		strings.Repeat("panic: runtime error: index out of range [3] -race \"x\"\n", 200), strings.Repeat("x", 1<<20), "\u200d", "’s", "'s", strings.Repeat("(-", 1<<19), strings.Repeat(`("`, 1<<19)}
	for _, a := range marks {
		queries = append(queries, string(a), string(a)+"sdk")
		for _, b := range marks {
			queries = append(queries, string(a)+string(b))
		}
	}
	for _, query := range queries {
		for _, prefix := range []bool{false, true} {
			if _, err := x.Search(t.Context(), index.Query{Text: query, Prefix: prefix, Explain: true, Limit: 5}); err != nil {
				t.Errorf("%.40q: %v", query, err)
			}
		}
	}
	for _, query := range []string{"NEAR(", "tag:", `"tag`, "sdk)", "go-sdk"} {
		if got := placedPosting(t, x, query); !slices.Equal(got, []string{"a"}) {
			t.Errorf("%q: got %v", query, got)
		}
	}
}

func TestLongQuery(t *testing.T) {
	var query strings.Builder
	for i := range 100 {
		fmt.Fprintf(&query, "common%c%c ", 'a'+i/26, 'a'+i%26)
	}
	x := mustOpen(t, note("rare", "zebra"), note("common", query.String()), note("more", query.String()))
	r := mustSearch(t, x, index.Query{Text: query.String() + "zebra"})
	if r.Ignored != 37 {
		t.Errorf("101 words: ignored %d, want 37", r.Ignored)
	}
	if !slices.Contains(ids(r.Hits), "rare") {
		t.Errorf("the rarest word was left out: %v", ids(r.Hits))
	}
}

func TestRepair(t *testing.T) {
	x := mustOpen(t, note("hit", "the webhook waits"), note("two", "retries retried"), note("cat", "cats"), note("miss", "other words"))
	tests := []struct {
		query, first, unmatched string
		repaired                []index.Repair
	}{
		{"webook", "hit", "", []index.Repair{{Word: "webook", StandIns: []string{"webhook"}}}},
		{"wbehook", "hit", "", []index.Repair{{Word: "wbehook", StandIns: []string{"webhook"}}}},
		{"webhoook", "hit", "", []index.Repair{{Word: "webhoook", StandIns: []string{"webhook"}}}},
		{"xebhook", "hit", "", []index.Repair{{Word: "xebhook", StandIns: []string{"webhook"}}}},
		{"Webhooc", "hit", "", []index.Repair{{Word: "Webhooc", StandIns: []string{"webhook"}}}},
		{"waits zyxw qqqqqqq", "hit", "zyxw qqqqqqq", nil},
		{"webhooks", "hit", "", nil}, // a stem is known
		{"cots", "", "cots", nil},    // too short to repair
	}
	for _, tt := range tests {
		r := mustSearch(t, x, index.Query{Text: tt.query})
		first := append(ids(r.Hits), "")[0]
		if first != tt.first || strings.Join(r.Unmatched, " ") != tt.unmatched || !reflect.DeepEqual(r.Repaired, tt.repaired) {
			t.Errorf("%q: got %q, unmatched %v, repaired %v", tt.query, first, r.Unmatched, r.Repaired)
		}
		if r.Searched != 4 {
			t.Errorf("%q: searched %d of 4", tt.query, r.Searched)
		}
	}
	if r := mustSearch(t, x, index.Query{Text: "webook retries"}); len(r.Repaired) != 1 || len(r.Hits) != 2 {
		t.Errorf("a known word was repaired, or a note not found: %v, %v", r.Repaired, ids(r.Hits))
	}
}

func TestPages(t *testing.T) {
	c := newCorpus(9)
	x := mustOpen(t, c.notes(1500)...)
	query := c.words[0] + " " + c.words[1]
	all := mustSearch(t, x, index.Query{Text: query, Limit: 10000})
	if len(all.Hits) < 1000 || all.Total != len(all.Hits) {
		t.Fatalf("%d hits, total %d", len(all.Hits), all.Total)
	}
	var paged []string
	for offset := 0; offset <= all.Total; offset += 10 {
		paged = append(paged, ids(mustSearch(t, x, index.Query{Text: query, Offset: offset, Limit: 10}).Hits)...)
	}
	if !slices.Equal(paged, ids(all.Hits)) {
		t.Error("pages have gaps or doubles")
	}
	if r := mustSearch(t, x, index.Query{Text: query, Offset: -5, Limit: -1}); len(r.Hits) != 0 || r.Total != all.Total {
		t.Errorf("odd page: %d hits, total %d", len(r.Hits), r.Total)
	}
}

// What has been replaced outside of the index counts for less, on each page.
func TestLowered(t *testing.T) {
	x := mustOpen(t, note("a", "walrus herring"), note("b", "walrus herring"), note("c", "walrus herring"), note("d", "a walrus, and much that nobody had asked for"))
	lowered := func(name string, _ int64) float64 {
		if name == "notes/a.md" {
			return 0.7
		}
		return 1
	}
	for _, limit := range []int{1, 2, 4} {
		var got []string
		for from := 0; from < 4; from += limit {
			got = append(got, ids(mustSearch(t, x, index.Query{Text: "walrus herring", Offset: from, Limit: limit, Factor: lowered}).Hits)...)
		}
		if want := "b c a d"; strings.Join(got, " ") != want {
			t.Errorf("limit %d: %q, want %s", limit, got, want)
		}
	}
}
