package index

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/kljensen/snowball/english"
)

// list is the postings of one term while a segment is made.
type list struct {
	posts  []posting
	places []uint32 // of all postings, one after another
}

func (l *list) titles() (n uint32) {
	for _, p := range l.posts {
		n += min(p.title, 1)
	}
	return n
}

type posting struct{ doc, times, title uint32 }

// builder makes a segment of documents whose names ascend.
type builder struct {
	lists map[string]*list
	stems map[string]string // of words seen; the stemmer is slow
	doc   uint32
	title int // positions below lie in the title
}

// titleGap parts the title, the labels and the body, so that no phrase crosses.
const titleGap = 8

func build(docs []Document) *segment {
	b := builder{lists: map[string]*list{}, stems: map[string]string{}}
	s := &segment{}
	for i, d := range docs {
		b.doc = uint32(i)
		length, title := b.document(d)
		s.rows = append(s.rows, d.Row)
		s.lengths = append(s.lengths, length)
		s.titles = append(s.titles, title)
	}
	keys := slices.Sorted(maps.Keys(b.lists))
	w := writer{s: s}
	for _, key := range keys {
		w.add(key, b.lists[key])
	}
	w.close()
	return s
}

// document takes in one document and returns the words of its text and title.
func (b *builder) document(d Document) (length, title uint32) {
	b.title = scan(d.Title, 0, func(token) {})
	scan(d.Title, 0, b.token)
	labels := b.title + titleGap
	end := scan(d.ID+" "+strings.Join(d.Tags, " "), labels, b.token) + titleGap
	body := scan(d.Body, end, b.token) - end
	b.add(idTerm+fold(d.ID), 0)
	b.add(titleTerm+titleKey(d.Title), 0)
	for _, key := range d.Keys {
		b.add(keyTerm+key, 0)
	}
	return uint32(b.title + body), uint32(b.title)
}

func (b *builder) token(t token) {
	b.add(wordTerm+t.text, t.pos)
	if t.form <= piece {
		if stem := b.stem(t.text); stem != "" {
			b.add(stemTerm+stem, t.pos)
		}
	}
}

func (b *builder) stem(word string) string {
	stem, ok := b.stems[word]
	if !ok {
		stem = stemOf(word)
		b.stems[strings.Clone(word)] = stem
	}
	return stem
}

// stemOf returns the English stem of a word, "" when it has none: the stemmer
// is for words of Latin letters only.
func stemOf(word string) string {
	if len(word) < 3 {
		return ""
	}
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return ""
		}
	}
	return english.Stem(word, true)
}

// add counts an occurrence, once a position.
func (b *builder) add(key string, pos int) {
	l := b.lists[key]
	if l == nil {
		l = &list{}
		b.lists[strings.Clone(key)] = l
	}
	n := len(l.posts)
	if n == 0 || l.posts[n-1].doc != b.doc {
		l.posts = append(l.posts, posting{doc: b.doc})
		n++
	}
	here := len(l.places) - int(l.posts[n-1].times)
	at, ok := slices.BinarySearch(l.places[here:], uint32(pos))
	if ok {
		return
	}
	l.places = slices.Insert(l.places, here+at, uint32(pos)) // a compound comes after words that follow its first
	l.posts[n-1].times++
	if pos < b.title {
		l.posts[n-1].title++
	}
}

// titleKey is a title without case, marks and punctuation.
func titleKey(title string) string {
	var words []string
	scan(title, 0, func(t token) {
		if t.form == whole || t.form == last {
			words = append(words, t.text)
		}
	})
	if len(words) == 0 {
		return strings.TrimSpace(title)
	}
	return strings.Join(words, " ")
}

// writer writes the terms of a segment, in ascending order.
type writer struct {
	s    *segment
	text strings.Builder
}

func (w *writer) add(key string, l *list) {
	s := w.s
	s.terms = append(s.terms, entry{uint32(w.text.Len()), uint32(len(s.postings)), uint32(len(s.positions)), uint32(len(l.posts)), l.titles()})
	w.text.WriteString(key)
	postings, positions := len(s.postings), len(s.positions)
	table := postings
	if len(l.posts) > blockSize {
		blocks := (len(l.posts) + blockSize - 1) / blockSize
		s.postings = append(s.postings, make([]byte, 12*blocks)...)
	}
	places := l.places
	before := uint32(0xffffffff)
	for block := range slices.Chunk(l.posts, blockSize) {
		if len(l.posts) > blockSize {
			line := s.postings[table : table+12]
			binary.LittleEndian.PutUint32(line, block[len(block)-1].doc)
			binary.LittleEndian.PutUint32(line[4:], uint32(len(s.postings)-postings))
			binary.LittleEndian.PutUint32(line[8:], uint32(len(s.positions)-positions))
			table += 12
		}
		for _, p := range block {
			s.postings = appendPosting(s.postings, p, before)
			before = p.doc
		}
		if key[:1] == wordTerm {
			for _, p := range block {
				s.positions = appendPlaces(s.positions, places[:p.times])
				places = places[p.times:]
			}
		}
	}
}

func appendPosting(to []byte, p posting, before uint32) []byte {
	head := (p.doc - before) << 2
	if p.times > 1 {
		head |= 1
	}
	if p.title > 0 {
		head |= 2
	}
	to = binary.AppendUvarint(to, uint64(head))
	if p.times > 1 {
		to = binary.AppendUvarint(to, uint64(p.times))
	}
	if p.title > 0 {
		to = binary.AppendUvarint(to, uint64(p.title))
	}
	return to
}

func appendPlaces(to []byte, places []uint32) []byte {
	before := uint32(0)
	for _, place := range places {
		to = binary.AppendUvarint(to, uint64(place-before))
		before = place
	}
	return to
}

func (w *writer) close() {
	w.s.terms = append(w.s.terms, entry{text: uint32(w.text.Len())})
	w.s.text = w.text.String()
}
