package segment

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// FuzzSegment reads bytes as a segment in every way there is. What is nonsense is
// found out, by an error or a panic that a file's reader takes for one; nothing
// else may happen, and nothing large may come of little.
func FuzzSegment(f *testing.F) {
	var docs []Document
	for i, text := range []string{"getUserName HTTPServer v1.8.0 net/http", "索引时 ﾃﾞｰﾀ", "café user’s", "🚀👩‍💻 1,000.5", "", "עברית हिन्दी"} {
		name := string(rune('a' + i))
		docs = append(docs, Document{Row: Row{Name: "notes/" + name + ".md", ID: name, Title: text, Tags: []string{"x"}}, Body: strings.Repeat(text+" ", 1+40*(i%2)), Keys: []string{name}})
	}
	l, err := (&Builder{}).Build(docs)
	must(f, err)
	var out bytes.Buffer
	base := &Live{file: &file{sum: 3}, Dead: []uint32{1, 2}}
	must(f, mergeTo(&out, []*Live{l}, base))
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
		_ = CatchFaults(func() error { return readAll(data) })
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%d bytes of input took %d MiB", len(data), used>>20)
		}
	})
}

// readAll reads every row, term, posting and position, and merges what it has read.
func readAll(data []byte) error {
	s, err := parseSegment(data)
	if err != nil {
		return err
	}
	l := newLive(s)
	l = l.Without(l.goneFromBase())
	for doc := range l.LivingDocs() {
		r := l.Row(doc)
		l.NumberOf(r.Name)
		l.Title(doc)
		l.HasLabels(doc, r.Type, r.Tags)
	}
	for w := l.TermsFrom(""); len(w.Key) > 0; w.NextTerm() {
		l.Holding(w.Data)
		for c := NewCursor(w.Data); w.HasPrefix(WordTerm) && c.Next(); {
			c.Positions()
		}
	}
	s.FindNear("servers", func(string) {})
	_, err = Merge([]*Live{l})
	return err
}

// What a builder knows from segments before, and whether documents came to a segment
// together or were merged, changes no byte.
func TestSegmentsAreOfTheirDocumentsAlone(t *testing.T) {
	var docs []Document
	for i := range 300 {
		title := fmt.Sprintf("getUserName go-sdk v1.%d retried", i%7)
		docs = append(docs, Document{Row: Row{Name: fmt.Sprintf("%03d.md", i), ID: title, Title: title}, Body: strings.Repeat(title+" go-sdk-go sdk getuser\n", 1+i%3), Keys: []string{"k", "k"}})
	}
	b := &Builder{}
	build := func(docs []Document) *Live {
		t.Helper()
		l, err := b.Build(docs)
		must(t, err)
		return l
	}
	bytesOf := func(l *Live) []byte {
		return slices.Concat(l.texts, l.places, l.records, l.lengths, l.titles, l.entries, l.terms, l.data)
	}
	first, known := build(docs), build(docs)
	if !bytes.Equal(bytesOf(first), bytesOf(known)) {
		t.Error("another segment of the same documents")
	}
	merged, err := Merge([]*Live{build(docs[:100]), build(docs[100:])})
	must(t, err)
	if !bytes.Equal(bytesOf(first), bytesOf(merged)) {
		t.Error("another segment of the same documents, merged")
	}
}
