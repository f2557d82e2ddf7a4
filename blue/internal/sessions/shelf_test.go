package sessions

import (
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"blue/blue/internal/index"
)

// An exchange is what the person said and what followed; it has the directory in which the
// agent worked then.
func TestExchanges(t *testing.T) {
	var got []string
	c := collector{of: Transcript{Client: "codex", ID: "a"}, dir: "/shop", took: func(e Exchange, question, dir string) {
		got = append(got, fmt.Sprint(e.Name(), " ", len(e.Turns), " ", question, " ", dir, " ", e.Time.Year()))
	}}
	for _, turn := range []Turn{
		{Speaker: Agent, Text: "before anybody spoke"},
		{Speaker: Person, Text: "one", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		{Speaker: Agent, Text: " "}, {Speaker: Agent, Text: "done"}, {Speaker: Failure, Text: "exit 1"},
		{Speaker: Person, Text: "two", Time: time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC), Dir: "/shop/pay"}, {Speaker: Agent, Dir: "/else"},
	} {
		c.add(turn)
	}
	c.flush()
	if want := []string{"codex/a#1 3 one /shop 2026", "codex/a#2 1 two /shop/pay 2027"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Long exchanges are cut into pieces of some 4 KiB, from which they are restored; each piece
// knows the question and the answer.
func TestPiecesAreRestored(t *testing.T) {
	long := strings.Repeat("the rudder of the boat is loose; größer, ", 400)
	e := Exchange{Client: "codex", Session: "a", Number: 7, Time: time.Unix(1e9, 0).UTC(), Turns: []Turn{
		{Speaker: Person, Text: "mend the rudder"}, {Speaker: Agent, Text: long}, {Speaker: Failure, Text: "no glue"}, {Speaker: Agent, Text: "mended\n" + long},
	}}
	of := Transcript{Client: "codex", ID: "a"}
	docs := newPacker().documents(of, e, "mend the rudder", 3)
	if len(docs) < 8 || docs[0].Name != "codex/a#000003" || docs[0].ID != "codex/a#7" || docs[1].Title != "mend the rudder" {
		t.Fatalf("%d %+v", len(docs), docs[0].Row)
	}
	var rows []index.Row
	for i, d := range docs {
		p := unpack(d.Extra)
		if body, _ := p.body(); len(body) > pieceSize+100 || !utf8.ValidString(body) || (p.Question == "") != (i == 0) || p.Answer == "" != strings.Contains(body, "mended") {
			t.Errorf("piece %d: %d bytes, %q, %q", i, len(body), p.Question, p.Answer)
		}
		rows = append(rows, d.Row)
	}
	if got := slices.Collect(restore(slices.Values(append(rows, rows[0])))); len(got) != 1 || len(got[0].Turns) != 5 {
		t.Fatalf("%d", len(got))
	}
	got := slices.Collect(restore(slices.Values(rows)))[0]
	for i, turn := range got.Turns {
		if turn.Speaker != e.Turns[i].Speaker || turn.Text != e.Turns[i].Text {
			t.Errorf("turn %d differs", i)
		}
	}
}

// A secret is masked before a text is cut, also where the lines around it show it, and half of
// one does not stay at the end of a text that is cut.
func TestMasking(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7\n", 9) + "-----END RSA PRIVATE KEY-----"
	turns := []Turn{{Speaker: Person, Text: "this is it:\n" + key + "\nuse it"}, {Speaker: Agent, Text: "I did."}}
	maskSecrets(turns)
	if text := turns[0].Text; strings.Contains(text, "MIIE") || strings.Count(text, "(line left out") != 1 || !strings.HasPrefix(text, "this is it:\n") || !strings.HasSuffix(text, "\nuse it") {
		t.Errorf("%q", text)
	}
	if turns[1].Text != "I did." {
		t.Errorf("%q", turns[1].Text)
	}
	token := "ghp_" + strings.Repeat("x7Kq2mVb9R", 4)
	for _, text := range []string{strings.Repeat("word ", 99) + token, strings.Repeat(token, 20)} {
		if cut := cutText(text, 510); strings.Contains(cut, "ghp_") {
			t.Errorf("%q", cut)
		}
	}
	log := Turn{Speaker: Failure, Text: strings.Repeat("a line of output\n", 500) + "password=" + token}
	failed := []Turn{log}
	maskSecrets(failed)
	if text := failed[0].Text; len(text) > failureLimit+20 || strings.Contains(text, token) || !strings.HasPrefix(text, "a line") || !strings.Contains(text, "(line left out") {
		t.Errorf("%d %q", len(text), text)
	}
}

// Unchanged transcripts are not read again, not even by another process; changed ones are; and
// a damaged index is built anew.
func TestOnlyChangedTranscriptsAreRead(t *testing.T) {
	dir := t.TempDir()
	settings := Settings(filepath.Join(dir, "settings"))
	must(t, settings.Switch(true))
	texts := map[string][]string{"a": {"the harbour", "is closed"}, "b": {"the quay", "is open"}, "c": {"elsewhere"}}
	stamps := map[string]int64{"a": 1, "b": 1, "c": 1}
	reads := 0
	open := func() *Shelf {
		s := Open(Config{Dir: filepath.Join(dir, "index"), Settings: settings, Homes: func() Homes { return Homes{} },
			Ours: func() func(string) bool { return func(dir string) bool { return dir == "/shop" } }})
		s.list = func(Homes) (all []Transcript) {
			for id := range texts {
				all = append(all, Transcript{Client: "codex", ID: id, Path: dir, Stamp: index.Stamp{Size: stamps[id], ModTime: 1}, Dir: map[bool]string{true: "/else", false: "/shop"}[id == "c"]})
			}
			return all
		}
		s.parse = func(t Transcript) iter.Seq2[Turn, error] {
			reads++
			return func(yield func(Turn, error) bool) {
				for i, text := range texts[t.ID] {
					if !yield(Turn{Speaker: []string{Person, Agent}[i%2], Text: text}, nil) {
						return
					}
				}
			}
		}
		t.Cleanup(s.Close)
		return s
	}
	refresh := func(s *Shelf, most int, exchanges int) {
		t.Helper()
		reads = 0
		if err := s.Refresh(t.Context(), time.Minute); err != nil || reads != most || s.Count().Exchanges != exchanges || !s.Ready() {
			t.Errorf("%d read, %v: %+v", reads, err, s.Count())
		}
	}
	s := open()
	if s.Ready() {
		t.Error("ready before anything was read")
	}
	refresh(s, 3, 2)
	refresh(s, 0, 2)
	other := open()
	refresh(other, 0, 2)
	texts["a"], stamps["a"] = append(texts["a"], "why?", "storm"), 2
	refresh(s, 1, 3)
	delete(texts, "b")
	refresh(s, 0, 2)
	refresh(open(), 0, 2)
	must(t, settings.ForgetSession("codex/a"))
	if s.Ready() {
		t.Error("ready although something was forgotten")
	}
	refresh(s, 0, 0)
	must(t, settings.Switch(false))
	stamps["c"] = 7
	if err := s.Refresh(t.Context(), time.Minute); err == nil {
		t.Error("read although it is off")
	}
}
