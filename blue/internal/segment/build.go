package segment

import (
	"bytes"
	"slices"
	"strings"

	"blue/blue/internal/words"
)

// Builder makes segments of documents whose names ascend, one after another: what it
// has learned of words serves the next.
type Builder struct {
	words     map[string]*spelling
	stems     map[string]*postingList
	keys      map[string]*postingList // terms of this segment alone
	usedLists []*postingList          // by this segment
	doc       uint32
	titleEnd  int // positions below lie in the title
}

// spelling is a word and the postings of its stem, nil when it has none.
type spelling struct {
	postingList
	stem *postingList
}

const (
	titleGap   = 8      // parts the title, the labels and the body, so that no phrase crosses
	knownWords = 10_000 // then a builder begins anew, and does not wait for the next update
)

// Build makes a segment in memory.
func (b *Builder) Build(docs []Document) (*Live, error) {
	if len(docs) == 1 && docs[0].prepared != nil {
		return newLive(docs[0].prepared.stamped(&docs[0].Row)), nil
	}
	if b.words == nil || len(b.words) > knownWords {
		b.words, b.stems = map[string]*spelling{}, map[string]*postingList{}
	}
	b.keys, b.usedLists = map[string]*postingList{}, b.usedLists[:0]
	var out bytes.Buffer
	w := newWriter(&out)
	for i, d := range docs {
		b.doc = uint32(i)
		length, title := b.addDocument(d)
		w.addRow(&d.Row, length, title)
	}
	slices.SortFunc(b.usedLists, func(a, b *postingList) int { return strings.Compare(a.key, b.key) })
	for _, l := range b.usedLists {
		w.addTerm(l.key, l)
		l.postings, l.positions = l.postings[:0], l.positions[:0]
	}
	if err := w.finish(0, nil); err != nil {
		return nil, err
	}
	return newMemory(out.Bytes())
}

// addDocument takes in one document and returns the words of its text and title.
func (b *Builder) addDocument(d Document) (length, title uint32) {
	b.titleEnd = words.Scan(d.Title, 0, func(words.Token) {})
	words.Scan(d.Title, 0, b.addToken)
	labels := b.titleEnd + titleGap
	end := words.Scan(d.ID+" "+strings.Join(d.Tags, " "), labels, b.addToken) + titleGap
	body := words.Scan(d.Body, end, b.addToken) - end
	b.addKey(IDTerm + words.Fold(d.ID))
	b.addKey(TitleTerm + words.TitleKey(d.Title))
	for _, key := range d.Keys {
		b.addKey(KeyTerm + key)
	}
	return uint32(b.titleEnd + body), uint32(b.titleEnd)
}

// addKey adds a term that the document as a whole has.
func (b *Builder) addKey(key string) {
	l := b.keys[key]
	if l == nil {
		l = &postingList{key: key}
		b.keys[key] = l
	}
	b.startPosting(l)
	l.postings[len(l.postings)-1].times = 1
}

func (b *Builder) addToken(t words.Token) {
	w := b.words[t.Text]
	if w == nil {
		text := WordTerm + t.Text
		w = &spelling{postingList: postingList{key: text}}
		b.words[text[1:]] = w
	}
	if w.stem == nil && t.Form <= words.Piece {
		if stem := words.Stem(t.Text); stem != "" {
			if w.stem = b.stems[stem]; w.stem == nil {
				w.stem = &postingList{key: StemTerm + stem}
				b.stems[w.stem.key[1:]] = w.stem
			}
		}
	}
	b.addWord(&w.postingList, uint32(t.Position))
	if w.stem != nil && t.Form <= words.Piece {
		b.addStem(w.stem, uint32(t.Position))
	}
}

// startPosting makes sure that the last posting is that of the present document, and
// reports whether it had none.
func (b *Builder) startPosting(l *postingList) bool {
	n := len(l.postings)
	if n > 0 && l.postings[n-1].doc == b.doc {
		return false
	}
	if n == 0 {
		b.usedLists = append(b.usedLists, l)
	}
	l.postings = append(l.postings, posting{doc: b.doc})
	return true
}

// addStem counts an occurrence, once a position; positions ascend.
func (b *Builder) addStem(l *postingList, pos uint32) {
	if b.startPosting(l) || l.lastPosition != pos {
		b.countOccurrence(l, pos)
	}
	l.lastPosition = pos
}

// addWord is stem for a word, whose positions are kept. A compound comes after the
// words that follow its first.
func (b *Builder) addWord(l *postingList, pos uint32) {
	if b.startPosting(l) || l.lastPosition < pos {
		l.positions = append(l.positions, pos)
		l.lastPosition = pos
		b.countOccurrence(l, pos)
		return
	}
	here := len(l.positions) - int(l.postings[len(l.postings)-1].times)
	if at, there := slices.BinarySearch(l.positions[here:], pos); !there {
		l.positions = slices.Insert(l.positions, here+at, pos)
		b.countOccurrence(l, pos)
	}
}

func (b *Builder) countOccurrence(l *postingList, pos uint32) {
	p := &l.postings[len(l.postings)-1]
	p.times++
	if int(pos) < b.titleEnd {
		p.inTitle++
	}
}
