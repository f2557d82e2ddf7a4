package index

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
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
	words   map[string]*spelling
	lists   map[string]*list // of terms that are not words
	stemmer *stemmer
	doc     uint32
	title   int // positions below lie in the title
}

// spelling is a word and the postings of its stem, nil when it has none.
type spelling struct {
	list
	stem *list
}

// titleGap parts the title, the labels and the body, so that no phrase crosses.
const titleGap = 8

func build(docs []Document, stems *stemmer) *segment {
	b := builder{words: map[string]*spelling{}, lists: map[string]*list{}, stemmer: stems}
	s := &segment{}
	for i, d := range docs {
		b.doc = uint32(i)
		length, title := b.document(d)
		s.rows = append(s.rows, d.Row)
		s.lengths = append(s.lengths, length)
		s.titles = append(s.titles, title)
	}
	for text, word := range b.words {
		b.lists[wordTerm+text] = &word.list
	}
	w := writer{s: s}
	for _, key := range slices.Sorted(maps.Keys(b.lists)) {
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
	b.list(idTerm+fold(d.ID)).add(b.doc, 0, 0)
	b.list(titleTerm+titleKey(d.Title)).add(b.doc, 0, 0)
	for _, key := range d.Keys {
		b.list(keyTerm+key).add(b.doc, 0, 0)
	}
	return uint32(b.title + body), uint32(b.title)
}

func (b *builder) token(t token) {
	w := b.words[t.text]
	if w == nil {
		w = &spelling{}
		b.words[strings.Clone(t.text)] = w
	}
	if w.stem == nil && t.form <= piece {
		if stem := b.stemmer.stem(t.text); stem != "" {
			w.stem = b.list(stemTerm + stem)
		}
	}
	w.add(b.doc, t.pos, b.title)
	if w.stem != nil && t.form <= piece {
		w.stem.add(b.doc, t.pos, b.title)
	}
}

func (b *builder) list(key string) *list {
	l := b.lists[key]
	if l == nil {
		l = &list{}
		b.lists[key] = l
	}
	return l
}

// add counts an occurrence, once a position; those below title are in the title.
func (l *list) add(doc uint32, pos, title int) {
	n := len(l.posts)
	if n == 0 || l.posts[n-1].doc != doc {
		l.posts = append(l.posts, posting{doc: doc})
		n++
	}
	here := len(l.places) - int(l.posts[n-1].times)
	at, ok := len(l.places), false
	if at > here && l.places[at-1] >= uint32(pos) { // a compound comes after words that follow its first
		at, ok = slices.BinarySearch(l.places[here:], uint32(pos))
		at += here
	}
	if ok {
		return
	}
	l.places = slices.Insert(l.places, at, uint32(pos))
	l.posts[n-1].times++
	if pos < title {
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
