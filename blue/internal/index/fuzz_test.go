package index

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

var texts = []string{
	"getUserName get_user_name HTTPServer refresh-index v1.8.0 E_BUSY net/http internal/pay/retry.go", `"a phrase" -word "lone`, "索引时 データベース接続 ﾃﾞｰﾀ",
	"café naïve Straße don't user’s", "การเชื่อมต่อ 데이터베이스", "a\u200bb c\u00add e\u0301 🚀👩‍💻", "\x00\xff- -\"\" \"-\" ''", "עברית العربية हिन्दी 1,000.5 ½ m²",
	"ᏣᎳᎩ ꮳꮃꭹ ᏸᏰ",
}

func FuzzParse(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Add("Ua " + strings.Repeat("\x87", 2590) + "pjr\xc4se\" -worrd\x8borIrI \"\xc4\xc0\xc4\xc4e") // no border of a character for a long way
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
	l := newLiveSegment(s)
	base := &liveSegment{file: &file{sum: 3}, dead: []uint32{1, 2}}
	if err := mergeTo(&out, []*liveSegment{l}, base); err != nil {
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
		_ = catchFaults(func() error { return readAll(data) })
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%d bytes of input took %d MiB", len(data), used>>20)
		}
	})
}

func readAll(data []byte) error {
	s, err := parseSegment(data)
	if err != nil {
		return err
	}
	if data[len(data)-1]%2 == 0 {
		s.markTerms()
	}
	x, err := Open("")
	if err != nil {
		return err
	}
	l := newLiveSegment(s)
	l.goneFromBase()
	v := x.current.Load().withSegments([]*liveSegment{l})
	x.current.Store(v)
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
	_, err = merge(v.segments)
	return err
}
