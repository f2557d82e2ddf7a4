package segment

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"blue/blue/internal/words"
)

// Builder builds one segment after another from documents whose names ascend. It reuses what it has
// learned about words for the next segment.
type Builder struct {
	numbers map[string]uint32 // of known terms
	terms   []term            // by number; number 0 is unused
	used    []uint32          // terms of this segment
	tokens  []token           // of this segment, in the order of the text
	places  []place           // of this segment, grouped by term
	titles  []uint32          // by document: positions below this are in the title
	list    []posting         // of one term
	encoded []byte            // encoded positions of one term
	key     []byte
	scanner words.Scanner
}

type term struct {
	key  string
	stem uint32 // number of its stem; 0 for none
	end  uint32 // end of its places in Builder.places
}

type token struct {
	term uint32
	place
}

type place struct{ doc, position uint32 }

const (
	titleGap   = 8              // between title, labels and body, so that no phrase crosses their borders
	nowhere    = math.MaxUint32 // position of a term that belongs to the document as a whole
	knownTerms = 20_000         // known terms after which the next segment starts with none
)

// Build builds a segment in memory.
func (b *Builder) Build(docs []Document) (*Live, error) {
	if b.numbers == nil || len(b.terms) > knownTerms {
		b.numbers, b.terms = map[string]uint32{}, []term{{}}
	}
	b.used, b.tokens, b.titles = b.used[:0], b.tokens[:0], b.titles[:0]
	var out bytes.Buffer
	w := newWriter(&out)
	for i, d := range docs {
		length, title := b.addDocument(uint32(i), d)
		w.addRow(d.encodeRecord(), d.encodeTexts(), length, title)
	}
	b.sortTokens()
	from := uint32(0)
	for _, n := range b.used {
		t := &b.terms[n]
		w.addTerm(t.key, b.postingsOf(b.places[from:t.end], t.key[:1] == WordTerm))
		from, t.end = t.end, 0
	}
	if err := w.finish(0, nil); err != nil {
		return nil, err
	}
	return newMemory(out.Bytes())
}

// addDocument adds one document and returns the number of words in its text and in its title.
func (b *Builder) addDocument(doc uint32, d Document) (length, title uint32) {
	scan := &b.scanner
	scan.NoShingles = d.NoShingles
	scan.Position, scan.Yield = 0, func(t words.Word) { b.addToken(t, doc) }
	scan.Scan(d.Title)
	end := scan.Position
	scan.Position += titleGap
	scan.Scan(d.ID + " " + strings.Join(d.Tags, " "))
	scan.Position += titleGap
	body := scan.Position
	scan.Scan(d.Body)
	body = scan.Position - body
	b.add(b.number(IDTerm, words.Fold(d.ID)), doc, nowhere)
	b.add(b.number(TitleTerm, words.TitleKey(d.Title)), doc, nowhere)
	for _, key := range d.Keys {
		b.add(b.number(KeyTerm, key), doc, nowhere)
	}
	for _, name := range d.Replaces {
		b.add(b.number(ReplaceTerm, name), doc, nowhere)
	}
	b.titles = append(b.titles, uint32(end))
	return uint32(end + body), uint32(end)
}

// number returns the number of a term.
func (b *Builder) number(kind, text string) uint32 {
	b.key = append(append(b.key[:0], kind...), text...)
	n, known := b.numbers[string(b.key)]
	if !known {
		n = uint32(len(b.terms))
		b.terms = append(b.terms, term{key: string(b.key)})
		b.numbers[b.terms[n].key] = n
	}
	return n
}

func (b *Builder) addToken(t words.Word, doc uint32) {
	word := b.number(WordTerm, t.Text)
	b.add(word, doc, uint32(t.Position))
	if t.Form > words.Piece {
		return
	}
	if b.terms[word].stem == 0 {
		if stem := words.Stem(t.Text); stem != "" {
			b.terms[word].stem = b.number(StemTerm, stem)
		}
	}
	if stem := b.terms[word].stem; stem != 0 {
		b.add(stem, doc, uint32(t.Position))
	}
}

func (b *Builder) add(term, doc, position uint32) {
	if b.terms[term].end++; b.terms[term].end == 1 {
		b.used = append(b.used, term)
	}
	b.tokens = append(b.tokens, token{term, place{doc, position}})
}

// sortTokens sorts the terms by key, and their places by term.
func (b *Builder) sortTokens() {
	slices.SortFunc(b.used, func(m, n uint32) int { return strings.Compare(b.terms[m].key, b.terms[n].key) })
	from := uint32(0)
	for _, n := range b.used {
		t := &b.terms[n]
		from, t.end = from+t.end, from
	}
	b.places = slices.Grow(b.places[:0], len(b.tokens))[:len(b.tokens)]
	for _, t := range b.tokens {
		at := &b.terms[t.term].end
		b.places[*at] = t.place
		*at++
	}
}

// postingsOf returns the postings of a term from its places, whose documents ascend. The result is
// valid until the next call. Duplicate places count once. Places are sorted by position because a
// compound is yielded after the words that follow its first word.
func (b *Builder) postingsOf(places []place, isWord bool) []posting {
	b.list, b.encoded = b.list[:0], b.encoded[:0]
	for len(places) > 0 {
		p, n := posting{doc: places[0].doc}, 1
		for n < len(places) && places[n].doc == p.doc {
			n++
		}
		own, before := places[:n], uint32(0)
		places = places[n:]
		slices.SortFunc(own, func(a, b place) int { return cmp.Compare(a.position, b.position) })
		start := len(b.encoded)
		for i, at := range own {
			if i > 0 && at == own[i-1] {
				continue
			}
			p.times++
			if at.position < b.titles[p.doc] {
				p.inTitle++
			}
			if isWord {
				b.encoded = binary.AppendUvarint(b.encoded, uint64(at.position-before))
				before = at.position
			}
		}
		p.positions = b.encoded[start:]
		b.list = append(b.list, p)
	}
	return b.list
}
