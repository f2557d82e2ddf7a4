package index

import (
	"encoding/binary"
	"math"
	"sort"

	"blue/blue/internal/words"
)

// The table of terms is in order, in blocks of blockTerms, and for each block an entry
// says where it begins in terms and in data. A term is a byte, how many bytes it shares
// with the term before (none at the beginning of a block), the number of its own, the
// size of its data, and its own bytes. The data of all terms follow one another in the
// same order, so that who goes along the terms knows where that of each is.
const (
	blockTerms = 8
	entrySize  = 8
	markStep   = 16 // blocks
	fewTerms   = 4  // to go along them is quicker than a search
)

// table writes the table of terms.
type table struct {
	terms  int // so far
	before []byte
	line   []byte
}

// add returns a term as the table has it, until the next call, and whether it begins a
// block.
func (t *table) add(key string, size int) (line []byte, block bool) {
	shared := 0
	if block = t.terms%blockTerms == 0; !block {
		shared = min(common(t.before, key), math.MaxUint8)
	}
	t.terms++
	t.before = append(t.before[:0], key...)
	t.line = binary.AppendUvarint(append(t.line[:0], byte(shared)), uint64(len(key)-shared))
	t.line = append(binary.AppendUvarint(t.line, uint64(size)), key[shared:]...)
	return t.line, block
}

// common is the number of bytes with which two texts begin alike.
func common(a []byte, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// walk goes along the terms of a segment, forward.
type walk struct {
	s     *segment
	key   []byte // the term, until the next one; empty behind the last
	terms []byte // what follows in the table
	rest  []byte // the data of the term, and what follows
	size  uint32 // of the data of the term
}

// data is that of the term, see segment.go.
func (w *walk) data() []byte { return w.rest[:w.size] }

// begins reports whether the term begins with a text.
func (w *walk) begins(text string) bool {
	return len(w.key) >= len(text) && string(w.key[:len(text)]) == text
}

func (w *walk) next() {
	if len(w.terms) == 0 {
		w.key = w.key[:0]
		return
	}
	shared, own := w.take()
	w.key = append(w.key[:shared], own...)
}

// take is next without the key. It takes some of the table away, whatever a damaged
// one says.
func (w *walk) take() (shared int, own []byte) {
	n, size, after := uint32(w.terms[1]), uint32(w.terms[2]), w.terms[3:]
	if n|size >= 0x80 { // not a byte each, as most are
		n, after = uvarint(w.terms[1:])
		size, after = uvarint(after)
	}
	shared, own = int(w.terms[0]), after[:n]
	w.terms, w.rest, w.size = after[n:], w.rest[w.size:], size
	return shared, own
}

// seek goes to the first term that is not less than key, from anywhere and without
// making w.key of it: it is the shared bytes of key and its own.
func (w *walk) seek(key string) (shared int, own []byte) {
	s := w.s
	from, to := 0, len(s.entries)/entrySize
	if len(s.marks) > 0 {
		n := sort.Search(len(s.marks), func(i int) bool { return s.marks[i] > key })
		from, to = max(n-1, 0)*markStep, min(n*markStep, to)
	}
	w.terms, w.rest, w.size = s.terms, s.data, 0
	if behind := from + sort.Search(to-from, func(i int) bool { return string(s.first(from+i)) > key }); behind > 1 {
		w.terms, w.rest = s.terms[number(s.entries, 2*behind-2):], s.data[number(s.entries, 2*behind-1):]
	}
	for same := 0; len(w.terms) > 0; { // bytes that key shares with the term before
		if shared, own = w.take(); shared > same {
			continue // it differs from key where the term before does
		}
		n := common(own, key[shared:])
		if same = shared + n; same == len(key) || n < len(own) && own[n] > key[same] {
			return shared, own
		}
	}
	return 0, nil
}

// to is seek with the key.
func (w *walk) to(key string) {
	shared, own := w.seek(key)
	w.key = append(append(w.key[:0], key[:shared]...), own...)
}

// pass goes behind the terms that begin with a text, as the present one does. Where a
// damaged table would lead back, the walk is at its end.
func (w *walk) pass(text string) {
	for range fewTerms {
		if w.next(); !w.begins(text) {
			return
		}
	}
	before := len(w.terms)
	if w.to(text + "\xff"); len(w.terms) >= before {
		w.key = w.key[:0]
	}
}

// search goes to the first term that is not less than key.
func (s *segment) search(key string) *walk {
	w := &walk{s: s, key: make([]byte, 0, len(wordTerm)+words.TermLimit)}
	w.to(key)
	return w
}

// find returns the data of a term, nil when it is not there.
func (s *segment) find(key string) []byte {
	w := walk{s: s}
	if shared, own := w.seek(key); string(own) == key[shared:] {
		return w.data()
	}
	return nil
}

// findAll finds those of many terms, in order, that are there. In a small segment it is
// quicker to go along all terms than to search for each.
func (s *segment) findAll(keys []string, found func(i int, data []byte)) {
	const searchSteps = 16
	if len(s.entries)/entrySize*blockTerms > searchSteps*len(keys) {
		for i, key := range keys {
			if data := s.find(key); data != nil {
				found(i, data)
			}
		}
		return
	}
	w := s.search("")
	for i, key := range keys {
		for len(w.key) > 0 && string(w.key) < key {
			w.next()
		}
		if string(w.key) == key {
			found(i, w.data())
		}
	}
}

// first is the first term of a block in place.
func (s *segment) first(block int) []byte {
	w := walk{terms: s.terms[number(s.entries, 2*block):]}
	_, key := w.take()
	return key
}

// markTerms keeps some terms in memory: each step of a search among all of them would
// bring in pages of the file.
func (s *segment) markTerms() {
	for block := 0; block < len(s.entries)/entrySize; block += markStep {
		s.marks = append(s.marks, string(s.first(block)))
	}
}
