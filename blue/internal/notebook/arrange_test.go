package notebook

import (
	"strings"
	"testing"

	"blue/blue/internal/index"
	"blue/blue/result"
)

// Each row is a rule of where documents and commits stand. A note or document in capitals passes the
// gate, and one with ' is superseded.
func TestArrange(t *testing.T) {
	for _, row := range []struct{ rule, notes, also, want string }{
		{"documents and commits stand below the notes", "n n n", "d c", "| d c"},
		{"a document that passes stands above notes that do not", "n n n", "d D c", "D | d c"},
		{"or where there are no notes, below all the same", "", "d D", "| d D"},
		{"one of the first three notes that passes keeps it below", "n n N", "D", "| D"},
		{"a later one does not", "n n n N", "D", "D |"},
		{"a superseded document stays below", "n", "D' D", "D | D'"},
		{"a commit stays below", "n", "C D", "D | C"},
	} {
		var notes []index.Hit
		for word := range strings.FieldsSeq(row.notes) {
			h := index.Hit{Verdict: index.Verdict{Threshold: 1}}
			if word == "N" {
				h.Verdict.Score = 2
			}
			notes = append(notes, h)
		}
		var also []result.ShelfHit
		for word := range strings.FieldsSeq(row.also) {
			b := result.ShelfHit{Ref: word, Kind: result.KindDocument, Sure: strings.ToUpper(word) == word}
			if strings.EqualFold(word[:1], "c") {
				b.Kind = result.KindCommit
			}
			if strings.HasSuffix(word, "'") {
				b.By = "other"
			}
			also = append(also, b)
		}
		ordered, above, _ := arrange(notes, also)
		var got []string
		for i, b := range ordered {
			if i == above {
				got = append(got, "|")
			}
			got = append(got, b.Ref)
		}
		if above == len(ordered) {
			got = append(got, "|")
		}
		if got := strings.Join(got, " "); got != row.want {
			t.Errorf("%s: %s", row.rule, got)
		}
	}
}

// The level of an answer is that of the best of the first notes and the documents.
func TestArrangeTellsTheLevel(t *testing.T) {
	complete := index.Hit{Verdict: index.Verdict{Complete: true}}
	for want, row := range []struct {
		notes []index.Hit
		also  []result.ShelfHit
	}{
		{[]index.Hit{{Verdict: index.Verdict{Threshold: 1}}, {Verdict: index.Verdict{Threshold: 1}}, {Verdict: index.Verdict{Threshold: 1}}, complete}, nil},
		{[]index.Hit{{Verdict: index.Verdict{Threshold: 1}}}, []result.ShelfHit{{Level: 1}}},
		{[]index.Hit{complete}, nil},
	} {
		if _, _, level := arrange(row.notes, row.also); level != want {
			t.Errorf("level %d, want %d", level, want)
		}
	}
}
