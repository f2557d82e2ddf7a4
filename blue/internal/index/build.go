package index

import (
	"bytes"
	"slices"
	"strings"

	"blue/blue/internal/words"
)

// list is the postings of one term while a segment is made.
type list struct {
	key    string
	posts  []posting
	places []uint32 // of all postings, one after another; of words only
	place  uint32   // the last one
}

func (l *list) titles() (n uint32) {
	for _, p := range l.posts {
		n += min(p.title, 1)
	}
	return n
}

type posting struct{ doc, times, title uint32 }

// builder makes segments of documents whose names ascend, one after another: what it
// has learned of words serves the next.
type builder struct {
	words map[string]*spelling
	stems map[string]*list
	names map[string]*list // terms of this segment alone
	used  []*list          // by this segment
	doc   uint32
	title int // positions below lie in the title
}

// spelling is a word and the postings of its stem, nil when it has none.
type spelling struct {
	list
	stem *list
}

const (
	titleGap   = 8      // parts the title, the labels and the body, so that no phrase crosses
	knownWords = 10_000 // then a builder begins anew, and does not wait for the next update
)

// build makes a segment in memory.
func (b *builder) build(docs []Document) (*segment, error) {
	if b.words == nil || len(b.words) > knownWords {
		b.words, b.stems = map[string]*spelling{}, map[string]*list{}
	}
	b.names, b.used = map[string]*list{}, b.used[:0]
	var out bytes.Buffer
	w := newWriter(&out)
	for i, d := range docs {
		b.doc = uint32(i)
		length, title := b.document(d)
		w.row(&d.Row, length, title)
	}
	slices.SortFunc(b.used, func(a, b *list) int { return strings.Compare(a.key, b.key) })
	for _, l := range b.used {
		w.term(l.key, l)
		l.posts, l.places = l.posts[:0], l.places[:0]
	}
	if err := w.close(0, nil); err != nil {
		return nil, err
	}
	return segmentOf(out.Bytes())
}

// document takes in one document and returns the words of its text and title.
func (b *builder) document(d Document) (length, title uint32) {
	b.title = words.Scan(d.Title, 0, func(words.Token) {})
	words.Scan(d.Title, 0, b.token)
	labels := b.title + titleGap
	end := words.Scan(d.ID+" "+strings.Join(d.Tags, " "), labels, b.token) + titleGap
	body := words.Scan(d.Body, end, b.token) - end
	b.name(idTerm + words.Fold(d.ID))
	b.name(titleTerm + words.TitleKey(d.Title))
	for _, key := range d.Keys {
		b.name(keyTerm + key)
	}
	return uint32(b.title + body), uint32(b.title)
}

// name adds a term that the document as a whole has.
func (b *builder) name(key string) {
	l := b.names[key]
	if l == nil {
		l = &list{key: key}
		b.names[key] = l
	}
	b.begin(l)
	l.posts[len(l.posts)-1].times = 1
}

func (b *builder) token(t words.Token) {
	w := b.words[t.Text]
	if w == nil {
		text := wordTerm + t.Text
		w = &spelling{list: list{key: text}}
		b.words[text[1:]] = w
	}
	if w.stem == nil && t.Form <= words.Piece {
		if stem := words.Stem(t.Text); stem != "" {
			if w.stem = b.stems[stem]; w.stem == nil {
				w.stem = &list{key: stemTerm + stem}
				b.stems[w.stem.key[1:]] = w.stem
			}
		}
	}
	b.word(&w.list, uint32(t.Position))
	if w.stem != nil && t.Form <= words.Piece {
		b.stem(w.stem, uint32(t.Position))
	}
}

// begin makes sure that the last posting is that of the present document, and
// reports whether it had none.
func (b *builder) begin(l *list) bool {
	n := len(l.posts)
	if n > 0 && l.posts[n-1].doc == b.doc {
		return false
	}
	if n == 0 {
		b.used = append(b.used, l)
	}
	l.posts = append(l.posts, posting{doc: b.doc})
	return true
}

// stem counts an occurrence, once a position; positions ascend.
func (b *builder) stem(l *list, pos uint32) {
	if b.begin(l) || l.place != pos {
		b.count(l, pos)
	}
	l.place = pos
}

// word is stem for a word, whose positions are kept. A compound comes after the
// words that follow its first.
func (b *builder) word(l *list, pos uint32) {
	if b.begin(l) || l.place < pos {
		l.places = append(l.places, pos)
		l.place = pos
		b.count(l, pos)
		return
	}
	here := len(l.places) - int(l.posts[len(l.posts)-1].times)
	if at, there := slices.BinarySearch(l.places[here:], pos); !there {
		l.places = slices.Insert(l.places, here+at, pos)
		b.count(l, pos)
	}
}

func (b *builder) count(l *list, pos uint32) {
	p := &l.posts[len(l.posts)-1]
	p.times++
	if int(pos) < b.title {
		p.title++
	}
}
