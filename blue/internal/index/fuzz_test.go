package index

import (
	"bytes"
	"context"
	"runtime"
	"slices"
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
		next := scan(text, 0, func(token token) {
			if token.text == "" || len(token.text) > termLimit || !utf8.ValidString(token.text) {
				t.Errorf("term %q", token.text)
			}
			if token.start < 0 || token.start >= token.end || token.end > len(text) {
				t.Errorf("%q at %d to %d of %d bytes", token.text, token.start, token.end, len(text))
			}
			if token.form <= piece && token.pos < pos || token.pos < 0 {
				t.Errorf("%q at position %d after %d", token.text, token.pos, pos)
			}
			pos = max(pos, token.pos)
			if again := fold(token.text); token.form == whole && again != token.text && len(token.text) < termLimit-8 {
				t.Errorf("folded twice %q is %q", token.text, again)
			}
		})
		if next < pos {
			t.Errorf("next free position %d, last one %d", next, pos)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	x, err := Open("")
	if err != nil {
		f.Fatal(err)
	}
	for i, text := range texts {
		name := string(rune('a' + i))
		if err := x.Put(Document{Row: Row{Name: name, ID: name, Title: text}, Body: text}); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := x.Search(context.Background(), Query{Text: text, Prefix: true, Explain: true, Limit: 5, Body: func(Row) (string, string) { return text, "" }})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range r.Hits {
			if !utf8.ValidString(h.Snippet) && utf8.ValidString(text) {
				t.Errorf("snippet %q", h.Snippet)
			}
			for _, m := range h.Marks {
				if m[0] < 0 || m[0] >= m[1] || m[1] > len(h.Snippet) {
					t.Errorf("mark %v of %q", m, h.Snippet)
				}
			}
		}
		_ = x.Similar(text, text, 3)
	})
}

// FuzzSegment reads bytes as a segment in every way there is. What is nonsense is
// found out, by an error or a panic that a file's reader takes for one; nothing
// else may happen, and nothing large may come of little.
func FuzzSegment(f *testing.F) {
	var docs []Document
	for i, text := range texts {
		name := string(rune('a' + i))
		docs = append(docs, Document{Row: Row{Name: "notes/" + name + ".md", ID: name, Title: text, Tags: []string{"x"}}, Body: strings.Repeat(text+" ", 1+40*(i%2)), Keys: []string{name}})
	}
	s, err := (&builder{}).build(docs)
	if err != nil {
		f.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := mergeTo(&out, []*part{newPart(s)}, identity{3, 4}, []uint32{1, 2}); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes(), uint32(0), byte(0))
	f.Add(out.Bytes(), uint32(200), byte(0xff))
	f.Add(out.Bytes(), uint32(out.Len()-60), byte(0x80))
	f.Add([]byte(magic), uint32(0), byte(1))
	f.Fuzz(func(t *testing.T, data []byte, at uint32, to byte) {
		if len(data) > 0 {
			data = bytes.Clone(data)
			data[int(at)%len(data)] ^= to
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = guarded(func() error { return readAll(data) })
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%d bytes of input took %d MiB", len(data), used>>20)
		}
	})
}

func readAll(data []byte) error {
	s, err := segmentOf(data)
	if err != nil {
		return err
	}
	if data[len(data)-1]%2 == 0 {
		s.mark()
	}
	x, err := Open("")
	if err != nil {
		return err
	}
	v := &view{parts: []*part{newPart(s)}}
	v.count()
	x.now.Store(v)
	x.List(Filter{Tags: []string{"x"}}, true, 0, 10)
	x.Row("notes/a.md")
	x.WithPrefix("a", 3)
	x.Keyed("a")
	x.Similar("user name", texts[0], 3)
	for _, text := range texts {
		if _, err := x.Search(context.Background(), Query{Text: text, Prefix: true, Explain: true, Limit: 5}); err != nil {
			return err
		}
	}
	_, err = merge(v.parts)
	return err
}

// What a text is passed over for must hold none of the terms.
func TestStartsMissNothing(t *testing.T) {
	for _, text := range append(texts, "e-mail d'or O'Neil k8s x7f2 APIs sha256sum 3D v1.8 getHTTPServer2Go a.b.c x_Y go-v1.8") {
		scan(text, 0, func(token token) {
			around := text[token.start:token.end]
			for _, key := range []string{wordTerm + token.text, stemTerm + token.text, stemTerm + stemOf(token.text)} {
				if from, to := startsOf([]weighed{{key: key}}).next(around); from == to && len(key) > 1 {
					t.Errorf("%q is not seen in %q", key, around)
				}
			}
			if strings.ContainsAny(around, " \t\r\n") {
				t.Errorf("%q crosses a space: %q", token.text, around)
			}
		})
	}
}

// The words that the query asks for are found as if all of the text were scanned.
func TestFinderAsTheScanner(t *testing.T) {
	for _, text := range append(texts, `don't Errorf("error: retry(User) a'b 'user' user' "go's" HTTP user,name user--name user...name it's.`) {
		for _, key := range strings.Fields("user error retry name index go errorf don http it note") {
			q := &plan{stems: &stemmer{}, terms: []weighed{{key: wordTerm + key, text: 2}, {key: stemTerm + stemOf(key), text: 1}}}
			f := q.finder()
			f.find(text)
			want := q.finder()
			want.scanner = scanner{yield: func(t token) {
				if t.form != couple {
					want.take(t)
				}
			}}
			want.scanner.scan(text)
			if !slices.Equal(f.found, want.found) {
				t.Errorf("%q in %.80q: %v, want %v", key, text, f.found, want.found)
			}
		}
	}
}
