package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
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
	x := Open("")
	for i, text := range texts {
		name := string(rune('a' + i))
		must(f, x.Put(Document{Row: Row{Name: name, ID: name, Title: text}, Body: text}))
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := x.Search(context.Background(), Query{Text: text, Prefix: true, Explain: true, Limit: 5, Passages: Passages{Body: func(Row) (string, string) { return text, "" }}})
		must(t, err)
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
		x.FindAlike(Draft{Title: text, Body: text, MayReplace: func(Row) bool { return true }, Read: func(Row) (string, string) { return text, "" }})
	})
}

// FuzzDamagedFile opens bytes as the base of an index, under a checksum that is right, and
// asks it all there is. What is nonsense is found out; nothing else may happen, and nothing
// large may come of little.
func FuzzDamagedFile(f *testing.F) {
	dir := f.TempDir()
	x := Open(dir)
	for i, text := range texts {
		name := string(rune('a' + i))
		must(f, x.Put(Document{Row: Row{Name: "notes/" + name + ".md", ID: name, Title: text, Tags: []string{"x"}}, Body: strings.Repeat(text+" ", 1+40*(i%2)), Keys: []string{name}}))
	}
	x.Save()
	file := filepath.Join(dir, "base.index")
	whole, err := os.ReadFile(file)
	must(f, err)
	f.Add(whole, uint32(0), byte(0))
	f.Add(whole, uint32(200), byte(0xff))
	f.Add(whole, uint32(len(whole)-60), byte(0x80))
	f.Fuzz(func(t *testing.T, data []byte, at uint32, to byte) {
		if len(data) < 4 {
			return
		}
		data = bytes.Clone(data)
		data[int(at)%len(data)] ^= to
		body := data[:len(data)-4]
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "base.index"), binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))), 0o600))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		askAll(t, dir)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%d bytes of input took %d MiB", len(data), used>>20)
		}
	})
}

func askAll(t *testing.T, dir string) {
	x := Open(dir)
	defer x.Close()
	x.List(Filter{Tags: []string{"x"}}, true, 0, 10)
	x.Row("notes/a.md")
	x.WithPrefix("a", 3)
	x.Keyed("a")
	x.FindAlike(Draft{Title: "user name", Body: texts[0]})
	for _, text := range texts {
		if _, err := x.Search(context.Background(), Query{Text: text, Prefix: true, Explain: true, Limit: 5}); err != nil {
			t.Fatal(err)
		}
	}
}
